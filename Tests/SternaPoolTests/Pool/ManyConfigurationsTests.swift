import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Transports are the same for equal configurations as long as somebody has them, also where there are more than a handful.
@Suite("Pool: many configurations", .timeLimit(.minutes(5)))
struct ManyConfigurationsTests {
    private func transport(_ engine: Engine, _ number: Int, byRoute: Bool) -> EngineTransport {
        var policy = SecurityPolicy.system
        var routing = RouteConfiguration()
        if byRoute {
            routing.unixSocket = "/nonexistent/\(number)"
        } else {
            policy.tls.serverName = "n\(number).test"
        }
        return engine.transport(policy, routing: routing)
    }

    @Test("Equal configurations return the same transport", arguments: [70, 300], [false, true])
    func same(count: Int, byRoute: Bool) {
        let engine = PoolSupport.engine()
        let made = (0..<count).map { transport(engine, $0, byRoute: byRoute) }
        for number in made.indices {
            let again = transport(engine, number, byRoute: byRoute)
            let isSame = again === made[number]
            #expect(isSame, "number \(number)")
        }
        let identifiers = Set(made.map { ObjectIdentifier($0) })
        expectEqual(identifiers.count, count)
    }

    @Test("Connections are shared and counted under the last configuration as under the first", arguments: [0, 69])
    func connections(number: Int) async throws {
        try await TestServer.withServer { server in
            let engine = PoolSupport.engine()
            let sessions = try (0..<70).map { number in
                try PoolSupport.session(server.url, engine) { $0.trust.policy.tls.serverName = "n\(number).test" }
            }
            let api = sessions[number]
            // It differs in nothing that a connection is concerned with, and asks for its transport anew.
            let other = api.with { $0.headers["X-Other"] = "1" }
            for session in [api, other, api, other] {
                let status = try await session.get("1k").status
                expectEqual(status, 200)
            }
            expectEqual(server.totalConnections, 1)
            let statistics = await engine.statistics()
            expectEqual(statistics.origins.map(\.open), [1], "\(statistics)")
            expectEqual(statistics.requests, 4)
            expectEqual(statistics.reuses, 3)
            await PoolSupport.expectNothing(engine)
            withExtendedLifetime(sessions) {}
        }
    }
}
