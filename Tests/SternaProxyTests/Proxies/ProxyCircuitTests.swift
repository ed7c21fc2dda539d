import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Circuit breakers of sessions whose requests go through a proxy.
@Suite("Proxies: circuit breakers", .timeLimit(.minutes(5)))
struct ProxyCircuitTests {
    @Test(
        "A request that runs out of time while the authenticator is asked does not open its origin's circuit",
        arguments: [false, true])
    func authenticator(isTunnel: Bool) async throws {
        try await ProxyScene.with(.http, secure: isTunnel, options: .guarded) { scene in
            let time = TestClock()
            var options = EngineOptions()
            options.clock = time.clock
            let (begun, cancelled) = (Counter(), Counter())
            let login = ProxyLogin { _ in
                guard begun.add() == 1 else { return .basic("ada", "pw") }
                do {
                    try await Task.sleep(for: .seconds(3_600))
                } catch {
                    cancelled.add()
                }
                return nil
            }
            let api = try scene.session(login, engine: Engine(options: options)) {
                $0.limits.circuitBreaker = CircuitBreaker(failures: 1)
                $0.timeouts.total = .seconds(600)
            }
            let url = scene.url("/get")
            let task = Task { try await api.get(url) }
            #expect(await eventually { begun.value == 1 })
            await time.advance(by: .seconds(600))
            let error = await #expect(throws: SternaError.self) { try await task.value }
            expectEqual(error?.kind, .timedOut)
            expectEqual(error?.phase, .proxy)
            #expect(await eventually { cancelled.value == 1 })
            try await expectEqual(api.get(url).status, 200)
        }
    }
}
