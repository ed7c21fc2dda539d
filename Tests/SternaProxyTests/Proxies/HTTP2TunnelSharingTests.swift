import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Which tunnels share a connection to the proxy.
@Suite("Proxies: tunnels that share a connection", .timeLimit(.minutes(5)))
struct HTTP2TunnelSharingTests {
    private static let ok = 200

    @Test("Tunnels to 20 origins at once are streams of one connection, kept and used again")
    func one() async throws {
        try await ProxyScene.withTunnels(origins: 20, options: .guarded) { scene, engine in
            let api = try scene.session(engine)
            for _ in 0..<3 {
                #expect(try await scene.statuses(api, 0..<20).allSatisfy { $0 == Self.ok })
                expectEqual(scene.proxy.openTunnels, 20)
            }
            expectEqual(Set(scene.proxy.tunnels().map(\.target)).count, 20)
            expectEqual(scene.proxy.tunnels().count, 20)
            expectEqual(scene.origin.totalConnections, 20)
            scene.expectOnlyHTTP2(connections: 1)
            scene.expectNoCredentials()
        }
    }

    @Test(
        "A request that comes while the first handshake is under way waits for it",
        arguments: [ProxyScene.Kind.http2, .https])
    func handshake(kind: ProxyScene.Kind) async throws {
        try await ProxyScene.withTunnels(kind, origins: 20) { scene, engine in
            let api = try scene.session(engine)
            try await scene.proxy.pauseAccepting()
            let all = Task { try await scene.statuses(api, 0..<20) }
            await PoolSupport.expect(engine, "all wait") { $0.activeRequests == 20 }
            try await scene.proxy.resumeAccepting()
            #expect(try await all.value.allSatisfy { $0 == Self.ok })
            // With HTTP/1.1 there is a connection for each of them.
            expectEqual(scene.proxy.totalConnections, (kind == .http2 ? 1 : 20))
            expectEqual(scene.proxy.requests().count, 20)
        }
    }

    @Test("Beyond the proxy's limit of tunnels another connection is opened")
    func limit() async throws {
        try await ProxyScene.withTunnels(origins: 12, options: .init(maximumStreams: 5)) { scene, engine in
            let api = try scene.session(engine)
            for number in 0..<12 { try await api.expect(scene, number) }
            expectEqual(scene.proxy.connections().map(\.openTunnels), [5, 5, 2])
            // Those that are there are found again.
            for number in 0..<12 { try await api.expect(scene, number) }
            scene.expectOnlyHTTP2(connections: 3)
            expectEqual(scene.proxy.tunnels().count, 12)
        }
    }

    @Test("Many concurrent requests stay within the proxy's limit of tunnels", arguments: [1, 3])
    func crowd(limit: Int) async throws {
        try await ProxyScene.withTunnels(origins: 20, options: .init(maximumStreams: limit)) { scene, engine in
            let api = try scene.session(engine)
            try await api.expect(scene)
            #expect(try await scene.statuses(api, 1..<20).allSatisfy { $0 == Self.ok })
            expectEqual(scene.proxy.connections().first?.tunnels.count, limit)
            #expect(scene.proxy.totalConnections > 1)
            scene.expectOnlyHTTP2()
        }
    }

    @Test("A tunnel that has ended makes room for the next")
    func room() async throws {
        try await ProxyScene.withTunnels(origins: 6, options: .init(maximumStreams: 1)) { scene, engine in
            let api = try scene.session(engine)
            for number in 0..<6 {
                try await expectEqual(
                    api.get(scene.url(of: number, "/response-headers?Connection=close")).status, Self.ok)
                try await scene.proxy.waitForOpenTunnels(0, within: PoolSupport.limit)
            }
            expectEqual(scene.proxy.tunnels().count, 6)
            scene.expectOnlyHTTP2(connections: 1)
        }
    }

    @Test("A connection to the proxy of the maximum age takes no further tunnels")
    func old() async throws {
        try await ProxyScene.withTunnels(origins: 3, engine: { $0.maximumAge = .nanoseconds(1) }) { scene, engine in
            let api = try scene.session(engine)
            for number in 0..<3 { try await api.expect(scene, number) }
            scene.expectOnlyHTTP2(connections: 3)
        }
    }

    @Test("More than 100 tunnels are opened if the proxy states no limit")
    func hundred() async throws {
        try await ProxyScene.withTunnels(origins: 101) { scene, engine in
            let api = try scene.session(engine)
            try await api.expect(scene)
            #expect(try await scene.statuses(api, 0..<101).allSatisfy { $0 == Self.ok })
            expectEqual(scene.proxy.tunnels().count, 101)
            #expect(scene.proxy.totalConnections <= 2)
            scene.expectOnlyHTTP2()
        }
    }

