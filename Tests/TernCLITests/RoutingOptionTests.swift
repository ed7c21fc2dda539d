import ArgumentParser
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// The route to a server: the settings that the options make, and requests of the built program.
@Suite("tern: routing", .timeLimit(.minutes(5)))
struct RoutingOptionTests {
    private func options(
        proxy: String? = nil, noproxy: String? = nil, unixSocket: String? = nil, ipv4: Bool = false, ipv6: Bool = false
    ) -> RoutingOptions {
        var options = RoutingOptions()
        options.proxyUser = nil
        (options.proxyDigest, options.proxyBasic, options.proxyAnyauth) = (false, false, false)
        options.proxy = proxy
        options.noproxy = noproxy
        options.unixSocket = unixSocket
        options.ipv4 = ipv4
        options.ipv6 = ipv6
        return options
    }

    private func proxy(
        _ settings: ProxySettings, _ url: String
    ) throws -> String? {
        try settings.proxy(for: HTTPURL(url)).map { "\($0.kind) \($0.host):\($0.port)" }
    }

    @Test(
        "--proxy names the proxy, or none",
        arguments: [
            ("http://p.test:3128", "http p.test:3128"), ("p.test:8080", "http p.test:8080"),
            ("socks5://p.test", "socks5 p.test:1080"), ("https://u:w@p.test", "https p.test:443"), ("none", nil),
            ("", nil),
        ] as [(String, String?)])
    func given(text: String, expected: String?) throws {
        let settings = try options(proxy: text, noproxy: "").proxies { ["http_proxy": "http://env.test"] }
        for url in ["http://a.test/", "https://a.test/"] { try expectEqual(proxy(settings, url), expected) }
    }

    @Test("--noproxy replaces the exceptions of --proxy and of the environment", arguments: [false, true])
    func exceptions(isGiven: Bool) throws {
        let options = options(proxy: isGiven ? "http://p.test:1" : nil, noproxy: "b.test, 10.0.0.0/8")
        let settings = try options.proxies {
            ["http_proxy": "http://p.test:1", "https_proxy": "http://p.test:1", "no_proxy": "a.test"]
        }
        for (url, isProxied) in [
            ("http://a.test/", true), ("http://b.test/", false), ("https://c.b.test/", false),
            ("http://10.1.2.3/", false),
            ("https://11.1.2.3/", true),
        ] {
            try expectEqual(proxy(settings, url), (isProxied ? "http p.test:1" : nil), "\(url)")
        }
    }

    @Test("Without --proxy and --noproxy the environment decides") func environment() throws {
        try expectEqual(options().proxies(), .environment)
    }

    @Test("An invalid proxy is an invalid URL", arguments: ["ftp://p.test", "http://", "http://p.test:99999"])
    func invalid(text: String) throws {
        let error = #expect(throws: SternaError.self) { _ = try options(proxy: text).proxies() }
        expectEqual(error?.kind, .invalidURL)
        expectEqual(error.map { ExitStatus.code(for: $0) }, 3)
    }

    @Test("-4 and -6 choose the address family and exclude each other; an empty socket path is refused")
    func others() throws {
        expectEqual(options().families, .any)
        expectEqual(options(ipv4: true).families, .ipv4)
        expectEqual(options(ipv6: true).families, .ipv6)
        #expect(throws: (any Error).self) { try options(ipv4: true, ipv6: true).validate() }
        #expect(throws: (any Error).self) { try options(unixSocket: "").validate() }
        try options(unixSocket: "/run/a.sock", ipv6: true).validate()
    }

    // MARK: By the program

    private func status(
        _ status: Int32, _ arguments: [String], environment: [String: String] = [:],
        location: SourceLocation = #_sourceLocation
    ) async throws -> TernProcess.Outcome {
        let outcome = try await TernProcess(arguments, environment: environment).outcome()
        expectEqual(outcome.status, status, "\(arguments): \(outcome.errors)", sourceLocation: location)
        return outcome
    }

    @Test("--proxy and -x send requests through the proxy; none and --noproxy do not")
    func program() async throws {
        let closed = try ClosedPort()
        let dead = "http://127.0.0.1:\(closed.port)"
        try await TestServer.withServer { server in
            try await TestProxy.withProxy(.init(routes: ["a.test:80": server.port])) { proxy in
                for flag in ["--proxy", "-x"] { _ = try await status(0, [flag, proxy.url, "http://a.test/get"]) }
                expectEqual(proxy.totalConnections, 2)
                expectEqual(server.requestCount, 2)
                let failed = try await status(7, ["--proxy", dead, server.url("/get")])
                #expect(failed.errors.contains("proxy"))
                _ = try await status(0, ["--proxy", dead, "--noproxy", "127.0.0.0/8", server.url("/get")])
                _ = try await status(0, ["--proxy", dead, "--noproxy", "*", server.url("/get")])
                let environment = ["http_proxy": proxy.url, "no_proxy": "", "NO_PROXY": ""]
                _ = try await status(0, ["http://a.test/get"], environment: environment)
                expectEqual(proxy.totalConnections, 3)
                _ = try await status(
                    6, ["--proxy", "none", "--resolve", "x.test:80:127.0.0.1", "http://a.invalid/"],
                    environment: environment)
                expectEqual(proxy.totalConnections, 3)
            }
        }
        withExtendedLifetime(closed) {}
    }

