import SternaCore
import SternaTesting
import SternaTransport
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// Secure cookies of a server on this machine, over http.
@Suite("Cookies: servers on this machine", .timeLimit(.minutes(5)))
struct LoopbackCookieTests {
    private static let lines = [
        "a=1; Secure", "b=2; Secure; HttpOnly; SameSite=None; Path=/", "__Secure-c=3; Secure",
        "__Host-d=4; Secure; Path=/",
    ]

    private static let field = "a=1; b=2; __Secure-c=3; __Host-d=4"

    private func withServer(
        _ host: String = "127.0.0.1", _ body: (TestServer, CookieJar) async throws -> Void
    ) async throws {
        try await TestServer.withServer(TestServer.Options(host: host)) { server in
            server.route("GET", "/set") { _ in
                ServerResponse(headers: ServerHeaders(Self.lines.map { .init(name: "Set-Cookie", value: $0) }))
            }
            server.route("GET", "/get") { _ in ServerResponse() }
            server.route("GET", "/clear") { _ in
                ServerResponse(headers: ["Set-Cookie": "a=; Max-Age=0"])
            }
            try await body(server, CookieJar())
        }
    }

    private func session(
        _ jar: CookieJar, _ options: EngineOptions = EngineOptions(),
        _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> Session {
        try Session {
            $0.network.engine = Engine(options: options)
            $0.cookies.jar = jar
            configure(&$0)
        }
    }

    @Test(
        "Secure cookies of this machine are stored and sent back",
        arguments: [
            ("localhost", "127.0.0.1"), ("app.localhost", "127.0.0.1"), ("127.0.0.1", "127.0.0.1"), ("[::1]", "::1"),
        ])
    func kept(host: String, address: String) async throws {
        try await withServer(address) { server, jar in
            let api = try session(jar)
            let url = "http://\(host):\(server.port)"
            let reply = try await api.get("\(url)/set")
            expectEqual(reply.cookies.map(\.value), ["1", "2", "3", "4"])
            try await api.get("\(url)/get")
            expectEqual(server.requests().last?.headers["Cookie"], Self.field)
            try expectEqual(api.cookies(for: "\(url)/").count, 4)
            try expectEqual(jar.cookies(for: HTTPURL(url)).count, 4)
            // They belong to this host only.
            let other = host == "localhost" ? "127.0.0.1" : "localhost"
            try expectEqual(api.cookies(for: "http://\(other):\(server.port)/").count, 0)
            // A removal without Secure is accepted, as over TLS.
            try await api.get("\(url)/clear")
            try expectEqual(api.cookies(for: "\(url)/").count, 3)
            try expectEqual(jar.removeCookies(for: HTTPURL(url)), 3)
        }
    }

    @Test("Secure cookies are also sent with a cache and with shared transfers, which read the jar themselves")
    func policies() async throws {
        try await withServer { server, jar in
            let url = "http://localhost:\(server.port)"
            for number in 0..<2 {
                let api = try session(jar) {
                    if number == 0 { $0.cache.store = .memory() } else { $0.network.coalescesRequests = true }
                }
                try await api.get("\(url)/set")
                try await api.get("\(url)/get")
                expectEqual(server.requests().last?.headers["Cookie"], Self.field)
            }
        }
    }

    @Test("Through a proxy Secure cookies are neither sent nor stored")
    func proxy() async throws {
        try await withServer { server, jar in
            try await TestProxy.withProxy { proxy in
                let proxied = try Proxy(proxy.url)
                for choice in [ProxySettings.proxy(proxied), .each { _ in proxied }] {
                    let url = "http://localhost:\(server.port)"
                    let (direct, api) = (try session(jar), try session(jar) { $0.network.proxies = choice })
                    try await api.get("\(url)/set")
                    #expect(jar.cookies.isEmpty)
                    try await direct.get("\(url)/set")
                    try await api.get("\(url)/get")
                    expectNil(server.requests().last?.headers["Cookie"])
                    try expectEqual(api.cookies(for: "\(url)/").count, 0)
                    try await direct.get("\(url)/get")
                    expectEqual(server.requests().last?.headers["Cookie"], Self.field)
                    jar.removeAll()
                }
            }
        }
    }

    private struct Local: HostResolver {
        func resolve(_ host: String, _ families: AddressFamilies) async throws -> ResolvedHost {
            ResolvedHost([IPAddress("127.0.0.1")].compactMap(\.self))
        }
    }

    @Test("Other names of this machine, and a localhost that might be another machine, get no Secure cookies")
    func others() async throws {
        try await withServer { server, jar in
            var options = EngineOptions()
            options.resolver = Local()
            for host in ["localhost", "dev.test", "localhost.test"] {
                let api = try session(jar, options)
                try await api.get("http://\(host):\(server.port)/set")
                #expect(jar.cookies.isEmpty)
            }
            try await session(jar, options).get("http://127.0.0.1:\(server.port)/set")
            expectEqual(jar.cookies.count, 4)
        }
    }

    @Test("A program's own transport gets no Secure cookies, as its destination is unknown")
    func ownTransport() async throws {
        let mock = MockTransport(responses: [.json([:])])
        let (api, _) = try mocked(nil, by: mock) { $0.cookies.jar = CookieJar() }
        let jar = try #require(api.plan.settings.cookies.jar)
        try jar.set(Cookie(name: "a", value: "1", domain: "localhost", isSecure: true))
        try await api.get("http://localhost/")
        expectNil(mock.requests.last?.headers[.cookie])
    }
}
