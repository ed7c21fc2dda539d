import SternaCore
import SternaPlatform
import Testing

@testable import SternaTestSupport
@testable import SternaTransport

@Suite("Connections that are known to stay on this machine")
struct LoopbackRuleTests {
    private struct Elsewhere: HostResolver {
        func resolve(_ host: String, _ families: AddressFamilies) async throws -> ResolvedHost {
            ResolvedHost([IPAddress(v4: 0xC000_0201)])
        }
    }

    private static func staysHere(
        _ url: String, _ change: (inout RouteConfiguration, inout EngineOptions) throws -> Void = { _, _ in }
    ) throws -> Bool {
        var (routing, options) = (RouteConfiguration(), EngineOptions())
        try change(&routing, &options)
        return LoopbackRule.staysHere(try HTTPURL(url), routing, options)
    }

    static let hosts: [(String, Bool)] = [
        ("localhost", true), ("LOCALHOST.", true), ("a.b.localhost", true), ("127.0.0.1", true), ("127.1", true),
        ("127.255.0.9", true), ("[::1]", true), ("[::ffff:127.0.0.1]", true),
        ("localhost..", false), ("notlocalhost", false), ("localhost.test", false), ("127.0.0.1.test", false),
        ("128.0.0.1", false), ("0.0.0.0", false), ("[::]", false), ("[::2]", false), ("[fe80::1]", false),
        ("10.0.0.1", false), ("a.test", false),
    ]

    @Test("The host decides", arguments: hosts)
    func host(host: String, isHere: Bool) throws {
        guard let url = try? HTTPURL("http://\(host):8080/") else {
            #expect(!isHere)
            return
        }
        try expectEqual(Self.staysHere(url.href), isHere)
    }

    @Test("Proxies, closures that choose one, and Unix domain sockets are excluded", arguments: hosts)
    func routes(host: String, _: Bool) throws {
        guard let url = try? HTTPURL("http://\(host):8080/").href else { return }
        let proxy = try Proxy("http://127.0.0.1:3128")
        try #expect(!Self.staysHere(url) { routing, _ in routing.proxies = .proxy(proxy) })
        try #expect(!Self.staysHere(url) { routing, _ in routing.proxies = .each { _ in nil } })
        try #expect(!Self.staysHere(url) { routing, _ in routing.unixSocket = "/run/a" })
    }

    @Test("An exception from a proxy is direct, and the environment's proxies exclude loopback hosts")
    func exceptions() throws {
        let proxy = try Proxy("http://127.0.0.1:3128")
        for host in ["localhost", "127.0.0.1", "[::1]"] {
            try #expect(
                Self.staysHere("http://\(host)/") { routing, _ in
                    routing.proxies = .proxy(proxy, except: ["localhost"])
                })
            try #expect(
                Self.staysHere("http://\(host)/") { routing, _ in
                    routing.proxies = try .environment(["http_proxy": "http://proxy.test:3128"])
                })
        }
    }

    @Test("A custom resolver may resolve localhost differently; addresses are not resolved")
    func resolver() throws {
        for (host, isHere) in [("localhost", false), ("a.localhost", false), ("127.0.0.1", true), ("[::1]", true)] {
            try expectEqual(Self.staysHere("http://\(host)/") { $1.resolver = Elsewhere() }, isHere)
        }
    }

    @Test(
        "Replacement addresses decide",
        arguments: [
            (["127.0.0.2"], true), (["[::1]", "127.0.0.1"], true), (["127.0.0.1", "192.0.2.1"], false),
            (["192.0.2.1"], false), (["localhost"], false), (["a.test"], false), ([], true),
        ] as [([String], Bool)])
    func overrides(addresses: [String], isHere: Bool) throws {
        for host in ["localhost", "127.0.0.1"] {
            try expectEqual(
                Self.staysHere("http://\(host):81/") { $1.hostOverrides = ["\(host):81": addresses] }, isHere)
            // They are for one port.
            try #expect(Self.staysHere("http://\(host)/") { $1.hostOverrides = ["\(host):81": addresses] })
        }
        try #expect(!Self.staysHere("http://a.test/") { $1.hostOverrides = ["a.test:80": ["127.0.0.1"]] })
    }
}
