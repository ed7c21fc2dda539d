import Dispatch
import NIOCore
import SternaTesting
import Synchronization
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Events of tasks", .timeLimit(.minutes(5)))
struct TaskEventTests {
    private func session(
        _ url: String, _ log: TaskEventLines, _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> Session {
        try Session(baseURL: url) {
            $0.network.engine = Engine()
            $0.responseSerializer = .data
            $0.events.observers = [log.observer()]
            $0.callbacks = .queue(DispatchQueue(label: "observers"))
            configure(&$0)
        }
    }

    @Test("Each event calls the observers in their order; the task's own callback comes before the end")
    func order() async throws {
        try await TestServer.withServer { server in
            let log = TaskEventLines()
            let api = try session(server.url, log) {
                $0.events.observers = [log.observer("1"), log.observer("2")]
            }
            api.get(
                "bytes/10", as: DataResponseSerializer(), success: { _, _ in log.add("success") },
                failure: { _, _ in log.add("failure") })
            #expect(await log.ends(with: "2 taskCompleted"))
            let events = [
                "taskCreated /bytes/10", "taskResumed", "responseReceived 200", "dataReceived 10",
                "responseValidated 200", "valueParsed 10", "taskCompleted",
            ]
            let told = log.lines.filter { $0 != "success" }
            expectEqual(told, events.flatMap { ["1 \($0)", "2 \($0)"] })
            let success = try #require(log.lines.firstIndex(of: "success"))
            let end = try #require(log.lines.firstIndex(of: "1 taskCompleted"))
            #expect(success < end)
        }
    }

    @Test("Every kind of task posts a rejected status", arguments: [0, 1, 2])
    func rejected(kind: Int) async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                server.route("GET", "/missing") { _ in ServerResponse(status: 404, body: .bytes([0x6E, 0x6F])) }
                let log = TaskEventLines()
                let api = try session(server.url, log)
                let error = await #expect(throws: SternaError.self) {
                    switch kind {
                    case 0: _ = try await api.dataTask(.get("missing")).value
                    case 1: _ = try await api.streamTask(.get("missing")).value
                    default: _ = try await api.download("missing", to: .file("\(folder)/x")).value
                    }
                }
                expectEqual(error?.kind, .unacceptableStatus)
                #expect(await log.ends(with: "taskCompleted unacceptableStatus"))
                expectEqual(
                    log.steps,
                    [
                        "taskCreated /missing", "taskResumed", "responseReceived 404", "dataReceived 2",
                        "responseValidated 404 unacceptableStatus",
                        "taskCompleted unacceptableStatus",
                    ])
            }
        }
    }

    @Test("A value that cannot be decoded")
    func undecodable() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/bad") { _ in
                ServerResponse(headers: ["Content-Type": "application/json"], body: .bytes([0x7B]))
            }
            let log = TaskEventLines()
            try session(server.url, log).get(
                "bad", as: JSONResponseSerializer(), success: { _, _ in log.add("success") },
                failure: { _, _ in log.add("failure") })
            #expect(await log.ends(with: "taskCompleted decodingFailed"))
            expectEqual(
                log.lines.filter { $0 != "failure" }.suffix(3),
                ["responseValidated 200", "valueParsed decodingFailed", "taskCompleted decodingFailed"])
            expectEqual(log.lines("failure").count, 1)
        }
    }

    @Test("Suspending, resuming and cancelling")
    func states() async throws {
        try await TestServer.withServer { server in
            let log = TaskEventLines()
            let task = try session(server.url, log).dataTask(.get("delay/60"))
            task.suspend()
            task.resume()
            task.cancel()
            #expect(await log.ends(with: "taskCompleted cancelled"))
            expectEqual(
                log.lines,
                [
                    "taskCreated /delay/60", "taskResumed", "taskSuspended", "taskResumed",
                    "taskCancelled", "taskCompleted cancelled",
                ])
        }
    }

    @Test("The invalidation of a session, after its last task")
    func invalidated() async throws {
        try await TestServer.withServer { server in
            let log = TaskEventLines()
            let own = EventLog(.tasks)
            let api = try session(server.url, log) { $0.events.observers += [own.observer] }
            let task = api.dataTask(.get("get"))
            api.finishTasksAndInvalidate()
            _ = try await task.value
            #expect(await log.ends(with: "sessionInvalidated"))
            expectEqual(log.lines.suffix(2), ["taskCompleted", "sessionInvalidated"])
            await api.flushEvents()
            expectEqual(own.events.last?.session?.baseURL, api.baseURL)
            expectEqual(own.events.first?.task?.id, task.id)
            expectEqual(own.events.first?.call?.id, task.id)
        }
    }

    @Test("Progress of an upload")
    func upload() async throws {
        try await TestServer.withServer { server in
            let log = TaskEventLines()
            let api = try session(server.url, log)
            _ = try await api.uploadTask(.upload(.bytes(Bytes(repeating: 0x61, count: 100_000)), to: "post")).value
            #expect(await log.ends(with: "taskCompleted"))
            expectEqual(log.lines("bodyDataSent").last, "bodyDataSent 100000")
        }
    }

    @Test("A download: its progress, its destination and its file")
    func download() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let log = TaskEventLines()
                let api = try session(server.url, log)
                _ = try await api.download("range/10", to: .file("\(folder)/x")).value
                #expect(await log.ends(with: "taskCompleted"))
                // A body that came with its head is received before the response is judged.
                expectEqual(
                    log.steps.filter { $0 != "dataReceived 10" },
                    [
                        "taskCreated /range/10", "taskResumed", "responseReceived 200", "responseValidated 200",
                        "destinationChosen x", "downloadFinished x", "taskCompleted",
                    ])
                expectEqual(log.lines("dataReceived"), ["dataReceived 10"])
                expectEqual(log.lines("bytesWritten").last, "bytesWritten 10")
            }
        }
    }

    @Test("A file that cannot be moved to its destination")
    func notMoved() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let log = TaskEventLines()
                let api = try session(server.url, log)
                _ = try await api.download("range/10", to: .file("\(folder)/x")).value
                #expect(await log.ends(with: "taskCompleted"))
                let task = api.download("range/10", to: .choose { _, _ in "\(folder)/x" })
                await #expect(throws: SternaError.self) { try await task.value }
                #expect(await log.ends(with: "taskCompleted destinationUnusable"))
                expectEqual(
                    log.steps.suffix(3),
                    [
                        "destinationChosen x", "downloadNotMoved x destinationUnusable",
                        "taskCompleted destinationUnusable",
                    ])
            }
        }
    }

    @Test("A download that continues a partial file")
    func resumed() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let (release, size) = (Gate(), 8 << 20)
                server.holdBody(of: size, until: release)
                let log = TaskEventLines()
                let api = try session(server.url, log)
                let first = api.download("held", to: .file("\(folder)/x"))
                for await step in first.progress where step.completed > 1 << 20 { break }
                let data = try #require(await first.cancelProducingResumeData())
                #expect(await log.ends(with: "taskCompleted cancelled"))
                release.open()
                let file = try await api.download("held", to: .file("\(folder)/x")).value
                #expect(await log.ends(with: "taskCompleted"))
                #expect(file.resumedAt > 0)
                expectEqual(log.lines("downloadResumed"), ["downloadResumed \(file.resumedAt) \(size)"])
                expectEqual(data.url.path, "/held")
            }
        }
    }

    @Test("A request that is retried because its connection was closed")
    func retried() async throws {
        func answer(_ letter: String) -> ScriptedServer.Step {
            .send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(letter)")
        }
        let connections: [[ScriptedServer.Step]] = [
            [.receiveHead, answer("a"), .receiveHead, .close], [.receiveHead, answer("b")],
        ]
        try await ScriptedServer.withServer(connections: connections) { server in
            let log = EventLog()
            let api = try session(server.url, TaskEventLines()) { $0.events.observers = [log.observer] }
            _ = try await api.dataTask(.get("first")).value
            let task = api.dataTask(.get("second"))
            _ = try await task.value
            #expect(await eventually { log.lastLines(\.kind.name).last == "taskCompleted" })
            let again = log.lastLines { event in
                guard case .attemptBegan(let reason, let request) = event.kind, event.attempt > 1 else { return nil }
                return "\(event.attempt) \(request.url.path) \(reason)"
            }
            expectEqual(again, ["2 /second staleConnection"])
            // Both families have the number of the call.
            expectEqual(Set(log.events.suffix(5).map(\.call?.id)), [task.id])
        }
    }

    @Test("A task whose request cannot be built")
    func unmade() async throws {
        let log = EventLog(.tasks)
        let api = try Session { $0.events.observers = [log.observer] }
        let task = api.dataTask(.get("http://["))
        _ = try? await task.value
        await api.flushEvents()
        expectEqual(log.events.map(\.kind.name), ["taskCreated", "taskResumed", "taskCompleted"])
        #expect(log.events.allSatisfy { $0.task === task && $0.call == nil })
    }

    @Test("An observer that is added receives events after those before it")
    func added() async throws {
        let (first, second) = (EventLog(.tasks), Counter())
        let api = try Session {
            $0.events.observers = [first.observer]
            $0.events.observe(.tasks) { _ in second.add(1) }
            expectEqual($0.events.observers.map(\.families), [.tasks, .tasks])
        }
        _ = try? await api.dataTask(.get("http://[")).value
        await api.flushEvents()
        expectEqual(first.events.count, 3)
        expectEqual(second.value, 3)
    }

    @Test("A task that is cancelled silently has no further events")
    func silent() async throws {
        try await TestServer.withServer { server in
            let log = TaskEventLines()
            let api = try session(server.url, log)
            let task = api.dataTask(.get("delay/60"))
            task.cancel(silently: true)
            _ = try? await task.value
            await api.flushEvents()
            expectEqual(log.lines, ["taskCreated /delay/60", "taskResumed"])
        }
    }

    @Test("Progress is coalesced while an observer is busy, and the last is delivered")
    func coalesced() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let seen = Mutex<[Int64]>([])
                let isReleased = DispatchSemaphore(value: 0)
                let api = try session(server.url, TaskEventLines()) {
                    $0.events.observers = [
                        EventObserver(.tasks) { event in
                            guard case .bytesWritten(let progress) = event.kind else { return }
                            let count = seen.withLock { seen in
                                seen.append(progress.completed)
                                return seen.count
                            }
                            if count == 1 { isReleased.wait() }
                        }
                    ]
                }
                _ = try await api.download("range/20000000", to: .file("\(folder)/x")).value
                isReleased.signal()
                #expect(await eventually { seen.withLock { $0.last } == 20_000_000 })
                #expect(seen.withLock { $0.count } <= 3)
            }
        }
    }

    @Test("Events do not retain a stream task after its end, with its body read or unread", arguments: [true, false])
    func released(reads: Bool) async throws {
        try await TestServer.withServer { server in
            let api = try session(server.url, TaskEventLines())
            weak var weakTask: DataStreamTask?
            do {
                let task = api.streamTask(.get("range/200000"))
                weakTask = task
                _ = try await task.value
                if reads {
                    var count = 0
                    for try await piece in task.bytes { count += piece.readableBytes }
                    expectEqual(count, 200_000)
                } else {
                    task.cancel()
                }
            }
            #expect(await eventually { weakTask == nil })
        }
    }

    @Test("Without observers a task has no events, and no callback queue")
    func none() throws {
        let task = try Session { $0.tasks.startsImmediately = false }.dataTask(.get("http://127.0.0.1:1/"))
        #expect(task.events == nil && task.callbackQueue == nil)
    }
}
