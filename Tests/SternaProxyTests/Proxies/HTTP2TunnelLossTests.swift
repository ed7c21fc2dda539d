import NIOCore
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Tunnels over HTTP/2, and connections to proxies, that end: what was not under way does not notice.
@Suite("Proxies: tunnels over HTTP/2 that are lost", .timeLimit(.minutes(5)))
struct HTTP2TunnelLossTests {
    /// By what tunnels end.
    enum End: CaseIterable {
        case stream, reset, connection, connectionReset

        /// Whether the proxy's connection goes on.
        var isOfTunnels: Bool { self == .stream || self == .reset }

        func end(_ proxy: TestProxy) async {
            switch self {
            case .stream: await proxy.endTunnels()
            case .reset: await proxy.resetTunnels(code: 0xA)
            case .connection: await proxy.closeConnections()
            case .connectionReset: await proxy.closeConnections(byReset: true)
            }
        }
    }

    private func wait(for end: End, _ scene: ProxyScene) async throws {
        if end.isOfTunnels {
            try await scene.proxy.waitForOpenTunnels(0, within: PoolSupport.limit)
        } else {
            try await scene.proxy.waitForOpenConnections(0, within: PoolSupport.limit)
        }
    }

    @Test("The loss of an unused tunnel causes no error", arguments: End.allCases, HTTP2TunnelTests.inner)
    func idle(end: End, inner: ServerHTTP2) async throws {
        try await ProxyScene.withTunnels(http2: inner) { scene, engine in
            let api = try scene.session(engine) { $0.events.collectsMetrics = true }
            try await api.expect(scene)
            await end.end(scene.proxy)
            try await wait(for: end, scene)
            await PoolSupport.expect(engine, "the engine knows") { statistics in
                statistics.origins.allSatisfy { !"\($0.origin)".contains("origin.test") || $0.open == 0 }
            }
            let reply = try await api.post(scene.url("/post"), body: .text("x"))
            expectEqual(reply.status, 200)
            expectEqual(reply.response.metrics?.attempts.map(\.reason), [.first])
            expectEqual(scene.proxy.tunnels().count, 2)
            scene.expectOnlyHTTP2(connections: end.isOfTunnels ? 1 : 2)
        }
    }

    @Test("A repeatable request is resent in a new tunnel", arguments: End.allCases, HTTP2TunnelTests.inner)
    func repeated(end: End, inner: ServerHTTP2) async throws {
        try await ProxyScene.withTunnels(http2: inner) { scene, engine in
            let gate = Gate()
            scene.origin.hold(gate)
            let api = try scene.session(engine)
            try await api.expect(scene)
            let held = try await scene.held(api)
            await end.end(scene.proxy)
            try await scene.origin.waitForRequests(3, within: PoolSupport.limit)
            gate.open()
            try await expectEqual(held.value, "0")
            expectEqual(scene.proxy.tunnels().count, 2)
            scene.expectOnlyHTTP2(connections: end.isOfTunnels ? 1 : 2)
        }
    }

    @Test("A request that is not repeatable fails soon", arguments: End.allCases, HTTP2TunnelTests.inner)
    func failed(end: End, inner: ServerHTTP2) async throws {
        try await ProxyScene.withTunnels(http2: inner) { scene, engine in
            let gate = Gate()
            scene.origin.route("POST", "/held") { _ in
                await gate.pass()
                return .text("late")
            }
            let api = try scene.session(engine)
            try await api.expect(scene)
            let url = scene.url("/held")
            let task = Task { try await api.post(url, body: .text("x")) }
            try await scene.origin.waitForRequests(2, within: PoolSupport.limit)
            await end.end(scene.proxy)
            let error = await Wire.failure(.connectionClosed, .wait) { _ = try await task.value }
            expectEqual(error?.requestSent, true)
            expectNil(error?.proxyResponse)
            gate.open()
            try await api.expect(scene)
            expectEqual(scene.origin.requestCount, 3)
        }
    }

    @Test("A lost connection ends only its own tunnels", arguments: [false, true])
    func others(byReset: Bool) async throws {
        try await ProxyScene.withTunnels { scene, engine in
            let gate = Gate()
            scene.origin.hold(gate)
            let address = "localhost:\(scene.proxy.port)"
            let ada = try scene.session("https://ada:pw@\(address)", engine: engine)
            let eve = try scene.session("https://eve:pw@\(address)", engine: engine)
            try await ada.expect(scene)
            let held = try await scene.held(eve)
            await scene.proxy.closeConnections(0, byReset: byReset)
            try await scene.proxy.waitForOpenConnections(1, within: PoolSupport.limit)
            try await ada.expect(scene)
            gate.open()
            try await expectEqual(held.value, "0")
            expectEqual(scene.proxy.tunnels().map(\.connection), [0, 1, 2])
            expectEqual(scene.origin.requestCount, 3)
        }
    }