    @Test("Other credentials and other trust use separate connections; an identity does not")
    func apart() async throws {
        try await ProxyScene.withTunnels(origins: 2) { scene, engine in
            let address = "localhost:\(scene.proxy.port)"
            let bundle = try scene.authority.issue(
                CertificateOptions(hosts: [], commonName: "ada", extendedKeyUsage: [.clientAuthentication]))
            let identity = try ClientIdentity(
                certificates: Array(bundle.certificateChainPEM.utf8), privateKey: Array(bundle.privateKeyPEM.utf8))
            let other = scene.authority.pem + (try CertificateAuthority().pem)
            var sessions = try ["", "ada:pw@", "eve:pw@"].map { userinfo in
                try scene.session("https://\(userinfo)\(address)", engine: engine)
            }
            sessions.append(try scene.session(engine) { $0.trust.policy = .authority(pem: other) })
            sessions.append(try scene.session(engine) { $0.trust.policy.identity = identity })
            for number in 0..<2 {
                for (place, api) in sessions.enumerated() {
                    try await api.expect(scene, number)
                    #expect(scene.proxy.totalConnections == (number == 0 ? min(place + 1, 4) : 4))
                }
            }
            expectEqual(scene.proxy.connections().map(\.tunnels.count), [4, 2, 2, 2])
            let shown = scene.proxy.connections().map { Set($0.requests.map(\.credentials)) }
            expectEqual(shown, [[nil], [.init("ada", "pw")], [.init("eve", "pw")], [nil]])
            scene.expectOnlyHTTP2()
        }
    }

    @Test("Settings of the origin do not separate tunnels: its host's policy, and request options")
    func together() async throws {
        try await ProxyScene.withTunnels { scene, engine in
            let pin = try Pin.publicKey(of: scene.bundle.leafDER)
            try await scene.session(engine).expect(scene)
            let pinned = try scene.session(engine) { settings in
                var policy = settings.trust.policy
                policy.pins = [pin]
                settings.trust.hosts = ["origin.test": policy]
                settings.headers["X-Other"] = "1"
                settings.timeouts.total = .seconds(77)
            }
            try await pinned.expect(scene)
            expectEqual(scene.proxy.tunnels().count, 2)
            scene.expectOnlyHTTP2(connections: 1)
        }
    }

    @Test("A tunnel that the origin has ended is replaced on the same connection")
    func ended() async throws {
        try await ProxyScene.withTunnels { scene, engine in
            let api = try scene.session(engine)
            try await api.expect(scene)
            try await api.get(scene.url("/response-headers?Connection=close"))
            for _ in 0..<3 { try await api.expect(scene) }
            expectEqual(scene.proxy.tunnels().count, 2)
            try await scene.proxy.waitForOpenTunnels(1, within: PoolSupport.limit)
            scene.expectOnlyHTTP2(connections: 1)
        }
    }

    // MARK: The end of a connection

    @Test("A connection without tunnels is closed when it has been idle")
    func idle() async throws {
        let time = TestClock()
        try await ProxyScene.withTunnels(origins: 3) {
            $0.idleTimeout = .milliseconds(50)
            $0.clock = time.clock
        } _: { scene, engine in
            let api = try scene.session(engine)
            for round in 1...2 {
                for number in 0..<3 { try await api.expect(scene, number) }
                #expect(await closesIdle(scene, time))
                #expect(scene.proxy.totalConnections >= round)
                expectEqual(scene.proxy.openTunnels, 0)
            }
            #expect(scene.proxy.connections().allSatisfy { $0.violation == nil })
        }
    }

    @Test("A connection with a tunnel in use stays open")
    func busy() async throws {
        let time = TestClock()
        try await ProxyScene.withTunnels {
            $0.idleTimeout = .milliseconds(50)
            $0.clock = time.clock
        } _: { scene, engine in
            let gate = Gate()
            scene.origin.hold(gate)
            let held = try await scene.held(scene.session(engine))
            await time.advance(by: .milliseconds(400))
            expectEqual(scene.proxy.openConnections, 1)
            gate.open()
            try await expectEqual(held.value, "0")
            expectEqual(scene.proxy.totalConnections, 1)
            #expect(await closesIdle(scene, time))
        }
    }

    /// Lets time pass until the idle tunnels have closed, and with them the connection to the proxy.
    private func closesIdle(_ scene: ProxyScene, _ time: TestClock) async -> Bool {
        await eventually {
            await time.advance(by: .milliseconds(50))
            return scene.proxy.openConnections == 0
        }
    }

    @Test("The connection ends with the engine, after the request in progress", arguments: [false, true])
    func shutDown(isBusy: Bool) async throws {
        try await ProxyScene.withTunnels(origins: 2) { scene, engine in
            let gate = Gate()
            scene.origin.hold(gate)
            let api = try scene.session(engine)
            try await api.expect(scene)
            let held = isBusy ? try await scene.held(api, 1) : nil
            let end = Task { await engine.shutDown(within: PoolSupport.ages) }
            if let held {
                try await scene.proxy.waitForOpenTunnels(1, within: PoolSupport.limit)
                expectEqual(scene.proxy.openConnections, 1)
                gate.open()
                try await expectEqual(held.value, "1")
            }
            await end.value
            try await scene.proxy.waitForOpenConnections(0, within: PoolSupport.limit)
            await Wire.failure(.shutDown, .queue) { try await api.get(scene.url("/get")) }
            expectEqual(scene.proxy.totalConnections, 1)
        }
    }
}
