import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// A 407 to CONNECT over HTTP/2: each answer goes on a stream of the same connection.
@Suite("Proxies: authenticators over HTTP/2", .timeLimit(.minutes(5)))
struct HTTP2TunnelAuthenticatorTests {
    /// A session whose proxy's URL has no credentials.
    private func session(
        _ scene: ProxyScene, _ engine: Engine, _ login: ProxyLogin,
        _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> Session {
        try scene.session(login, engine: engine, configure)
    }

    @Test("The credentials are sent on the same connection, then with every tunnel")
    func answered() async throws {
        try await ProxyScene.withTunnels(origins: 3, options: .guarded) { scene, engine in
            let login = ProxyLogin()
            let api = try session(scene, engine, login)
            for number in 0..<3 { try await api.expect(scene, number) }
            expectEqual(scene.shown, [nil, .right, .right, .right])
            expectEqual(scene.proxy.tunnels().map(\.status), [407, 200, 200, 200])
            expectEqual(login.challenges.count, 1)
            expectEqual(login.challenges.first?.response.version, .http2)
            expectEqual(login.challenges.first?.challenges.map(\.realm), ["test proxy"])
            scene.expectOnlyHTTP2(connections: 1)
            scene.expectNoCredentials()
        }
    }

    @Test("The authenticator is asked at most three times")
    func endless() async throws {
        try await ProxyScene.withTunnels(options: .guarded) { scene, engine in
            let login = ProxyLogin { _ in .basic("eve", "no") }
            let api = try session(scene, engine, login)
            let error = await Wire.failure(.proxyFailed, .proxy) { try await api.get(scene.url(of: 0)) }
            expectEqual(error?.proxyResponse?.status.code, 407)
            expectEqual(scene.shown, [nil, .wrong, .wrong, .wrong])
            expectEqual(login.challenges.map(\.refusedCount), [0, 1, 2])
            scene.expectOnlyHTTP2(connections: 1)
        }
    }

    @Test("Many concurrent tunnels ask once")
    func many() async throws {
        try await ProxyScene.withTunnels(origins: 30, options: .guarded) { scene, engine in
            let gate = Counter()
            let login = ProxyLogin { _ in
                #expect(await eventually { gate.value == 1 })
                return .basic("ada", "pw")
            }
            let api = try session(scene, engine, login)
            async let statuses = scene.statuses(api, 0..<30)
            #expect(await eventually { scene.shown.count == 30 })
            gate.add()
            #expect(try await statuses.allSatisfy { $0 == 200 })
            expectEqual(login.challenges.count, 1)
            scene.expectOnlyHTTP2()
        }
    }

    @Test("A connection that ends while the authenticator runs is replaced")
    func lost() async throws {
        try await ProxyScene.withTunnels(options: .guarded) { scene, engine in
            let proxy = scene.proxy
            let login = ProxyLogin { _ in
                await proxy.closeConnections()
                try await proxy.waitForOpenConnections(0, within: PoolSupport.limit)
                return .basic("ada", "pw")
            }
            try await session(scene, engine, login).expect(scene)
            expectEqual(scene.shown, [nil, .right])
            scene.expectOnlyHTTP2(connections: 2)
        }
    }

    @Test("Only the request's deadline limits the authenticator, and a cancellation ends it at once")
    func slow() async throws {
        let time = TestClock()
        try await ProxyScene.withTunnels(origins: 2, options: .guarded) {
            $0.clock = time.clock
        } _: { scene, engine in
            let begun = Counter()
            let login = ProxyLogin { challenge in
                begun.add()
                if challenge.request.target.hasPrefix("origin1") { try await Task.sleep(for: .seconds(3_600)) }
                await time.advance(by: .seconds(2))
                return .basic("eve", "no")
            }
            let api = try session(scene, engine, login) { $0.timeouts.proxy = .milliseconds(1_200) }
            let url = scene.url(of: 1)
            let task = Task { try await api.get(url) }
            #expect(await eventually { begun.value == 1 })
            task.cancel()
            let error = await #expect(throws: SternaError.self) { try await task.value }
            expectEqual(error?.kind, .cancelled)
            let refused = await Wire.failure(.proxyFailed, .proxy) { try await api.get(scene.url(of: 0)) }
            expectEqual(refused?.proxyResponse?.status.code, 407)
            expectEqual(scene.shown, [nil, nil, .wrong, .wrong, .wrong])
        }
    }

    @Test("Credentials too long for a frame fail the request")
    func long() async throws {
        try await ProxyScene.withTunnels(options: .guarded) { scene, engine in
            let login = ProxyLogin { _ in ProxyAuthorization(.bearer(String(repeating: "t", count: 20_000))) }
            let api = try session(scene, engine, login)
            await Wire.failure(.limitExceeded, .proxy) { try await api.get(scene.url(of: 0)) }
            expectEqual(scene.shown, [nil])
        }
    }
}
