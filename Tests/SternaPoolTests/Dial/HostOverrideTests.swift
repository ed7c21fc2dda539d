import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Addresses in place of a name's, and the address that connections come from.
@Suite("Host overrides and source addresses", .timeLimit(.minutes(5)))
struct HostOverrideTests {
    @Test("A name's addresses are replaced only on its port, and names stay the URL's")
    func replaced() async throws {
        let authority = try CertificateAuthority()
        let bundle = try authority.issue(hosts: ["bird.test"])
        try await TestServer.withServer(.init(tls: bundle)) { server in
            let resolver = GivenResolver([])
            let engine = DialScene.engine(resolver) { $0.hostOverrides = ["bird.test:\(server.port)": ["127.0.0.1"]] }
            let api = try DialScene.session("https://BIRD.test:\(server.port)", engine, authority: authority)
            try await expectEqual(api.get("get").status, 200)
            expectEqual(server.requests().first?.headers["Host"], "bird.test:\(server.port)")
            #expect(resolver.asked.isEmpty)
            await Wire.failure(.hostNotFound, .resolve) { try await api.get("https://bird.test:1/") }
            await Wire.failure(.hostNotFound, .resolve) { try await api.get("https://a.bird.test:\(server.port)/") }
            expectEqual(resolver.asked, ["bird.test", "a.bird.test"])
        }
    }

    @Test("Several replacement addresses are tried in turn")
    func several() async throws {
        let closed = try ClosedPort()
        try await TestServer.withServer(.init(host: "127.0.0.2", port: closed.port)) { server in
            let engine = DialScene.engine {
                $0.hostOverrides = ["bird.test:\(server.port)": ["127.0.0.1", "[::1]", "127.0.0.2"]]
            }
            let api = try DialScene.session("http://bird.test:\(server.port)", engine)
            try await expectEqual(api.get("get").status, 200)
        }
        withExtendedLifetime(closed) {}
    }

    @Test("A replacement name is resolved")
    func alias() async throws {
        try await TestServer.withServer { server in
            let resolver = GivenResolver(["127.0.0.1"])
            let engine = DialScene.engine(resolver) { $0.hostOverrides = ["bird.test:\(server.port)": ["nest.test"]] }
            let api = try DialScene.session("http://bird.test:\(server.port)", engine)
            try await expectEqual(api.get("get").status, 200)
            expectEqual(resolver.asked, ["nest.test"])
        }
    }

    @Test("A port is replaced with or without the address; requests and certificates keep the URL's")
    func port() async throws {
        let authority = try CertificateAuthority()
        let bundle = try authority.issue(hosts: ["bird.test", "127.0.0.1"])
        try await TestServer.withServer(.init(tls: bundle)) { server in
            let engine = DialScene.engine(GivenResolver([])) {
                $0.hostOverrides = ["bird.test:443": ["127.0.0.1"]]
                $0.portOverrides = [
                    "bird.test:443": UInt16(server.port), "127.0.0.1:8": UInt16(server.port),
                    "127.0.0.1:\(server.port)": 9,
                ]
            }
            let api = try DialScene.session("https://BIRD.test", engine, authority: authority) {
                $0.events.collectsMetrics = true
            }
            let reply = try await api.get("get")
            expectEqual(reply.status, 200)
            expectEqual(reply.response.metrics?.attempts.first?.remoteAddress, "127.0.0.1:\(server.port)")
            try await expectEqual(api.get("https://127.0.0.1:8/get").status, 200)
            expectEqual(server.requests().map { $0.headers["Host"] }, ["bird.test", "127.0.0.1:8"])
            // The port is replaced once, and the error names the one that was tried.
            let error = await Wire.failure(.connectionFailed, .connect) {
                try await api.get("https://127.0.0.1:\(server.port)/")
            }
            expectEqual(error?.detail.contains("port 9"), true, "\(error?.detail ?? "")")
        }
    }

    @Test("A cookie for https goes to another port of this machine only by the rules of the URL's host")
    func cookies() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/set") { _ in ServerResponse(headers: ["Set-Cookie": "a=b; Secure"]) }
            let engine = DialScene.engine {
                $0.hostOverrides = ["bird.test:80": ["127.0.0.1"]]
                $0.portOverrides = ["bird.test:80": UInt16(server.port), "localhost:80": UInt16(server.port)]
            }
            for (host, isKept) in [("bird.test", false), ("localhost", true)] {
                let api = try DialScene.session("http://\(host)", engine) { $0.cookies.jar = CookieJar() }
                _ = try await api.get("set")
                _ = try await api.get("get")
                expectEqual(server.requests().last?.headers["Host"], host)
                expectEqual(server.requests().last?.headers["Cookie"], isKept ? "a=b" : nil)
            }
        }
    }

    @Test("Connections come from the source address that was set")
    func source() async throws {
        try await TestServer.withServer { server in
            let engine = DialScene.engine { $0.sourceAddress = IPAddress("127.0.0.2") }
            let reply = try await DialScene.session(server.url, engine) { $0.events.collectsMetrics = true }.get("ip")
            try await expectEqual(reply.json()["origin"], "127.0.0.2")
            let local = reply.response.metrics?.attempts.first?.localAddress
            expectEqual(local?.hasPrefix("127.0.0.2:"), true)
            let usual = try await DialScene.session(server.url).get("ip")
            try await expectEqual(usual.json()["origin"], "127.0.0.1")
        }
    }

    @Test("A source address that this machine does not have fails the connection")
    func foreignSource() async throws {
        try await TestServer.withServer { server in
            let engine = DialScene.engine { $0.sourceAddress = IPAddress("192.0.2.77") }
            let api = try DialScene.session(server.url, engine)
            await Wire.failure(.connectionFailed, .connect) { try await api.get("ip") }
            expectEqual(server.totalConnections, 0)
        }
    }
}
