import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// What a request took that failed at its proxy: it says at which one, and at which address.
@Suite("Proxies: metrics of failures", .timeLimit(.minutes(5)))
struct ProxyFailureMetricsTests {
    /// The only attempt of a request that must fail on its way to the origin.
    private func failed(
        _ api: Session, _ url: String, on time: TestClock? = nil, location: SourceLocation = #_sourceLocation
    ) async throws -> AttemptMetrics {
        let error = await #expect(throws: SternaError.self, sourceLocation: location) {
            guard let time else {
                _ = try await api.get(url)
                return
            }
            try await Wire.pass(Wire.short, on: time, location: location) { try await api.get(url) }
        }
        let metrics = try #require(error?.metrics, sourceLocation: location)
        MetricsCheck.expectOrder(metrics, location: location)
        expectEqual(metrics.attempts.map(\.failure), [error?.kind], sourceLocation: location)
        expectEqual(metrics.bytesSent, 0, sourceLocation: location)
        return try #require(metrics.attempts.first, sourceLocation: location)
    }

    @Test(
        "A proxy that refuses is named without its credentials, with its address",
        arguments: [ProxyScene.Kind.http, .https, .socks5, .http2])
    func refused(kind: ProxyScene.Kind) async throws {
        let fault: TestProxy.Fault = kind == .socks5 ? .refusesAddress(code: 2) : .refuses(status: 403)
        let options = TestProxy.Options(username: "ada", password: "pw", fault: fault)
        try await ProxyScene.with(kind, options: options) { scene in
            let api = try scene.session { $0.events.collectsMetrics = true }
            let attempt = try await failed(api, scene.url("/get"))
            let proxy = try Proxy(scene.proxy.url)
            expectEqual(attempt.failure, .proxyFailed)
            expectEqual(attempt.proxy, proxy.description)
            expectEqual(attempt.remoteAddress, "127.0.0.1:\(scene.proxy.port)")
            expectEqual(attempt.localAddress?.hasPrefix("127.0.0.1:"), true)
            #expect(attempt.proxying != nil)
            expectNil(attempt.tlsVersion)
        }
    }

    @Test("A proxy that does not respond in time is named")
    func stalled() async throws {
        let options = TestProxy.Options(username: "ada", password: "pw", fault: .stalls())
        try await ProxyScene.with(.http, options: options) { scene in
            let time = TestClock()
            let api = try scene.session(nil, engine: PoolSupport.engine { $0.clock = time.clock }) {
                $0.events.collectsMetrics = true
                $0.timeouts.proxy = Wire.short
            }
            let attempt = try await failed(api, scene.url("/get"), on: time)
            expectEqual(attempt.failure, .timedOut)
            #expect(attempt.proxy == "http://127.0.0.1:\(scene.proxy.port)")
            expectEqual(attempt.remoteAddress, "127.0.0.1:\(scene.proxy.port)")
        }
    }

    @Test(
        "A proxy that does not accept the connection is named, without an address",
        arguments: ["http", "https", "socks5"], ["http://origin.test/", "https://origin.test/"])
    func unreachable(scheme: String, url: String) async throws {
        let closed = try ClosedPort()
        let api = try ProxyScene.session("\(scheme)://ada:pw@127.0.0.1:\(closed.port)") {
            $0.events.collectsMetrics = true
        }
        let attempt = try await failed(api, url)
        #expect(attempt.proxy == "\(scheme)://127.0.0.1:\(closed.port)")
        expectNil(attempt.remoteAddress)
        expectEqual(attempt.url, url)
        withExtendedLifetime(closed) {}
    }

    @Test("A proxy whose name is not found is named")
    func unknown() async throws {
        let engine = DialScene.engine(GivenResolver([]))
        let api = try ProxyScene.session("http://ada:pw@proxy.test:3128", engine: engine) {
            $0.events.collectsMetrics = true
        }
        let attempt = try await failed(api, "https://origin.test/")
        expectEqual(attempt.failure, .hostNotFound)
        #expect(attempt.proxy == "http://proxy.test:3128")
        expectNil(attempt.remoteAddress)
    }

    @Test("A tunnel to a server that is not trusted has the proxy's name and address, too")
    func untrusted() async throws {
        try await ProxyScene.with(.http, options: .guarded) { scene in
            let other = try CertificateAuthority()
            let api = try scene.session {
                $0.events.collectsMetrics = true
                $0.trust.policy = .authority(pem: other.pem)
            }
            let attempt = try await failed(api, scene.url("/get"))
            expectEqual(attempt.failure, .certificateRejected)
            #expect(attempt.proxy == "http://127.0.0.1:\(scene.proxy.port)")
            expectEqual(attempt.remoteAddress, "127.0.0.1:\(scene.proxy.port)")
        }
    }

    @Test("Without a proxy none is named")
    func direct() async throws {
        let closed = try ClosedPort()
        let api = try DialScene.session("http://127.0.0.1:\(closed.port)") { $0.events.collectsMetrics = true }
        let attempt = try await failed(api, "a")
        expectEqual(attempt.failure, .connectionFailed)
        expectNil(attempt.proxy)
        withExtendedLifetime(closed) {}
    }
}
