import Dispatch
import Sterna
import SternaCore
import SternaTesting
import Synchronization
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Authentication: decisions of tasks", .timeLimit(.minutes(5)))
struct ChallengeDecisionTests {
    private static let ada = AuthenticationSessionTests.ada

    private final class Watcher: Sendable {
        private let log = EventLog(.tasks)

        var observer: EventObserver { log.observer }

        private var lines: [String] {
            log.events.compactMap { event in
                guard case .challengeReceived(let challenge) = event.kind else { return nil }
                return "\(challenge.previousFailures) \(challenge.disposition)"
            }
        }

        /// Waits for events, which may come after the task's value.
        func expect(_ expected: [String], _ location: SourceLocation = #_sourceLocation) async {
            _ = await eventually { lines.count >= expected.count }
            expectEqual(lines, expected, sourceLocation: location)
        }
    }

    private func session(
        _ mock: MockTransport, _ watcher: Watcher,
        _ answer: @escaping @Sendable (CredentialChallenge) -> ChallengeDisposition
    ) throws -> Session {
        try mocked("https://a.test/", by: mock) {
            $0.callbacks = .queue(DispatchQueue(label: "decisions"))
            $0.tasks.decisions = TaskDecisions()
            $0.tasks.decisions?.challengeReceived = { _, challenge in answer(challenge) }
            $0.events.observers = [watcher.observer]
        }.api
    }

    @Test("A task's closure answers, sees the failures before, and its decision is an event") func answers()
        async throws
    {
        let watcher = Watcher()
        let mock = AuthenticationSessionTests.server().mock
        let api = try session(mock, watcher) {
            .use($0.previousFailures == 0 ? AuthenticationSessionTests.bob : Self.ada)
        }
        _ = try await api.dataTask(.get("a")).value
        expectEqual(mock.requests.count, 3)
        await watcher.expect(["0 credential", "1 credential"])
        // From then on it is known.
        _ = try await api.dataTask(.get("a")).value
        expectEqual(mock.requests.count, 4)
    }

    @Test("A task's closure can cancel, fail, or leave the decision to the session's handler", arguments: 0..<3)
    func decisions(index: Int) async throws {
        struct Broken: Error {}
        let watcher = Watcher()
        let mock = AuthenticationSessionTests.server().mock
        let api = try session(mock, watcher) { _ in [.cancel, .fail(Broken()), .useDefault][index] }
        guard index < 2 else {
            _ = try await api.with { $0.auth.challengeHandler = { _ in .use(Self.ada) } }.dataTask(.get("a")).value
            await watcher.expect(["0 credential"])
            return
        }
        let error = await #expect(throws: SternaError.self) { _ = try await api.dataTask(.get("a")).value }
        expectEqual(error?.kind, (index == 0 ? .cancelled : .authenticationFailed))
        expectEqual(mock.requests.count, 1)
        await watcher.expect([index == 0 ? "0 cancel" : "0 fail"])
    }

    @Test("A body that can be read only once is made again by needNewBody") func newBody() async throws {
        let mock = AuthenticationSessionTests.server().mock
        let api = try session(mock, Watcher()) { _ in .use(Self.ada) }.with {
            $0.tasks.decisions?.needNewBody = { _, _ in .bytes(Array("again".utf8)) }
        }
        let body = Body.stream(AsyncStream<Bytes> { $0.finish() })
        _ = try await api.dataTask(RequestDraft(.post, "a", body: body)).value
        expectEqual(mock.requests.count, 2)
        expectEqual(mock.requests.last?.givenText, "again")
    }

    @Test(
        "A call does not wait for a handler that never answers once it is cancelled, or its session is",
        arguments: [false, true])
    func cancellation(bySession: Bool) async throws {
        let (asked, begin) = AsyncStream<Void>.makeStream()
        let (api, _) = try mocked("https://a.test/", by: AuthenticationSessionTests.server().mock) {
            $0.auth.challengeHandler = { _ in
                begin.yield()
                try await Task.sleep(for: .seconds(3_600))
                return .useDefault
            }
        }
        let call = Task { try await api.get("a") }
        var moments = asked.makeAsyncIterator()
        await moments.next()
        if bySession { api.invalidateAndCancel() } else { call.cancel() }
        let error = await #expect(throws: SternaError.self) { try await call.value }
        expectEqual(error?.kind, .cancelled)
    }

    @Test("The deadline holds while a handler is asked") func deadline() async throws {
        let (api, _) = try mocked("https://a.test/", by: AuthenticationSessionTests.server().mock) {
            $0.timeouts.total = .milliseconds(100)
            $0.auth.challengeHandler = { _ in
                try await Task.sleep(for: .seconds(3_600))
                return .useDefault
            }
        }
        let error = await #expect(throws: SternaError.self) { try await api.get("a") }
        expectEqual(error?.kind, .timedOut)
    }

    @Test("The deadline holds while a body is read to be hashed") func hashing() async throws {
        let challenge = "Digest realm=\"x\", qop=\"auth-int\", nonce=\"n\", algorithm=SHA-256"
        let server = GuardedMock([challenge]) { _ in false }
        let (api, mock) = try mocked("https://a.test/", by: server.mock) {
            $0.timeouts.total = .milliseconds(100)
            $0.auth.credential = Self.ada
        }
        let body = Body.stream {
            {
                try await Task.sleep(for: .seconds(3_600))
                return nil
            }
        }
        let error = await #expect(throws: SternaError.self) { try await api.put("a", body: body) }
        expectEqual(error?.kind, .timedOut)
        #expect(mock.requests.count < 2)
    }
}
