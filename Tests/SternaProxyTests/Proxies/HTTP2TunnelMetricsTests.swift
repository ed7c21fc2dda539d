import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// What requests through tunnels over HTTP/2 took.
@Suite("Proxies: metrics of tunnels over HTTP/2", .timeLimit(.minutes(5)))
struct HTTP2TunnelMetricsTests {
    private static let whole = ["queue", "resolve", "connect", "proxy", "TLS", "write", "wait", "read"]

    @Test(
        "A first tunnel has all phases; one on an open connection has them, too, and connects in no time",
        arguments: HTTP2TunnelTests.inner)
    func parts(inner: ServerHTTP2) async throws {
        try await ProxyScene.withTunnels(options: .guarded, http2: inner) { scene, engine in
            let pin = try Pin.publicKey(of: scene.bundle.leafDER)
            // Pins keep tunnels apart that HTTP/2 inside would share.
            for number in 0..<2 {
                let api = try scene.session(engine) { settings in
                    settings.events.collectsMetrics = true
                    guard number == 1 else { return }
                    var policy = settings.trust.policy
                    policy.pins = [pin]
                    settings.trust.hosts = ["origin.test": policy]
                }
                let metrics = try #require(try await api.get(scene.url("/get")).response.metrics)
                MetricsCheck.expectOrder(metrics)
                let attempt = try #require(metrics.attempts.first)
                expectEqual(metrics.attempts.count, 1)
                #expect(!attempt.isReused)
                expectEqual(attempt.version, (inner.isEmpty ? .http11 : .http2))
                expectEqual(attempt.tlsVersion, "TLS 1.3")
                expectEqual(attempt.remoteAddress, "127.0.0.1:\(scene.proxy.port)")
                expectEqual(attempt.proxy?.contains("\(scene.proxy.port)"), true)
                expectEqual(attempt.proxy?.contains("pw"), false)
                let names = MetricsCheck.names(attempt)
                if number == 0 {
                    expectEqual(names, Self.whole)
                } else {
                    expectEqual(names.filter { $0 != "resolve" }, Self.whole.filter { $0 != "resolve" })
                    #expect(try #require(attempt.connect).duration < .milliseconds(50))
                }
                let again = try #require(try await api.get(scene.url("/get")).response.metrics?.attempts.first)
                #expect(again.isReused)
                #expect(again.connect == nil && again.proxying == nil && again.tls == nil)
            }
            expectEqual(scene.proxy.tunnels().count, 2)
            scene.expectOnlyHTTP2(connections: 1)
        }
    }

    @Test("A request that waits for another's handshake with the proxy also has its phases in order")
    func waiting() async throws {
        let time = TestClock()
        try await ProxyScene.withTunnels(origins: 5) {
            $0.clock = time.clock
        } _: { scene, engine in
            let api = try scene.session(engine) { $0.events.collectsMetrics = true }
            try await scene.proxy.pauseAccepting()
            let tasks = (0..<5).map { number in
                let url = scene.url(of: number)
                return Task { try await api.get(url).response.metrics }
            }
            await PoolSupport.expect(engine, "all are under way") { $0.activeRequests == 5 }
            await time.advance(by: .milliseconds(200))
            try await scene.proxy.resumeAccepting()
            for task in tasks {
                let metrics = try #require(try await task.value)
                MetricsCheck.expectOrder(metrics)
                let attempt = try #require(metrics.attempts.first)
                #expect(attempt.proxying != nil && attempt.tls != nil)
                // The time stands somewhere before the origin is spoken to, and is not lost.
                let spans = [attempt.queue, attempt.resolve, attempt.connect, attempt.proxying].compactMap { $0 }
                #expect(spans.reduce(.zero) { $0 + $1.duration } >= .milliseconds(200))
                expectEqual(metrics.duration, .milliseconds(200))
            }
        }
    }

    @Test("The time of a slow or refusing proxy counts as the proxy's phase")
    func refused() async throws {
        try await ProxyScene.withTunnels(options: .guarded) { scene, engine in
            let api = try scene.session(scene.proxy.url, engine: engine) { $0.events.collectsMetrics = true }
            let error = await #expect(throws: SternaError.self) { try await api.get(scene.url("/get")) }
            let attempt = try #require(error?.metrics?.attempts.first)
            expectEqual(attempt.failure, .proxyFailed)
            expectNil(attempt.status)
            expectEqual(MetricsCheck.names(attempt), ["queue", "resolve", "connect", "proxy"])
        }
        let time = TestClock()
        try await ProxyScene.withTunnels(options: .init(fault: .stalls())) {
            $0.clock = time.clock
        } _: { scene, engine in
            let limit = Duration.milliseconds(300)
            let api = try scene.session(engine) {
                $0.events.collectsMetrics = true
                $0.timeouts.proxy = limit
            }
            let url = scene.url("/get")
            let error = await #expect(throws: SternaError.self) {
                try await Wire.pass(limit, on: time) { try await api.get(url) }
            }
            let attempt = try #require(error?.metrics?.attempts.first)
            expectEqual(attempt.failure, .timedOut)
            #expect(try #require(attempt.proxying).duration >= .milliseconds(200))
        }
    }
}
