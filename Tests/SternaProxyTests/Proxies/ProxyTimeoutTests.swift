import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// A proxy that takes its time: `timeouts.proxy` is for all that is said to it before the origin is spoken to.
@Suite("Proxies: time-outs", .timeLimit(.minutes(5)))
struct ProxyTimeoutTests {
    private func runsOut(
        _ scene: ProxyScene, _ phase: SternaError.Phase = .proxy, after limit: Duration = Wire.short,
        location: SourceLocation = #_sourceLocation, _ configure: (inout SessionSettings) -> Void
    ) async throws -> SternaError? {
        let time = TestClock()
        let api = try scene.session(nil, engine: PoolSupport.engine { $0.clock = time.clock }, configure)
        let url = scene.url("/get")
        let request = Task { _ = try await api.get(url) }
        try await scene.proxy.waitForMessages(1, within: 60)
        let error = await Wire.failure(.timedOut, phase, location: location) {
            try await Wire.pass(limit, on: time, location: location) { try await request.value }
        }
        expectEqual(scene.proxy.totalConnections, 1, sourceLocation: location)
        expectEqual(scene.origin.requestCount, 0, sourceLocation: location)
        try await scene.proxy.waitForOpenConnections(0, within: 60)
        return error
    }

    @Test("CONNECT without a response times out", arguments: [ProxyScene.Kind.http, .https])
    func connect(kind: ProxyScene.Kind) async throws {
        try await ProxyScene.with(kind, options: .init(fault: .stalls())) { scene in
            let limit = kind == .https ? .milliseconds(1_500) : Wire.short
            let error = try await runsOut(scene, after: limit) { $0.timeouts.proxy = limit }
            expectEqual(error?.requestSent, false)
            // The limit as it was set, not what TLS with the proxy had left of it.
            expectEqual(error?.detail.contains(kind == .https ? " 1.5 s." : " 0.15 s."), true)
        }
    }

    @Test("SOCKS times out: the greeting, the credentials, the request", arguments: [false, true], 0...2)
    func socks(secure: Bool, answered: Int) async throws {
        let options = TestProxy.Options(username: "ada", password: "pw", fault: .stalls(after: answered))
        try await ProxyScene.with(.socks5, secure: secure, options: options) { scene in
            let error = try await runsOut(scene) { $0.timeouts.proxy = Wire.short }
            expectEqual(error?.requestSent, false)
        }
    }

    @Test("A response byte by byte does not restart the limit")
    func drips() async throws {
        let bytes = Array("HTTP/1.1 200 OK\r\nX: ".utf8) + [UInt8](repeating: 0x61, count: 50_000)
        try await ProxyScene.with(.http, options: .init(fault: .sends(bytes), drips: true)) { scene in
            _ = try await runsOut(scene) { $0.timeouts.proxy = Wire.short }
        }
    }

    @Test("The total time-out expires at the proxy", arguments: ProxyScene.Kind.allCases)
    func total(kind: ProxyScene.Kind) async throws {
        try await ProxyScene.with(kind, options: .init(fault: .stalls())) { scene in
            _ = try await runsOut(scene) { $0.timeouts.total = Wire.short }
        }
    }

    @Test("A forwarded request without a response fails by the first-byte time-out")
    func forward() async throws {
        try await ProxyScene.with(.http, secure: false, options: .init(fault: .stalls())) { scene in
            let error = try await runsOut(scene, .wait) { $0.timeouts.firstByte = Wire.short }
            expectEqual(error?.requestSent, true)
        }
    }

    @Test("A proxy that does not continue the TLS handshake times out")
    func tls() async throws {
        let listener = try RawListener(isFull: false)
        let time = TestClock()
        let engine = PoolSupport.engine { $0.clock = time.clock }
        let api = try ProxyScene.session("https://localhost:\(listener.port)", engine: engine) {
            $0.timeouts.tls = Wire.short
            $0.timeouts.proxy = Wire.short
        }
        let error = await #expect(throws: SternaError.self) {
            try await Wire.pass(Wire.short, on: time) { try await api.get("https://origin.test/") }
        }
        expectEqual(error?.kind, .timedOut)
        #expect(error?.phase == .tls || error?.phase == .proxy)
        withExtendedLifetime(listener) {}
    }

    @Test("A proxy that is not reached in time times out")
    func connecting() async throws {
        let listener = try RawListener(isFull: true)
        let time = TestClock()
        let engine = PoolSupport.engine { $0.clock = time.clock }
        let api = try ProxyScene.session("http://127.0.0.1:\(listener.port)", engine: engine) {
            $0.timeouts.connect = Wire.short
        }
        let error = await #expect(throws: SternaError.self) {
            try await Wire.pass(Wire.short, on: time) { try await api.get("https://origin.test/") }
        }
        expectEqual(error?.kind, .timedOut)
        #expect(error?.phase == .connect || error?.phase == .proxy)
        withExtendedLifetime(listener) {}
    }

    @Test("The origin's TLS has its own limit after the proxy", arguments: [ProxyScene.Kind.http, .socks5])
    func origin(kind: ProxyScene.Kind) async throws {
        try await ScriptedServer.withServer(connections: [[]]) { silent in
            var options = TestProxy.Options(routes: ["origin.test:443": silent.port])
            if kind == .socks5 { options.kind = .socks5 }
            try await TestProxy.withProxy(options) { proxy in
                let time = TestClock()
                let engine = PoolSupport.engine { $0.clock = time.clock }
                let api = try ProxyScene.session(proxy.url, engine: engine) { $0.timeouts.tls = Wire.short }
                await Wire.failure(.timedOut, .tls) {
                    try await Wire.pass(Wire.short, on: time) { try await api.get("https://origin.test/") }
                }
                try await proxy.waitForOpenConnections(0, within: 60)
            }
        }
    }

    @Test("Cancelling closes the connection to the proxy", arguments: ProxyScene.Kind.allCases)
    func cancelled(kind: ProxyScene.Kind) async throws {
        try await ProxyScene.with(kind, options: .init(fault: .stalls())) { scene in
            let api = try scene.session()
            let url = scene.url("/get")
            let task = Task { try await api.get(url) }
            try await scene.proxy.waitForMessages(1, within: 60)
            task.cancel()
            await Wire.failure(.cancelled, .proxy) { _ = try await task.value }
            try await scene.proxy.waitForOpenConnections(0, within: 60)
        }
    }
}
