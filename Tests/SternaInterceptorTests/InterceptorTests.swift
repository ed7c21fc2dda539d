import HTTPTypes
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

@Suite("Network interceptors")
struct InterceptorTests {
    /// Notes what goes down and comes up.
    private final class Log: Sendable {
        private let lines = Mutex<[String]>([])
        func add(_ line: String) { lines.withLock { $0.append(line) } }
        var all: [String] { lines.withLock { $0 } }
    }

    private struct Noting: Interceptor {
        var name: String
        var log: Log

        func intercept(_ request: Request, next: Chain) async throws -> Response {
            log.add("\(name)> \(request.method.rawValue) \(request.url.path)")
            let response = try await next(request)
            log.add("\(name)< \(response.status.code)")
            return response
        }
    }

    @Test("The first is outermost, and each sees every redirect")
    func order() async throws {
        let log = Log()
        let mock = MockTransport(responses: [.redirect(to: "/b", status: 303), .json([:])])
        let (api, _) = try mocked(by: mock) {
            $0.networkInterceptors = [Noting(name: "one", log: log), Noting(name: "two", log: log)]
        }
        try await api.post("a")
        expectEqual(
            log.all,
            [
                "one> POST /v1/a", "two> POST /v1/a", "two< 303", "one< 303",
                "one> GET /b", "two> GET /b", "two< 200", "one< 200",
            ])
    }

    /// Notes whether it runs on an actor, before and after what is below it.
    private struct Watching: Interceptor {
        var log: Log
        var home: any Actor

        nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
            log.add(#isolation === home ? "down, at home" : "down, elsewhere")
            let response = try await next(request)
            log.add(#isolation === home ? "up, at home" : "up, elsewhere")
            return response
        }
    }

    @Test("Interceptors run on the caller's actor") @MainActor
    func home() async throws {
        let log = Log()
        let (api, _) = try mocked { $0.networkInterceptors = [Watching(log: log, home: MainActor.shared)] }
        try await api.get("a")
        try await api.send(RequestDraft(.get, "b"))
        expectEqual(log.all, ["down, at home", "up, at home", "down, at home", "up, at home"])
    }

    @Test("A request can be changed on its way down, a response on its way up")
    func changing() async throws {
        let name = try #require(HTTPField.Name("X-Signed"))
        let (api, mock) = try mocked {
            $0.networkInterceptors = [
                Doing { request, next in
                    var signed = request
                    signed.headers[name] = "yes"
                    var response = try await next(signed)
                    response.status = .init(code: 201)
                    response.headers[name] = "seen"
                    return response
                }
            ]
        }
        let reply = try await api.get("a")
        expectEqual(mock.requests.first?.headers[name], "yes")
        expectEqual(reply.status, 201)
        expectEqual(reply.headers[name], "seen")
    }

    @Test("An interceptor sees the request as it is sent, and the body still coded")
    func lowLevel() async throws {
        let coded = Bytes(copying: Zlib.gzip("[1]"))
        let seen = Mutex<[String]>([])
        let (api, _) = try mocked(
            by: MockTransport { _ in
                .init(
                    headers: ["Content-Type": "application/json", "Content-Encoding": "gzip"], body: ResponseBody(coded)
                )
            }
        ) {
            $0.networkInterceptors = [
                Doing { request, next in
                    let response = try await next(request)
                    let lines: [String] = [
                        request.headers[.acceptEncoding] ?? "", request.headers[.userAgent] ?? "",
                        response[.contentEncoding] ?? "", String(response.body.whole == coded),
                    ]
                    seen.withLock { $0 = lines }
                    return response
                }
            ]
        }
        try await expectEqual(api.get("a").json()[0].int, 1)
        let lines = seen.withLock { $0 }
        #expect(lines[0].contains("gzip"))
        #expect(lines[1].hasPrefix("Sterna/"))
        expectEqual(lines[2...], ["gzip", "true"])
    }

    @Test("An interceptor that returns its own response does not call the rest of the chain")
    func shortCircuit() async throws {
        let log = Log()
        let (api, mock) = try mocked {
            $0.networkInterceptors = [
                Noting(name: "above", log: log),
                Doing { request, _ in
                    Response(status: .accepted, body: ResponseBody(Bytes(text: "own")), url: request.url)
                },
                Noting(name: "below", log: log),
            ]
        }
        let reply = try await api.get("a")
        expectEqual(reply.status, 202)
        try await expectEqual(reply.text(), "own")
        #expect(mock.requests.isEmpty)
        expectEqual(log.all, ["above> GET /v1/a", "above< 202"])
    }

    @Test("An interceptor's error reaches the caller as a SternaError with its cause, URL and method")
    func throwing() async throws {
        struct Broken: Error {}
        let (api, mock) = try mocked { $0.networkInterceptors = [Doing { _, _ in throw Broken() }] }
        let error = await #expect(throws: SternaError.self) { try await api.get("a") }
        #expect(error?.underlying is Broken)
        #expect(error?.url == "https://api.example.com/v1/a")
        expectEqual(error?.method, .get)
        #expect(mock.requests.isEmpty)
        let streamed = await #expect(throws: SternaError.self) { try await api.withResponse(to: .get("a")) { _ in } }
        #expect(streamed?.underlying is Broken)
    }

    @Test("Cancellation thrown by one is cancellation")
    func cancelling() async throws {
        let (api, _) = try mocked { $0.networkInterceptors = [Doing { _, _ in throw CancellationError() }] }
        let error = await #expect(throws: SternaError.self) { try await api.get("a") }
        expectEqual(error?.kind, .cancelled)
    }

    @Test("Asking twice sends twice")
    func twice() async throws {
        let (api, mock) = try mocked {
            $0.networkInterceptors = [
                Doing { request, next in
                    _ = try await next(request)
                    return try await next(request)
                }
            ]
        }
        try await api.get("a")
        expectEqual(mock.requests.count, 2)
    }

    @Test("A derived session's interceptors are its own")
    func derived() async throws {
        let log = Log()
        let (api, _) = try mocked()
        try await api.with { $0.networkInterceptors.append(Noting(name: "x", log: log)) }.get("a")
        try await api.get("b")
        expectEqual(log.all, ["x> GET /v1/a", "x< 200"])
    }
}