    @Test(
        "A truncated response is an error, by END_STREAM and by RST_STREAM", arguments: End.allCases,
        HTTP2TunnelTests.inner)
    func cut(end: End, inner: ServerHTTP2) async throws {
        try await ProxyScene.withTunnels(http2: inner) { scene, engine in
            let gate = Gate()
            scene.origin.route("GET", "/half") { _ in
                ServerResponse(
                    body: .stream(length: 2_000) { writer in
                        try await writer.write([UInt8](repeating: 1, count: 1_000))
                        await gate.pass()
                    })
            }
            let api = try scene.session(engine)
            try await api.expect(scene)
            let error = await #expect(throws: SternaError.self) {
                try await api.withResponse(to: .get(scene.url("/half"))) { response in
                    var hasEnded = false
                    for try await _ in response.body where !hasEnded {
                        hasEnded = true
                        await end.end(scene.proxy)
                    }
                }
            }
            #expect(error?.kind == .truncated || error?.kind == .connectionClosed)
            expectEqual(error?.phase, .read)
            gate.open()
            try await api.expect(scene)
        }
    }

    @Test("A reset by the origin is a lost connection, not a failure of the proxy")
    func origin() async throws {
        let authority = try CertificateAuthority()
        let bundle = try authority.issue(hosts: ["origin.test", "localhost"])
        try await ScriptedServer.withServer(tls: bundle, connections: [[.receiveHead, .reset]]) { server in
            let options = TestProxy.Options(
                .https(bundle), routes: ["origin.test:443": server.port], http2: true)
            try await TestProxy.withProxy(options) { proxy in
                let api = try ProxyScene.session(proxy.url, authority: authority)
                for _ in 0..<2 {
                    let error = await #expect(throws: SternaError.self) {
                        try await api.post("https://origin.test/post", body: .text("x"))
                    }
                    expectEqual(error?.kind, .connectionClosed, "\(error.map { "\($0)" } ?? "")")
                    expectEqual(error?.requestSent, true)
                }
                expectEqual(proxy.totalConnections, 1)
                try await proxy.waitForOpenTunnels(0, within: PoolSupport.limit)
            }
        }
    }

    // MARK: Pace

    @Test(
        "A reader that stops holds up only its own tunnel, within its window", arguments: HTTP2TunnelTests.inner)
    func pace(inner: ServerHTTP2) async throws {
        let total = 20_000_000
        try await ProxyScene.withTunnels(origins: 2, http2: inner) { scene, engine in
            let first = try scene.session(engine) { $0.timeout = PoolSupport.ages }
            let pin = try Pin.publicKey(of: scene.bundle.leafDER)
            // Trust of its own keeps HTTP/2 inside from sharing the tunnel.
            let second = try scene.session(engine) { settings in
                var policy = settings.trust.policy
                policy.pins = [pin]
                settings.trust.hosts = [ProxyScene.hosts(2)[1]: policy]
            }
            try await first.withResponse(to: .get(scene.url("/bytes/\(total)"))) { response in
                var count = 0
                var hasPaused = false
                for try await chunk in response.body {
                    count += chunk.readableBytes
                    guard count > 100_000, !hasPaused else { continue }
                    hasPaused = true
                    let stopped = try await settled { scene.proxy.tunnels().first?.bytesToClient }
                    #expect(stopped < count + (1 << 20), "\(stopped) of \(count) read")
                    let reply = try await second.get(scene.url(of: 1, "/bytes/3000000"))
                    expectEqual(reply.body.readableBytes, 3_000_000)
                    // HTTP/2 inside may have a word about settings.
                    let held = scene.proxy.tunnels().first?.bytesToClient ?? .max
                    #expect(held < stopped + 1_000)
                }
                expectEqual(count, total)
            }
            expectEqual(scene.proxy.tunnels().count, 2)
            scene.expectOnlyHTTP2(connections: 1)
        }
    }

    @Test("A proxy that stops reading keeps neither cancelled tunnels nor their places")
    func stuck() async throws {
        try await ProxyScene.withTunnels(
            options: .init(window: 1 << 30), engine: { $0.maximumConnectionsPerOrigin = 1 }
        ) { scene, engine in
            let api = try scene.session(engine) {
                $0.timeouts.queue = .seconds(10)
                $0.timeouts.proxy = .milliseconds(500)
            }
            try await api.expect(scene)
            try await giveUpAnUpload(api, scene)
            // The place of the tunnel that was given up is for the next one, which hears nothing either, and the next.
            await Wire.failure(.timedOut, .proxy) { try await api.get(scene.url("/get")) }
            try await api.expect(scene)
            expectEqual(scene.proxy.totalConnections, 2)
        }
    }

    @Test("A proxy that stops reading does not block a shutdown")
    func stuckAtTheEnd() async throws {
        try await ProxyScene.withTunnels(options: .init(window: 1 << 30)) { scene, engine in
            let api = try scene.session(engine)
            try await api.expect(scene)
            try await giveUpAnUpload(api, scene)
            await engine.shutDown(within: .seconds(60))
            // The system goes on sending what was written; what is behind it is the end.
            await scene.proxy.resumeReading()
            try await scene.proxy.waitForOpenConnections(0, within: PoolSupport.limit)
        }
    }

    /// An upload to a proxy that takes nothing more, cancelled when the sockets in between are full, so that what ends its stream
    /// has to wait.
    private func giveUpAnUpload(_ api: Session, _ scene: ProxyScene) async throws {
        await scene.proxy.pauseReading()
        let sent = Mutex<Int64>(0)
        let url = scene.url("/put")
        let upload = Task {
            try await api.put(url, body: .bytes([UInt8](repeating: 0, count: 64 << 20))) {
                $0.limits.continueThreshold = .max
                $0.uploadProgress = { step in sent.withLock { $0 = step.completed } }
            }
        }
        _ = try await settled { sent.withLock { $0 == 0 ? nil : Int($0) } }
        upload.cancel()
        await #expect(throws: SternaError.self) { try await upload.value }
    }

    /// What is counted when it grows no more; nil while it has not begun.
    private func settled(_ count: () -> Int?) async throws -> Int {
        var last: Int?
        while true {
            let now = count()
            if let now, now == last { return now }
            last = now
            try await Task.sleep(for: .milliseconds(300))
        }
    }
}
