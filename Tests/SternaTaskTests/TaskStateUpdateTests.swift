import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("The sequence of a task's states")
struct TaskStateUpdateTests {
    @Test("A reader receives the current state, then the changes up to the end")
    func changes() async throws {
        let api = try Session(baseURL: "http://127.0.0.1:9") { $0.tasks.startsImmediately = false }
        let task = api.dataTask(.get("never"))
        var states = task.states.makeAsyncIterator()
        await expectEqual(states.next(), .suspended)
        task.resume()
        #expect(await states.next() != .suspended)
        _ = try? await task.value
        var last: TaskState?
        while let state = await states.next() { last = state }
        #expect(last == nil || last == .completed)
        expectEqual(task.state, .completed)
    }

    @Test("A task that is cancelled before it begins completes, for earlier and later readers")
    func cancelled() async throws {
        let api = try Session(baseURL: "http://127.0.0.1:9") { $0.tasks.startsImmediately = false }
        let task = api.dataTask(.get("never"))
        let early = Task {
            var seen: [TaskState] = []
            for await state in task.states { seen.append(state) }
            return seen
        }
        task.cancel()
        await expectEqual(early.value.last, .completed)
        var late: [TaskState] = []
        for await state in task.states { late.append(state) }
        expectEqual(late, [.completed])
    }

    @Test("Suspending and resuming a task are reported")
    func suspended() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/held") { _ in
                ServerResponse(
                    body: .stream(length: nil) { writer in
                        while !Task.isCancelled { try await writer.write([7]) }
                    })
            }
            let task = try Session(baseURL: server.url).dataTask(.get("held"))
            var states = task.states.makeAsyncIterator()
            await expectEqual(states.next(), .running)
            task.suspend()
            await expectEqual(states.next(), .suspended)
            task.resume()
            await expectEqual(states.next(), .running)
            task.cancel()
            var last: TaskState?
            while let state = await states.next() { last = state }
            expectEqual(last, .completed)
        }
    }
}
