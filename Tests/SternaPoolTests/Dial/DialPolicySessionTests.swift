import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// A session's dial policy holds for every connection that its requests lead to.
@Suite("Dial policies through a session", .timeLimit(.minutes(5)))
struct DialPolicySessionTests {
    private static let notOne = DialPolicy.custom("not one") { address, _, _ in address != IPAddress("127.0.0.1") }

    /// A request that the policy refuses.
    @discardableResult
    private func refused(
        _ api: Session, _ reference: String = "get", location: SourceLocation = #_sourceLocation
    ) async -> SternaError? {
        await Wire.failure(.addressRefused, .connect, location: location) { try await api.get(reference) }
    }

    @Test(
        "publicOnly refuses this machine under every name",
        arguments: [
            "127.0.0.1", "127.9.9.9", "localhost", "LOCALHOST.", "a.localhost", "2130706433", "0x7f.1", "0.0.0.0",
            "[::1]", "[::ffff:127.0.0.1]", "[::]",
        ], ["http", "https"])
    func loopback(host: String, scheme: String) async throws {
        try await TestServer.withServer { server in
            let api = try DialScene.session("\(scheme)://\(host):\(server.port)") {
                $0.network.dialPolicy = .publicOnly
            }
            let error = await refused(api)
            expectEqual(error?.requestSent, false)
            expectEqual(server.totalConnections, 0)
        }
    }

    @Test(
        "publicOnly checks the addresses of a name",
        arguments: [
            ["10.0.0.1"], ["::1"], ["::ffff:127.0.0.1"], ["127.0.0.1"], ["64:ff9b::127.0.0.1"],
            ["10.0.0.1", "::1", "169.254.169.254"],
        ])
    func names(addresses: [String]) async throws {
        try await TestServer.withServer { server in
            let resolver = GivenResolver(addresses)
            let api = try DialScene.session("http://public.test:\(server.port)", DialScene.engine(resolver)) {
                $0.network.dialPolicy = .publicOnly
            }
            let error = await refused(api)
            expectEqual(error?.detail.contains("public.test"), true)
            expectEqual(resolver.asked, ["public.test"])
            expectEqual(server.totalConnections, 0)
        }
    }

    @Test("Replacement addresses are checked, too")
    func overrides() async throws {
        try await TestServer.withServer { server in
            let engine = DialScene.engine { $0.hostOverrides = ["public.test:\(server.port)": ["127.0.0.1"]] }
            let api = try DialScene.session("http://public.test:\(server.port)", engine) {
                $0.network.dialPolicy = .publicOnly
            }
            await refused(api)
            expectEqual(server.totalConnections, 0)
            try await expectEqual(api.with { $0.network.dialPolicy = .all }.get("get").status, 200)
        }
    }

    @Test("The policy is asked for the port that is connected to")
    func ports() async throws {
        try await TestServer.withServer { server in
            let engine = DialScene.engine {
                $0.hostOverrides = ["public.test:80": ["127.0.0.1"]]
                $0.portOverrides = ["public.test:80": UInt16(server.port)]
            }
            let api = try DialScene.session("http://public.test", engine) {
                $0.network.dialPolicy = .custom("port 80") { _, _, port in port == 80 }
            }
            await refused(api)
            expectEqual(server.totalConnections, 0)
        }
    }

    @Test("Of several addresses only those that are allowed are connected to")
    func mixed() async throws {
        try await DialScene.withTwins { one, two in
            let engine = DialScene.engine(GivenResolver(["127.0.0.1", "127.0.0.2"]))
            let api = try DialScene.session("http://mixed.test:\(one.port)", engine) {
                $0.network.dialPolicy = Self.notOne
            }
            try await expectEqual(api.get("get").status, 200)
            expectEqual(one.totalConnections, 0)
            expectEqual(two.totalConnections, 1)
        }
    }

