import Logging
import ServiceLifecycle
import Sterna
import SternaCore
import SternaLifecycle
import SternaTesting
import SternaTransfers
import Testing

@testable import SternaTestSupport

/// Engines, queues and stores as services of swift-service-lifecycle.
@Suite("Lifecycle", .timeLimit(.minutes(5)))
struct LifecycleTests {
    /// A service that opens a gate when its group runs.
    private struct Start: Service {
        let gate = Gate()

        func run() async throws {
            gate.open()
            try await gracefulShutdown()
        }
    }

    /// Runs services in a group, and returns it when they run.
    private func start(_ services: [any Service]) async -> (ServiceGroup, Task<Void, any Error>) {
        let start = Start()
        let group = ServiceGroup(services: services + [start], logger: Logger(label: "test"))
        let running = Task { try await group.run() }
        await start.gate.wait()
        return (group, running)
    }

    @Test("A group's graceful shutdown lets running requests end, and refuses further ones")
    func engine() async throws {
        try await TestServer.withServer { server in
            let gate = Gate()
            server.route("GET", "/held") { _ in
                await gate.wait()
                return .text("a")
            }
            // Time stands still, so that the engine's grace of 30 s does not end.
            let time = TestClock()
            var options = EngineOptions()
            options.clock = time.clock
            let engine = Engine(options: options)
            let api = try Session(baseURL: server.url) {
                $0.network.engine = engine
                $0.retry = .none
                $0.timeout = .seconds(3_600)
            }
            let (group, running) = await start([engine])
            let held = Task { try await api.get("held").status }
            try await server.waitForRequests(1)
            await group.triggerGracefulShutdown()
            let isRefused = await eventually {
                await failure(of: Task { try await api.get("get").status }) == .shutDown
            }
            #expect(isRefused)
            gate.open()
            try await expectEqual(held.value, 200)
            try await running.value
            let isClosed = await eventually { server.openConnections == 0 }
            #expect(isClosed)
        }
    }

    @Test("Cancellation ends running requests at once")
    func cancelled() async throws {
        try await TestServer.withServer { server in
            let engine = Engine()
            let api = try Session(baseURL: server.url) {
                $0.network.engine = engine
                $0.retry = .none
                $0.timeout = .seconds(3_600)
            }
            let running = Task { try await engine.run() }
            let held = Task { try await api.get("fault/never").status }
            try await server.waitForRequests(1)
            running.cancel()
            await expectEqual(failure(of: held), .shutDown)
            try await running.value
        }
    }

    @Test("A queue and a store stop with their group")
    func transfers() async throws {
        let folder = try TestFolder()
        let store = try TransferStore(folder: folder.path)
        let queue = TransferQueue()
        let (group, running) = await start([store, queue])
        await group.triggerGracefulShutdown()
        try await running.value
        #expect(queue.isSuspended)
    }
}
