import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// What a request took that failed, on its error.
@Suite("Metrics on errors", .timeLimit(.minutes(5)))
struct ErrorMetricsTests {
    /// The only attempt of a request that fails.
    private func failed(
        _ url: String, _ kind: SternaError.Kind, _ engine: Engine = Wire.engine(),
        authority: CertificateAuthority? = nil, location: SourceLocation = #_sourceLocation,
        _ configure: (inout SessionSettings) -> Void = { _ in }
    ) async throws -> AttemptMetrics {
        let api = try DialScene.session(url, engine, authority: authority) {
            $0.events.collectsMetrics = true
            configure(&$0)
        }
        let error = await #expect(throws: SternaError.self, sourceLocation: location) { try await api.get("a") }
        expectEqual(error?.kind, kind, sourceLocation: location)
        let metrics = try #require(error?.metrics, sourceLocation: location)
        MetricsCheck.expectOrder(metrics, location: location)
        expectEqual(metrics.attempts.count, 1, sourceLocation: location)
        let attempt = try #require(metrics.attempts.first, sourceLocation: location)
        expectEqual(attempt.failure, kind, sourceLocation: location)
        return attempt
    }

    @Test("For a host that is not found the look-up is recorded")
    func resolve() async throws {
        let attempt = try await failed("http://a.test", .hostNotFound, DialScene.engine(GivenResolver([])))
        #expect(attempt.resolve != nil)
        expectNil(attempt.connect)
        expectNil(attempt.status)
        expectEqual(attempt.bytesSent, 0)
    }

    @Test("For a port that refuses the connection attempt is recorded")
    func connect() async throws {
        let closed = try ClosedPort()
        let attempt = try await failed("http://127.0.0.1:\(closed.port)", .connectionFailed)
        expectEqual(MetricsCheck.names(attempt), ["queue", "resolve", "connect"])
        withExtendedLifetime(closed) {}
    }

    @Test("For an untrusted certificate the handshake is recorded")
    func tls() async throws {
        let other = try CertificateAuthority()
        try await TestServer.withServer(.init(tls: try CertificateAuthority().issue(hosts: ["localhost"]))) { server in
            let attempt = try await failed(server.url, .certificateRejected, authority: other)
            expectEqual(MetricsCheck.names(attempt), ["queue", "resolve", "connect", "TLS"])
            expectEqual(attempt.remoteAddress, "127.0.0.1:\(server.port)")
        }
    }

    @Test("For a proxy that refuses the proxy's phase is recorded")
    func proxy() async throws {
        try await ProxyScene.with(.http, options: .guarded) { scene in
            let api = try scene.session(scene.proxy.url) { $0.events.collectsMetrics = true }
            let error = await #expect(throws: SternaError.self) { try await api.get(scene.url("/get")) }
            let attempt = try #require(error?.metrics?.attempts.first)
            expectEqual(attempt.failure, .proxyFailed)
            expectEqual(MetricsCheck.names(attempt), ["queue", "resolve", "connect", "proxy"])
        }
    }

    @Test(
        "For a broken response the phases up to the fault are recorded",
        arguments: [
            ("", SternaError.Kind.connectionClosed, nil), ("HTTP/1.1 2", .truncated, nil),
            ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", .truncated, 200),
            ("nonsense", .malformedResponse, nil),
        ] as [(String, SternaError.Kind, Int?)])
    func broken(text: String, kind: SternaError.Kind, status: Int?) async throws {
        try await ScriptedServer.withServer(connections: [[.receiveHead, .send(text), .close]]) { server in
            let attempt = try await failed(server.url, kind)
            #expect(MetricsCheck.names(attempt).starts(with: ["queue", "resolve", "connect", "write"]))
            expectEqual(attempt.status, status)
            expectEqual(attempt.bytesSent, Int64(server.received(connection: 0).count))
            expectEqual(attempt.bytesReceived, Int64(text.utf8.count))
            // What the connection took is not the queue's.
            #expect(try #require(attempt.queue).end <= #require(attempt.resolve).start)
        }
    }

    @Test("A response that breaks while a caller streams it")
    func streamed() async throws {
        let script: [ScriptedServer.Step] = [
            .receiveHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .close,
        ]
        try await ScriptedServer.withServer(connections: [script]) { server in
            let api = try DialScene.session(server.url) { $0.events.collectsMetrics = true }
            let error = await Wire.failure(.truncated, .read) {
                try await api.withResponse(to: .get("a")) { for try await _ in $0.body {} }
            }
            expectEqual(error?.metrics?.attempts.map(\.failure), [.truncated])
        }
    }

    @Test("A status that is not accepted is not a failure of the network")
    func status() async throws {
        try await TestServer.withServer { server in
            let api = try DialScene.session(server.url) { $0.events.collectsMetrics = true }
            let error = await #expect(throws: SternaError.self) { try await api.get("status/404") }
            let metrics = try #require(error?.metrics)
            MetricsCheck.expectOrder(metrics)
            expectEqual(metrics.attempts.map(\.status), [404])
            expectNil(metrics.attempts.first?.failure)
            #expect(metrics.attempts.first?.read != nil)
        }
    }

    @Test("Cancelling while waiting for the response")
    func cancelled() async throws {
        try await ScriptedServer.withServer(connections: [[.receiveHead, .hang]]) { server in
            let api = try DialScene.session(server.url) { $0.events.collectsMetrics = true }
            let task = Task { try await api.get("a") }
            #expect(await server.waitForReceived(10, connection: 0, within: 60))
            task.cancel()
            let error = await Wire.failure(.cancelled, .wait) { _ = try await task.value }
            expectEqual(error?.metrics?.attempts.map(\.failure), [.cancelled])
        }
    }

    @Test("The attempt that failed after redirects is the last")
    func afterRedirect() async throws {
        let closed = try ClosedPort()
        try await TestServer.withServer { server in
            server.route("GET", "/away") { _ in .redirect(to: "http://127.0.0.1:\(closed.port)/") }
            let api = try DialScene.session(server.url) { $0.events.collectsMetrics = true }
            let error = await #expect(throws: SternaError.self) { try await api.get("away") }
            let metrics = try #require(error?.metrics)
            expectEqual(metrics.attempts.map(\.reason), [.first, .redirect])
            expectEqual(metrics.attempts.map(\.failure), [nil, .connectionFailed])
            MetricsCheck.expectOrder(metrics)
        }
    }
}
