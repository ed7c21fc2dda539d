import Dispatch
import Foundation
import HTTPTypes
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

/// What a caller sees of an error that an interceptor throws.
@Suite("Errors of interceptors", .timeLimit(.minutes(5)))
struct InterceptorErrorTests {
    private struct Broken: Error, Equatable { var number = 1 }

    /// Where an interceptor stands.
    enum Place: CaseIterable { case application, network }

    private func session(
        _ place: Place, by mock: MockTransport = MockTransport { _ in .json([:]) },
        _ work: @escaping @Sendable (Request, Chain) async throws -> Response
    ) throws -> (api: Session, mock: MockTransport) {
        try mocked(by: mock) {
            $0.retry = .none
            switch place {
            case .application: $0.interceptors = [Doing(work)]
            case .network: $0.networkInterceptors = [Doing(work)]
            }
        }
    }

    private func failure(_ work: () async throws -> Void) async -> SternaError? {
        await #expect(throws: SternaError.self) { try await work() }
    }

    @Test("An error thrown before sending has the phase prepare, its cause and the request", arguments: Place.allCases)
    func before(place: Place) async throws {
        let (api, mock) = try session(place) { _, _ in throw Broken(number: 7) }
        let error = try #require(await failure { try await api.put("a?token=s3cret") })
        expectEqual(error.kind, .interceptorFailed)
        expectEqual(error.phase, .prepare)
        #expect(error.underlying as? Broken == Broken(number: 7))
        expectEqual(error.method, .put)
        #expect(error.url == "https://api.example.com/v1/a?token=***")
        expectNil(error.response)
        #expect(!error.requestSent)
        #expect(mock.requests.isEmpty)
        let streamed = await failure { try await api.withResponse(to: .get("a")) { _ in } }
        expectEqual(streamed?.kind, .interceptorFailed)
        #expect(streamed?.underlying is Broken)
    }

    @Test("An error thrown after a response has the phase read, and the response's head", arguments: Place.allCases)
    func after(place: Place) async throws {
        let (api, _) = try session(place, by: MockTransport { _ in .json(["a": 1], status: 207) }) { request, next in
            _ = try await next(request)
            throw Broken()
        }
        let error = try #require(await failure { try await api.get("a") })
        expectEqual(error.kind, .interceptorFailed)
        expectEqual(error.phase, .read)
        expectEqual(error.status, 207)
        expectEqual(error.response?.headers[.contentType], "application/json")
        #expect(error.requestSent)
        #expect(error.url == "https://api.example.com/v1/a")
    }

    @Test("An error in place of a network error has that error's phase and attempt", arguments: Place.allCases)
    func mapped(place: Place) async throws {
        var cause = SternaError(.connectionFailed, phase: .connect, "No.")
        cause.attempt = 2
        let mock = MockTransport { [cause] _ in throw cause }
        let (api, _) = try session(place, by: mock) { request, next in
            do { return try await next(request) } catch { throw Broken() }
        }
        let error = try #require(await failure { try await api.get("a") })
        expectEqual(error.kind, .interceptorFailed)
        expectEqual(error.phase, .connect)
        expectEqual(error.attempt, 2)
        #expect(!error.requestSent)
        #expect(error.underlying is Broken)
    }

    @Test("A network interceptor that rejects a redirect's target fails with that request, unsent")
    func redirected() async throws {
        let mock = MockTransport(responses: [.redirect(to: "/b"), .json([:])])
        let (api, _) = try session(.network, by: mock) { request, next in
            guard request.url.path != "/b" else { throw Broken() }
            return try await next(request)
        }
        let error = try #require(await failure { try await api.get("a") })
        expectEqual(error.phase, .prepare)
        #expect(error.url == "https://api.example.com/b")
        expectNil(error.response)
        #expect(!error.requestSent)
        expectEqual(error.redirects.map(\.status), [302])
        expectEqual(mock.requests.count, 1)
    }

    @Test("An application interceptor that fails after redirects has their response")
    func behindRedirects() async throws {
        let mock = MockTransport(responses: [.redirect(to: "/b"), .json([:], status: 201)])
        let (api, _) = try session(.application, by: mock) { request, next in
            _ = try await next(request)
            throw Broken()
        }
        let error = try #require(await failure { try await api.get("a") })
        expectEqual(error.status, 201)
        expectEqual(error.redirects.count, 1)
        expectEqual(error.phase, .read)
    }

    @Test("An interceptor above receives the error as it was thrown")
    func between() async throws {
        let seen = Mutex<[Int]>([])
        let (api, _) = try mocked {
            $0.interceptors = [
                Doing { request, next in
                    do {
                        return try await next(request)
                    } catch let error as Broken {
                        seen.withLock { $0.append(error.number) }
                        return Response(status: .noContent, url: request.url)
                    }
                }
            ]
            $0.networkInterceptors = [Doing { _, _ in throw Broken(number: 3) }]
        }
        try await expectEqual(api.get("a").status, 204)
        expectEqual(seen.withLock { $0 }, [3])
    }

