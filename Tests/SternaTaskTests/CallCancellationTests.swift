import NIOCore
import SternaTesting
import Testing

@testable import Sterna
@testable import SternaCore
@testable import SternaTestSupport

@Suite("Calls of verbs that a session cancels", .timeLimit(.minutes(5)))
struct CallCancellationTests {
    @Test("Calls of a scope and of scopes below are cancelled, not those of other scopes or later ones")
    func scopes() {
        let top = CallScope()
        let middle = CallScope(below: top)
        let bottom = CallScope(below: middle)
        let beside = CallScope(below: top)
        func call(_ scope: CallScope) -> Call { Call(deadline: .distantFuture, scope: scope) }
        let calls = [top, middle, bottom, beside].map(call)
        middle.cancel()
        expectEqual(calls.map(\.isCancelled), [false, true, true, false])
        let later = call(bottom)
        #expect(!later.isCancelled)
        top.cancel()
        expectEqual(calls.map(\.isCancelled), [true, true, true, true])
        #expect(later.isCancelled)
        #expect(!call(bottom).isCancelled)
        #expect(!Call(deadline: .distantFuture).isCancelled)
    }

    private func session(_ server: TestServer, _ change: (inout EngineOptions) -> Void = { _ in }) throws -> Session {
        var options = EngineOptions()
        change(&options)
        let engine = Engine(options: options)
        return try Session(baseURL: server.url) {
            $0.network.engine = engine
            $0.responseSerializer = .data
        }
    }

    private func kind(of work: Task<some Sendable, any Error>) async -> SternaError.Kind? {
        do {
            _ = try await work.value
            return nil
        } catch {
            return (error as? SternaError)?.kind
        }
    }

    @Test("Calls are cancelled in every phase; calls of the parent continue", arguments: [false, true])
    func underWay(invalidates: Bool) async throws {
        try await TestServer.withServer { server in
            let release = Gate()
            server.holdAnswer(until: release)
            server.holdBody(of: 50_000_000, until: release)
            let api = try session(server) { $0.maximumConnectionsPerOrigin = 3 }
            let own = api.with { $0.timeouts.betweenBytes = .seconds(50) }
            let above = Task { try await api.get("wait").status }
            try await server.waitForRequests(1, within: 60)
            let waiting = Task { try await own.with { $0.timeouts.write = .seconds(9) }.get("wait").status }
            try await server.waitForRequests(2, within: 60)
            let started = Gate()
            let reading = Task {
                try await own.withResponse(to: .get("held")) { response in
                    var count = 0
                    for try await piece in response.body {
                        count += piece.readableBytes
                        started.open()
                    }
                    return count
                }
            }
            await started.wait()
            let queued = (0..<3).map { _ in Task { try await own.get("get").status } }
            let engine = own.plan.settings.network.engine
            while await engine.statistics().origins.reduce(0, { $0 + $1.waiting }) < 3 {
                try await Task.sleep(for: .milliseconds(2))
            }
            if invalidates { own.invalidateAndCancel() } else { await own.cancelAllTasks() }
            for work in [waiting] + queued { await expectEqual(kind(of: work), .cancelled) }
            await expectEqual(kind(of: reading), .cancelled)
            let again = Task { try await own.get("get").status }
            await expectEqual(kind(of: again), (invalidates ? .shutDown : nil))
            release.open()
            try await expectEqual(above.value, 200)
        }
    }

    @Test("No redirect is followed after the cancellation")
    func redirect() async throws {
        try await TestServer.withServer { server in
            let api = try session(server)
            let release = Gate()
            server.route("GET", "/away") { _ in
                await release.wait()
                return ServerResponse(status: 302, headers: ["Location": "/get"])
            }
            let paused = api.with { settings in
                settings.networkInterceptors = [CancelsBetween { api.invalidateAndCancel() }]
            }
            let call = Task { try await paused.get("away").status }
            release.open()
            await expectEqual(kind(of: call), .cancelled)
        }
    }

    /// Acts between an answer and what follows on it.
    private struct CancelsBetween: Interceptor {
        let act: @Sendable () -> Void

        nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
            let response = try await next(request)
            act()
            return response
        }
    }

    @Test("A session that finishes its tasks lets its calls end, too")
    func finishing() async throws {
        try await TestServer.withServer { server in
            let release = Gate()
            server.holdAnswer(until: release)
            let api = try session(server)
            let call = Task { try await api.get("wait").status }
            try await server.waitForRequests(1, within: 60)
            api.finishTasksAndInvalidate()
            release.open()
            try await expectEqual(call.value, 200)
        }
    }
}