    @Test("A redirect to a refused host is refused", arguments: ["127.0.0.1", "other.test"])
    func redirect(host: String) async throws {
        try await DialScene.withTwins { one, two in
            let target = "http://\(host):\(one.port)/get"
            two.route("GET", "/away") { _ in .redirect(to: target) }
            let engine = DialScene.engine(GivenResolver(["127.0.0.1"]))
            let api = try DialScene.session("http://127.0.0.2:\(two.port)", engine) {
                $0.network.dialPolicy = Self.notOne
            }
            let error = await refused(api, "away")
            expectEqual(error?.url, target)
            expectEqual(two.requestCount, 1)
            expectEqual(one.totalConnections, 0)
        }
    }

    @Test("publicOnly refuses a redirect to an address, also where a proxy would go there")
    func redirectBehindProxy() async throws {
        try await ProxyScene.with(.http, secure: false) { scene in
            let port = scene.origin.port
            scene.origin.route("GET", "/away") { _ in .redirect(to: "http://127.0.0.1:\(port)/get") }
            let api = try scene.session { $0.network.dialPolicy = .publicOnly }
            await Wire.failure(.addressRefused, .connect) { try await api.get(scene.url("/away")) }
            expectEqual(scene.origin.requestCount, 1)
        }
    }

    @Test("A name that later resolves to a refused address is then refused")
    func reresolution() async throws {
        try await DialScene.withTwins { one, two in
            let resolver = GivenResolver { number, _ in
                ResolvedHost([IPAddress(v4: number == 1 ? 0x7F00_0002 : 0x7F00_0001)], timeToLive: .zero)
            }
            let engine = DialScene.engine(resolver)
            let api = try DialScene.session("http://turncoat.test:\(one.port)", engine) {
                $0.network.dialPolicy = Self.notOne
            }
            try await expectEqual(api.get("get").status, 200)
            try await DialScene.closeIdle(engine, two)
            await refused(api)
            expectEqual(resolver.asked.count, 2)
            expectEqual(one.totalConnections, 0)
            expectEqual(two.totalConnections, 1)
        }
    }

    @Test("An open connection is not used by a session with another policy", arguments: [false, true])
    func lending(isDerived: Bool) async throws {
        try await TestServer.withServer { server in
            let engine = Wire.engine()
            let open = try DialScene.session(server.url, engine)
            try await expectEqual(open.get("get").status, 200)
            let guarded =
                isDerived
                ? open.with { $0.network.dialPolicy = .publicOnly }
                : try DialScene.session(server.url, engine) { $0.network.dialPolicy = .publicOnly }
            await refused(guarded)
            expectEqual(server.requestCount, 1)
            try await expectEqual(open.get("get").status, 200)
            expectEqual(server.totalConnections, 1)
        }
    }

    @Test("Sessions with the same custom policy share connections, others do not")
    func ownPolicies() async throws {
        try await TestServer.withServer { server in
            let engine = Wire.engine()
            let any = DialPolicy.custom("any") { _, _, _ in true }
            let sessions = try (0..<2).map { _ in
                try DialScene.session(server.url, engine) { $0.network.dialPolicy = any }
            }
            for api in sessions { try await expectEqual(api.get("get").status, 200) }
            expectEqual(server.totalConnections, 1)
            let other = try DialScene.session(server.url, engine) {
                $0.network.dialPolicy = .custom("any") { _, _, _ in true }
            }
            try await expectEqual(other.get("get").status, 200)
            expectEqual(server.totalConnections, 2)
            // The transport of a policy that is equal to itself alone lives as long as the sessions that have it.
            withExtendedLifetime(sessions) {}
        }
    }

    @Test("Unix domain sockets are refused by every policy but .all")
    func unixSockets() async throws {
        try await TestServer.withServer { server in
            try await UnixRelay.with(to: server.port) { relay in
                for policy in [DialPolicy.publicOnly, .custom("any") { _, _, _ in true }] {
                    let api = try DialScene.session("http://api.test") {
                        $0.network.unixSocket = relay.path
                        $0.network.dialPolicy = policy
                    }
                    await refused(api)
                }
                expectEqual(relay.connections, 0)
                expectEqual(server.totalConnections, 0)
            }
        }
    }
}
