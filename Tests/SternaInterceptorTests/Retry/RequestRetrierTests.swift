import HTTPTypes
import NIOCore
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

/// Adapters and retriers of a program.
@Suite("Retries: adapters and retriers", .timeLimit(.minutes(5)))
struct RequestRetrierTests {
    private let scene = RetryScene()

    private struct Asking: RequestRetrier {
        let answer: @Sendable (Request, RetryOutcome, RetryProgress) async -> RetryDecision

        func retry(_ request: Request, after outcome: RetryOutcome, _ progress: RetryProgress) async -> RetryDecision {
            await answer(request, outcome, progress)
        }
    }

    private struct Stamp: RequestAdapter {
        let text: String

        func adapt(_ request: Request, _ progress: RetryProgress) async throws -> Request {
            var request = request
            request.headers[.userAgent] = (request.headers[.userAgent] ?? "") + "\(text)\(progress.retries)"
            return request
        }
    }

    private struct Refusal: Error {}

    @Test("A retrier repeats a 401 once, also a POST, and adapters act before each attempt")
    func refresh() async throws {
        let (api, mock) = try scene.make({
            $0.headers["User-Agent"] = "-"
            $0.adapters = [Stamp(text: "s")]
            $0.retriers = [
                Asking { _, outcome, progress in
                    guard case .response(let response) = outcome, response.status.code == 401, progress.retries == 0
                    else { return .undecided }
                    return .retry()
                }
            ]
        }) { _, _ in .json([:], status: 401) }
        let error = try await scene.run {
            await #expect(throws: SternaError.self) {
                try await api.post("a", parameters: ["b": 1]) { $0.adapters.append(Stamp(text: "r")) }
            }
        }
        expectEqual(error?.status, 401)
        expectEqual(mock.requests.map { $0.headers[.userAgent] }, ["-s0r0", "-s1r1"])
    }

    @Test("The first retrier that decides ends the search; undecided ones leave it to the policy")
    func order() async throws {
        let asked = Mutex<[String]>([])
        @Sendable func asking(_ name: String, _ answer: RetryDecision) -> Asking {
            Asking { _, _, progress in
                asked.withLock { $0.append("\(name) \(progress.retries) \(progress.reason?.description ?? "-")") }
                return answer
            }
        }
        let (api, mock) = try scene.make({ $0.retriers = [asking("one", .undecided)] }) { _, _ in
            throw RetryScene.closed
        }
        _ = try await scene.run {
            await #expect(throws: SternaError.self) { try await api.get("a") }
            await #expect(throws: SternaError.self) {
                try await api.get("a") { $0.retriers += [asking("two", .deliver), asking("three", .retry())] }
            }
        }
        expectEqual(mock.requests.count, 4)
        expectEqual(
            asked.withLock { $0 },
            [
                "one 0 -", "one 1 connectionClosed", "one 2 connectionClosed", "one 0 -", "two 0 -",
            ])
    }

    @Test("A retrier fails a call with an error of its own, in a session that retries nothing, too")
    func failing() async throws {
        let (api, mock) = try scene.make({ $0.retry = .none }) { _, _ in .json([:], status: 500) }
        let error = try await scene.run {
            await #expect(throws: SternaError.self) {
                try await api.get("a") { $0.retriers = [Asking { _, _, _ in .fail(Refusal()) }] }
            }
        }
        expectEqual(error?.kind, .interceptorFailed)
        #expect(error?.underlying is Refusal)
        expectEqual(mock.requests.count, 1)
    }

    @Test("A retrier that never ends is ended by the budget")
    func endless() async throws {
        let (api, mock) = try scene.make({
            $0.retriers = [Asking { _, _, _ in .retry() }]
            $0.retry.budget = RetryBudget(share: 0, floor: 5, window: .seconds(86_400))
        }) { _, _ in .json([:], status: 500) }
        let error = try await scene.run { await #expect(throws: SternaError.self) { try await api.get("a") } }
        expectEqual(error?.status, 500)
        expectEqual(mock.requests.count, 6)
    }

    @Test("Errors of other types are the retriers' alone")
    func foreign() async throws {
        let (api, mock) = try scene.make { _, number in
            guard number % 2 == 1 else { throw Refusal() }
            return .json([:])
        }
        _ = try await scene.run {
            await #expect(throws: SternaError.self) { try await api.get("a") }
        }
        expectEqual(mock.requests.count, 1)
        let status = try await scene.run {
            _ = try await api.get("b")
            return try await api.get("a") {
                $0.retriers = [
                    Asking { _, outcome, _ in
                        guard case .failure(let error) = outcome, error is Refusal else { return .undecided }
                        return .retry(after: .seconds(3))
                    }
                ]
            }.status
        }
        expectEqual(status, 200)
        expectEqual(mock.requests.count, 4)
    }
}