    /// Returns the schemes of Proxy-Authorization that `tern` sends to a proxy, nil for none.
    private func sent(_ arguments: [String], to options: TestProxy.Options) async throws -> [String?] {
        try await TestServer.withServer { server in
            var options = options
            (options.username, options.password) = ("ada", "s3cret")
            options.routes = ["a.test:80": server.port]
            return try await TestProxy.withProxy(options) { proxy in
                let words = arguments + ["-U", "ada:s3cret", "http://a.test/get"]
                let environment = ["http_proxy": proxy.url, "no_proxy": "", "NO_PROXY": ""]
                for route in [["-x", proxy.url], []] {
                    _ = try await status(0, route + words, environment: environment)
                }
                let fields = proxy.requests().map { $0.headers["Proxy-Authorization"] }
                let half = fields.count / 2
                // The proxy of the environment gets the same as that of --proxy.
                let schemes = fields.map { $0?.split(separator: " ").first.map(String.init) }
                expectEqual(Array(schemes[..<half]), Array(schemes[half...]))
                return Array(schemes[..<half])
            }
        }
    }

    @Test(
        "--proxy-digest and --proxy-anyauth send credentials only when the proxy asks, and the first of them by Digest alone"
    )
    func proxySchemes() async throws {
        let (basic, both) = (TestProxy.Options(), TestProxy.Options(digest: .init(offersBasic: true)))
        try await expectEqual(sent([], to: basic), ["Basic"])
        try await expectEqual(sent(["--proxy-basic"], to: basic), ["Basic"])
        try await expectEqual(sent(["--proxy-digest"], to: basic), [nil])
        try await expectEqual(sent(["--proxy-digest"], to: both), [nil, "Digest"])
        try await expectEqual(sent(["--proxy-anyauth"], to: basic), [nil, "Basic"])
        try await expectEqual(sent(["--proxy-anyauth"], to: both), [nil, "Digest"])
        #expect(throws: (any Error).self) { try RoutingOptions.parse(["--proxy-digest", "--proxy-anyauth"]) }
    }

    @Test("With --next a proxy gets each request's own user, and none without one", arguments: [["-U", "eve:x"], []])
    func proxyUsers(second: [String]) async throws {
        try await TestServer.withServer { server in
            var options = TestProxy.Options()
            (options.username, options.password) = ("ada", "s3cret")
            options.routes = ["a.test:80": server.port]
            try await TestProxy.withProxy(options) { proxy in
                let request = ["--proxy-anyauth", "-x", proxy.url, "http://a.test/get"]
                _ = try await TernProcess(["-U", "ada:s3cret"] + request + ["--next"] + second + request).outcome()
                let fields = proxy.requests().map { $0.headers["Proxy-Authorization"] }
                expectEqual(fields.prefix(2).map { $0?.hasPrefix("Basic YWRh") }, [nil, true])
                let own: [String?] = second.isEmpty ? [nil] : [nil, "Basic ZXZlOng="]
                expectEqual(Array(fields.dropFirst(2)), own)
                expectEqual(server.requestCount, 1)
            }
        }
    }

    @Test("Invalid routes fail before any request is sent")
    func refused() async throws {
        try await TestServer.withServer { server in
            let url = server.url("/get")
            _ = try await status(3, ["--proxy", "ftp://p.test", url])
            _ = try await status(3, ["--unix-socket", String(repeating: "p", count: 200), url])
            _ = try await status(2, ["-4", "-6", url])
            _ = try await status(2, ["--ipv4", "--ipv6", url])
            _ = try await status(2, ["--unix-socket", "", url])
            _ = try await status(7, ["--unix-socket", "/nowhere/at-all.sock", url])
            expectEqual(server.totalConnections, 0)
            _ = try await status(0, ["-4", url])
            _ = try await status(6, ["-6", url])
            expectEqual(server.totalConnections, 1)
        }
    }

    @Test("A proxy's credentials are not shown")
    func secrets() async throws {
        let closed = try ClosedPort()
        let outcome = try await status(
            7, ["--print", "hm", "--proxy", "http://ada:hidden@127.0.0.1:\(closed.port)", "http://a.test/"])
        #expect(!outcome.errors.contains("hidden"))
        #expect(!outcome.text.contains("hidden"))
        withExtendedLifetime(closed) {}
    }
}
