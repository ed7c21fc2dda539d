import Dispatch
import HTTPTypes
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

@Suite("Completion groups", .timeLimit(.minutes(5)))
struct CompletionGroupTests {
    private func session(_ server: TestServer, _ group: DispatchGroup?, _ log: TaskEventLines? = nil) throws -> Session
    {
        try Session(baseURL: server.url) {
            $0.network.engine = Engine()
            $0.responseSerializer = .data
            $0.tasks.completionGroup = group
            $0.callbacks = .queue(DispatchQueue(label: "group"))
            if let log { $0.events.observers = [log.observer()] }
        }
    }

    private func over(_ group: DispatchGroup) async {
        await withCheckedContinuation { continuation in
            group.notify(queue: .global()) { continuation.resume() }
        }
    }

    @Test("A group is empty after the last callback and the last event of all its tasks")
    func last() async throws {
        try await TestServer.withServer { server in
            let (group, log) = (DispatchGroup(), TaskEventLines())
            let api = try session(server, group, log)
            for count in 1...10 {
                api.get(
                    count.isMultiple(of: 3) ? "status/500" : "bytes/\(count)", as: DataResponseSerializer(),
                    success: { _, _ in log.add("called") }, failure: { _, _ in log.add("called") })
            }
            await over(group)
            expectEqual(log.lines("called").count, 10)
            expectEqual(log.lines("taskCompleted").count, 10)
        }
    }

    @Test("A task without callbacks, cancelled silently, never resumed or never built leaves its group")
    func others() async throws {
        try await TestServer.withServer { server in
            let group = DispatchGroup()
            let api = try session(server, group)
            _ = try await api.dataTask(.get("get")).value
            await over(group)
            let log = TaskEventLines()
            let silent = try session(server, group, log).dataTask(.get("delay/60"))
            silent.cancel(silently: true)
            await over(group)
            _ = api.with { $0.tasks.startsImmediately = false }.dataTask(.get("get"))
            await over(group)
            api.get("http://[", success: { _, _ in log.add("success") }, failure: { _, _ in log.add("failure") })
            await over(group)
            expectEqual(log.lines.last, "failure")
        }
    }

    @Test("The group of a request replaces the session's")
    func own() async throws {
        try await TestServer.withServer { server in
            let (shared, own, release) = (DispatchGroup(), DispatchGroup(), Gate())
            server.holdAnswer(until: release)
            let api = try session(server, shared)
            let task = api.dataTask(.get("wait") { $0.tasks.completionGroup = own })
            await over(shared)
            expectEqual(own.wait(timeout: .now()), .timedOut)
            release.open()
            _ = try await task.value
            await over(own)
        }
    }

    @Test("A request that cannot be built is in its own group until its callback has run, and not in the session's")
    func unbuilt() async throws {
        let (shared, queue) = (DispatchGroup(), DispatchQueue(label: "unbuilt"))
        let (api, mock) = try mocked {
            $0.tasks.completionGroup = shared
            $0.callbacks = .queue(queue)
        }
        let kinds: [(DispatchGroup, @escaping Session.Failure) -> DataTask?] = [
            { own, failure in
                api.get("http://[", success: { _, _ in }, failure: failure) { $0.tasks.completionGroup = own }
            },
            { own, failure in
                api.upload(file: "/dev/null/a", to: "b", success: { _, _ in }, failure: failure) {
                    $0.tasks.completionGroup = own
                }
            },
            { own, failure in
                api.upload(
                    "b", method: .get, multipart: { _ in }, success: { _, _ in }, failure: failure
                ) { $0.tasks.completionGroup = own }
            },
        ]
        for begin in kinds {
            let (own, failures) = (DispatchGroup(), Counter())
            // The callbacks wait, so that the groups can be looked at before.
            queue.suspend()
            let task = begin(own) { _, _ in failures.add(1) }
            expectNil(task)
            expectEqual(own.wait(timeout: .now()), .timedOut)
            expectEqual(shared.wait(timeout: .now()), .success)
            queue.resume()
            await over(own)
            expectEqual(failures.value, 1)
        }
        #expect(mock.requests.isEmpty)
    }

    @Test("A request that is sent again as it is keeps its group")
    func ready() async throws {
        let (shared, own) = (DispatchGroup(), DispatchGroup())
        let (api, _) = try mocked { $0.tasks.startsImmediately = false }
        let sessions = api.with { $0.tasks.completionGroup = shared }
        let first = sessions.dataTask(.get("a") { $0.tasks.completionGroup = own })
        let again = sessions.dataTask(try #require(first.originalRequest))
        expectEqual(shared.wait(timeout: .now()), .success)
        expectEqual(own.wait(timeout: .now()), .timedOut)
        first.cancel()
        again.cancel()
        await over(own)
    }

    @Test("The request for the length of a task's content has no task, and is sent without the group")
    func length() async throws {
        let group = DispatchGroup()
        let (api, mock) = try mocked(by: MockTransport { _ in .init(headers: ["Content-Length": "7"]) }) {
            $0.responseSerializer = .data
            $0.tasks.startsImmediately = false
        }
        let task = api.dataTask(.get("a") { $0.tasks.completionGroup = group })
        let length = await task.contentLength()
        expectEqual(length, 7)
        expectEqual(mock.requests.map(\.method), [.head])
        expectEqual(group.wait(timeout: .now()), .timedOut)
        task.cancel()
        await over(group)
    }
}
