import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

@Suite("Evaluators of dials that end early", .timeLimit(.minutes(5)))
struct EvaluatorCancellationTests {
    /// Counts evaluators that wait for their cancellation, and those that were cancelled.
    private final class Waiting: Sendable {
        private let counts = Mutex((begun: 0, cancelled: 0))

        var begun: Int { counts.withLock { $0.begun } }
        var cancelled: Int { counts.withLock { $0.cancelled } }

        func wait() async {
            counts.withLock { $0.begun += 1 }
            try? await Task.sleep(for: .seconds(3_600))
            counts.withLock { $0.cancelled += Task.isCancelled ? 1 : 0 }
        }
    }

    enum Asked: CaseIterable { case evaluator, challengeHandler }

    /// Sends a request to a server whose certificate is judged for an hour.
    private func judged(
        _ asked: Asked = .evaluator, through proxy: TestProxy.Kind? = nil, clock: NetworkClock = .system,
        _ work: @Sendable (Session, Engine, String, Waiting) async throws -> Void
    ) async throws {
        let authority = try CertificateAuthority()
        let waiting = Waiting()
        var policy = SecurityPolicy.authority(pem: authority.pem)
        switch asked {
        case .evaluator:
            policy.evaluators = [
                TrustEvaluator { evaluation in
                    await waiting.wait()
                    return evaluation.verdict
                }
            ]
        case .challengeHandler:
            policy.challengeHandler = ChallengeHandler { challenge in
                if case .serverTrust = challenge.subject { await waiting.wait() }
                return .useDefault
            }
        }
        let trusted = policy
        try await TestServer.withServer(.init(tls: try authority.issue(hosts: ["localhost"]))) { server in
            let engine = PoolSupport.engine { $0.clock = clock }
            guard let proxy else {
                let api = try Wire.session(server.url, engine: engine) { $0.trust.policy = trusted }
                return try await work(api, engine, "get", waiting)
            }
            try await TestProxy.withProxy(.init(proxy, routes: ["localhost:\(server.port)": server.port])) { proxy in
                let settings = ProxySettings.proxy(try Proxy(.http, host: "127.0.0.1", port: proxy.port))
                let api = try Wire.session(server.url, engine: engine) {
                    $0.trust.policy = trusted
                    $0.network.proxies = settings
                }
                try await work(api, engine, "get", waiting)
            }
        }
    }

    private func ends(_ waiting: Waiting, _ count: Int = 1, location: SourceLocation = #_sourceLocation) async {
        let isCancelled = await eventually { waiting.cancelled == count }
        #expect(isCancelled, "\(waiting.cancelled) of \(count)", sourceLocation: location)
    }

    @Test("A cancelled request's evaluator is cancelled, and so is a challenge handler", arguments: Asked.allCases)
    func request(asked: Asked) async throws {
        try await judged(asked) { api, _, path, waiting in
            let task = Task { try await api.get(path) }
            #expect(await eventually { waiting.begun == 1 })
            task.cancel()
            let error = await #expect(throws: SternaError.self) { try await task.value }
            expectEqual(error?.kind, .cancelled)
            await ends(waiting)
        }
    }

    @Test("The same through a proxy")
    func proxied() async throws {
        try await judged(through: .http) { api, _, path, waiting in
            let task = Task { try await api.get(path) }
            #expect(await eventually { waiting.begun == 1 })
            task.cancel()
            _ = await task.result
            await ends(waiting)
        }
    }

    @Test("A time-out of the handshake or of the whole request cancels it", arguments: [true, false])
    func timeout(ofHandshake: Bool) async throws {
        let time = TestClock()
        try await judged(clock: time.clock) { api, _, path, waiting in
            let task = Task {
                try await api.get(path) {
                    if ofHandshake { $0.timeouts.tls = .seconds(1) } else { $0.timeouts.total = .seconds(1) }
                }
            }
            #expect(await eventually { waiting.begun == 1 })
            await Wire.failure(.timedOut, .tls) {
                try await Wire.pass(.seconds(1), on: time) { _ = try await task.value }
            }
            await ends(waiting)
        }
    }

    @Test("The end of the engine cancels it")
    func shutdown() async throws {
        try await judged { api, engine, path, waiting in
            let task = Task { try await api.get(path) }
            #expect(await eventually { waiting.begun == 1 })
            await engine.shutDown(within: .zero)
            _ = await task.result
            await ends(waiting)
        }
    }

    @Test("A server that goes away cancels it")
    func server() async throws {
        let authority = try CertificateAuthority()
        let waiting = Waiting()
        var policy = SecurityPolicy.authority(pem: authority.pem)
        policy.evaluators = [
            TrustEvaluator { evaluation in
                await waiting.wait()
                return evaluation.verdict
            }
        ]
        let server = try await TestServer.start(.init(tls: try authority.issue(hosts: ["localhost"])))
        let api = try Wire.session(server.url) { $0.trust.policy = policy }
        let task = Task { try await api.get("get") }
        #expect(await eventually { waiting.begun == 1 })
        try await server.stop()
        _ = await task.result
        await ends(waiting)
    }
}
