import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// Each thing that can be wrong has an error of its own, with its phase, within its time-out, and leaves no connection.
@Suite("Bad input and bad servers")
struct BadInputTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var path: String
        var kind: SternaError.Kind
        var phase: SternaError.Phase
        var testDescription: String { path }
    }

    @Test(
        "A server that misbehaves",
        arguments: [
            Row(path: "/fault/close", kind: .connectionClosed, phase: .wait),
            Row(path: "/fault/reset", kind: .connectionClosed, phase: .wait),
            Row(path: "/fault/close-half", kind: .truncated, phase: .read),
            Row(path: "/fault/never", kind: .timedOut, phase: .wait),
            Row(path: "/fault/stall", kind: .timedOut, phase: .read),
            Row(path: "/fault/garbage", kind: .malformedResponse, phase: .read),
            Row(path: "/fault/endless-head", kind: .limitExceeded, phase: .read),
            Row(path: "/fault/both-lengths", kind: .malformedResponse, phase: .read),
            Row(path: "/fault/bad-chunk", kind: .malformedResponse, phase: .read),
        ], [false, true])
    func faults(row: Row, secure: Bool) async throws {
        let authority = try CertificateAuthority()
        var options = TestServer.Options()
        if secure { options.tls = try authority.issue(CertificateOptions(hosts: ["localhost"])) }
        try await TestServer.withServer(options) { server in
            let api = try Session(baseURL: server.url) {
                $0.network.engine = Engine()
                $0.retry = .none
                // Only what is waited for in vain is short: the machine may be busy with other tests.
                $0.timeout = .seconds(50)
                if row.path == "/fault/never" { $0.timeouts.firstByte = .milliseconds(400) }
                if row.path == "/fault/stall" { $0.timeouts.betweenBytes = .milliseconds(400) }
                $0.trust.policy = .authority(pem: authority.pem)
            }
            let clock = ContinuousClock()
            let start = clock.now
            let error = await #expect(throws: SternaError.self) { try await api.get(row.path) }
            #expect(clock.now - start < .seconds(30))
            expectEqual(error?.kind, row.kind)
            expectEqual(error?.phase, row.phase)
            expectEqual(error?.method, .get)
            expectEqual(error?.url?.hasSuffix(row.path), true)
            expectEqual(error?.requestSent, true)
            try await server.waitForOpenConnections(0, within: 60)
        }
    }

    @Test(
        "Addresses that are none",
        arguments: [
            "", "http://", "ftp://example.com/", "http://exa mple.com/", "http://[::1", "http://example.com:99999/",
            "http://256.1.1.1/", "relative/path", "wss://example.com/",
        ])
    func addresses(text: String) async throws {
        let error = await #expect(throws: SternaError.self) { try await Session.shared.get(text) }
        expectEqual(error?.kind, .invalidURL)
        expectEqual(error?.phase, .prepare)
        expectEqual(error?.requestSent, false)
    }

    @Test("A closed port")
    func closedPort() async throws {
        let closed = try ClosedPort()
        let api = try Session {
            $0.network.engine = Engine()
            $0.retry = .none
        }
        let error = await #expect(throws: SternaError.self) { try await api.get("http://127.0.0.1:\(closed.port)/") }
        expectEqual(error?.kind, .connectionFailed)
        expectEqual(error?.phase, .connect)
        expectEqual(error?.description.contains("refused"), true)
    }

    @Test("An unknown host")
    func unknownHost() async throws {
        let api = try Session { $0.network.engine = Engine() }
        let error = await #expect(throws: SternaError.self) { try await api.get("http://no-such-host.invalid/") }
        expectEqual(error?.kind, .hostNotFound)
        expectEqual(error?.phase, .resolve)
    }

    @Test("A missing file, and a folder", arguments: ["/nonexistent/file", "/"])
    func files(path: String) async throws {
        let error = #expect(throws: SternaError.self) { try Body.file(path) }
        expectEqual(error?.kind, .fileUnreadable)
        expectEqual(error?.phase, .prepare)
    }

    @Test("Field values with line ends or control characters", arguments: ["a\r\nb: c", "a\nb", "\u{0}", "a\u{7F}"])
    func headers(value: String) async throws {
        try await TestServer.withServer { server in
            let api = try Session(baseURL: server.url) { $0.network.engine = Engine() }
            let error = await #expect(throws: SternaError.self) { try await api.get("get", headers: ["X-Test": value]) }
            expectEqual(error?.kind, .invalidHeader)
            expectEqual(server.totalConnections, 0)
        }
    }

    @Test(
        "Names and values that an interceptor sets, over HTTP/1.1 and HTTP/2",
        arguments: [("X-Test", "a\nb"), ("te", "\u{0}"), ("not a name", "1")], [false, true])
    func interceptors(field: (name: String, value: String), speaksHTTP2: Bool) async throws {
        struct Stamp: Interceptor {
            let name: String
            let value: String

            nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
                var request = request
                request.headers[name] = value
                return try await next(request)
            }
        }
        let options = TestServer.Options(http2: speaksHTTP2 ? .byPriorKnowledge : [])
        try await TestServer.withServer(options) { server in
            let api = try Session(baseURL: server.url) {
                $0.network.engine = Engine()
                if speaksHTTP2 { $0.network.http2 = .priorKnowledge }
                $0.networkInterceptors = [Stamp(name: field.name, value: field.value)]
            }
            let error = await #expect(throws: SternaError.self) { try await api.get("get") }
            expectEqual(error?.kind, .invalidHeader)
            #expect(error?.message.contains(field.name) == true)
            expectEqual(server.requestCount, 0)
            // The engine serves the next request.
            try await expectEqual(api.with { $0.networkInterceptors = [] }.get("get").status, 200)
        }
    }
}