    @Test("An error thrown after a second attempt has that attempt's response")
    func again() async throws {
        let mock = MockTransport(responses: [.json([:], status: 503), .json([:], status: 201)])
        let (api, _) = try session(.application, by: mock) { request, next in
            _ = try await next(request)
            _ = try await next(request)
            throw Broken()
        }
        await expectEqual(failure { try await api.get("a") }?.status, 201)
    }

    @Test("CancellationError is cancellation, in the phase where it was thrown", arguments: Place.allCases)
    func cancelled(place: Place) async throws {
        let (early, _) = try session(place) { _, _ in throw CancellationError() }
        let (late, _) = try session(place) { request, next in
            _ = try await next(request)
            throw CancellationError()
        }
        let first = await failure { try await early.get("a") }
        expectEqual(first?.kind, .cancelled)
        expectEqual(first?.phase, .prepare)
        expectNil(first?.underlying)
        let second = await failure { try await late.get("a") }
        expectEqual(second?.kind, .cancelled)
        expectEqual(second?.phase, .read)
        expectEqual(second?.status, 200)
    }

    @Test("A SternaError passes unchanged", arguments: Place.allCases)
    func own(place: Place) async throws {
        var own = SternaError(.unacceptableResponse, phase: .decode, "Not signed.", underlying: Broken())
        own.serverMessage = "no"
        let (api, _) = try session(place) { [own] request, next in
            _ = try await next(request)
            throw own
        }
        let error = try #require(await failure { try await api.get("a") })
        expectEqual(error.kind, .unacceptableResponse)
        expectEqual(error.phase, .decode)
        expectEqual(error.detail, "Not signed.")
        expectEqual(error.serverMessage, "no")
        expectNil(error.response)
    }

    @Test("Callbacks receive the same errors, and a closure of withResponse keeps its own errors")
    func others() async throws {
        let (api, _) = try session(.application) { request, next in
            _ = try await next(request)
            throw Broken()
        }
        let log = CallbackLog<JSON>()
        api.with { $0.callbacks = .queue(.global()) }.get("a", success: log.onSuccess, failure: log.onFailure)
        await log.wait()
        expectEqual(log.errors.first?.kind, .interceptorFailed)
        expectEqual(log.errors.first?.phase, .read)
        let (plain, _) = try session(.application) { request, next in try await next(request) }
        await #expect(throws: Broken.self) { try await plain.withResponse(to: .get("a")) { _ in throw Broken() } }
    }

    @Test("Descriptions state what failed and why, without secrets")
    func words() async throws {
        let (api, _) = try session(.network) { _, _ in throw Broken(number: 4) }
        let error = try #require(await failure { try await api.get("a?token=s3cret") })
        expectEqual(error.localizedDescription, "An interceptor failed: Broken(number: 4)")
        #expect("\(error)" == "An interceptor failed: Broken(number: 4) [GET https://api.example.com/v1/a?token=***]")
        let shown = dumped(error)
        #expect(shown.contains("interceptorFailed"))
        #expect(shown.contains("underlying"))
        #expect(!shown.contains("s3cret"))
    }

    @Test("An error of the session's own transport is attributed to it, with interceptors and without")
    func transport() async throws {
        let mock = MockTransport { _ in throw Broken() }
        let plain = try mocked(by: mock).api
        let (traced, _) = try session(.application, by: mock) { request, next in try await next(request) }
        for api in [plain, traced] {
            let error = try #require(await failure { try await api.get("a") })
            expectEqual(error.kind, .interceptorFailed)
            expectEqual(error.phase, .wait)
            expectEqual(error.detail, "The session's transport failed: Broken(number: 1)")
            #expect(error.underlying is Broken)
        }
    }

    @Test("An interceptor that stops waiting for the server fails with the phase wait, and as sent")
    func gaveUp() async throws {
        try await TestServer.withServer { server in
            let api = try Session(baseURL: server.url) {
                $0.network.engine = Engine()
                $0.interceptors = [
                    Doing { request, next in
                        try await withThrowingTaskGroup(of: Response.self) { group in
                            group.addTask { try await next(request) }
                            group.addTask {
                                try await server.waitForRequests(1, within: 60)
                                throw Broken()
                            }
                            guard let response = try await group.next() else { throw Broken() }
                            return response
                        }
                    }
                ]
            }
            let error = try #require(await failure { try await api.get("fault/never") })
            expectEqual(error.kind, .interceptorFailed)
            expectEqual(error.phase, .wait)
            #expect(error.requestSent)
        }
    }
}
