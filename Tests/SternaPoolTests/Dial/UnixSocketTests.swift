import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Requests over a Unix domain socket.
@Suite("Unix domain sockets", .timeLimit(.minutes(5)))
struct UnixSocketTests {
    private func session(
        _ base: String, _ path: String, authority: CertificateAuthority? = nil,
        _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> Session {
        try DialScene.session(base, authority: authority) {
            $0.network.unixSocket = path
            configure(&$0)
        }
    }

    @Test(
        "A request goes to it with the URL's Host", arguments: ["http://api.test/v1", "http://api.test:81/v1"])
    func request(base: String) async throws {
        try await TestServer.withServer { server in
            try await UnixRelay.with(to: server.port) { relay in
                let api = try session(base, relay.path)
                for _ in 0..<3 { try await expectEqual(api.post("/post", body: .text("x")).status, 200) }
                let host = base.dropFirst(7).prefix { $0 != "/" }
                expectEqual(server.requests().map { $0.headers["Host"] }, Array(repeating: String(host), count: 3))
                expectEqual(relay.connections, 1)
            }
        }
    }

    @Test("https is spoken over it, with the URL's host in the handshake")
    func secure() async throws {
        let authority = try CertificateAuthority()
        let bundle = try authority.issue(hosts: ["api.test"])
        try await TestServer.withServer(.init(tls: bundle)) { server in
            try await UnixRelay.with(to: server.port) { relay in
                let reply = try await session("https://api.test", relay.path, authority: authority) {
                    $0.events.collectsMetrics = true
                }.get("get")
                expectEqual(reply.status, 200)
                expectEqual(reply.response.metrics?.attempts.first?.tlsVersion, "TLS 1.3")
                let other = try session("https://other.test", relay.path, authority: authority)
                await Wire.failure(.certificateRejected, .tls) { try await other.get("get") }
            }
        }
    }

    @Test("No name is resolved and no proxy used; the path is the remote address")
    func direct() async throws {
        try await TestServer.withServer { server in
            try await UnixRelay.with(to: server.port) { relay in
                let resolver = GivenResolver([])
                let proxy = try Proxy("http://127.0.0.1:1")
                let api = try Wire.session("http://api.test", engine: DialScene.engine(resolver)) {
                    $0.network.unixSocket = relay.path
                    $0.network.proxies = .proxy(proxy)
                    $0.events.collectsMetrics = true
                }
                let attempt = try #require(try await api.get("get").response.metrics?.attempts.first)
                expectEqual(attempt.remoteAddress, relay.path)
                #expect(attempt.connect != nil)
                expectNil(attempt.proxy)
                #expect(resolver.asked.isEmpty)
            }
        }
    }

    @Test("Two sockets do not share connections")
    func two() async throws {
        try await DialScene.withTwins { one, two in
            let engine = Wire.engine()
            try await UnixRelay.with(to: one.port) { relay in
                let api = try DialScene.session("http://127.0.0.2:\(two.port)", engine)
                try await expectEqual(api.get("get").status, 200)
                try await expectEqual(api.with { $0.network.unixSocket = relay.path }.get("get").status, 200)
                expectEqual(relay.connections, 1)
                expectEqual(one.requestCount, 1)
                expectEqual(two.requestCount, 1)
            }
        }
    }

    @Test("For a missing socket the request fails and names the path")
    func missing() async throws {
        let path = UnixRelay.freePath()
        let api = try session("http://api.test", path)
        let error = await Wire.failure(.connectionFailed, .connect) { try await api.get("get") }
        expectEqual(error?.detail.contains(path), true)
        expectEqual(error?.requestSent, false)
    }

    @Test("A file that is not a socket fails the request")
    func file() async throws {
        let file = try TestFile([1])
        let api = try session("http://api.test", file.path)
        await Wire.failure(.connectionFailed, .connect) { try await api.get("get") }
    }

    @Test("An impossible path fails the request", arguments: ["", "a\0b", String(repeating: "p", count: 200)])
    func impossible(path: String) async throws {
        let error = await #expect(throws: SternaError.self) {
            try await session("http://api.test", path).get("get")
        }
        expectEqual(error?.kind, .invalidURL)
        expectEqual(error?.phase, .prepare)
    }
}
