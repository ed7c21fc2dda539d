import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The figures of an engine's connection pool.
@Suite("Pool figures", .timeLimit(.minutes(5)))
struct PoolFiguresTests {
    private func expect(
        _ engine: Engine, busy: Int, idle: Int, waiting: Int, location: SourceLocation = #_sourceLocation
    ) async {
        let isReached = await eventually {
            let figures = await engine.statistics()
            return (figures.busy, figures.idle, figures.waiting, figures.dialling) == (busy, idle, waiting, 0)
        }
        let figures = await engine.statistics()
        #expect(isReached, "\(figures)", sourceLocation: location)
    }

    @Test("Busy, idle and waiting, in all and by origin")
    func figures() async throws {
        try await TestServer.withServer { server in
            let gate = Gate()
            server.route("GET", "/held") { _ in
                await gate.wait()
                return .text("a")
            }
            var options = EngineOptions()
            (options.maximumConnectionsPerOrigin, options.idleTimeout) = (2, .seconds(3_600))
            let engine = Engine(options: options)
            let api = try Session(baseURL: server.url) {
                $0.network.engine = engine
                $0.timeout = .seconds(3_600)
            }
            #expect(await engine.statistics().origins.isEmpty)
            let work = (0..<3).map { _ in Task { try await api.get("held").status } }
            await expect(engine, busy: 2, idle: 0, waiting: 1)
            let origin = try #require(await engine.statistics().origins.first)
            expectEqual(origin.origin, try HTTPURL(server.url).origin)
            expectEqual([origin.busy, origin.idle, origin.waiting, origin.open], [2, 0, 1, 2])
            await expectEqual(engine.statistics().activeRequests, 3)
            gate.open()
            for task in work { try await expectEqual(task.value, 200) }
            await expect(engine, busy: 0, idle: 2, waiting: 0)
            engine.closeIdleConnections()
            await expect(engine, busy: 0, idle: 0, waiting: 0)
        }
    }
}
