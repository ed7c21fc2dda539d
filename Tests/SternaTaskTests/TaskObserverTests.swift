import Dispatch
import NIOCore
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

@Suite("Observers of tasks", .timeLimit(.minutes(5)))
struct TaskObserverTests {
    private func session(
        _ url: String, _ log: TaskEventLines, _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> Session {
        try Session(baseURL: url) {
            $0.engine = Engine()
            $0.responseSerializer = .data
            $0.taskObservers = [log.observer()]
            $0.callbacks = .queue(DispatchQueue(label: "observers"))
            configure(&$0)
        }
    }

    @Test(
        "Each event calls its closure first, then the observers in their order; the task's own callback comes before the end"
    )
    func order() async throws {
        try await TestServer.withServer { server in
            let log = TaskEventLines()
            let api = try session(server.url, log) {
                $0.hooks = log.hooks("0")
                $0.taskObservers = [log.observer("1"), log.observer("2")]
                $0.collectsMetrics = true
            }
            api.get(
                "bytes/10", as: DataResponseSerializer(), success: { _, _ in log.add("success") },
                failure: { _, _ in log.add("failure") })
            #expect(await log.ends(with: "2 taskCompleted"))
            func each(_ events: [String]) -> [String] { events.flatMap { event in (0...2).map { "\($0) \(event)" } } }
            let before = [
                "requestCreated /bytes/10", "taskCreated", "taskResumed", "responseReceived 200 allow",
                "dataReceived 10", "responseValidated 200", "valueParsed 10", "metricsCollected 1",
            ]
            expectEqual(log.lines, each(before) + ["success"] + each(["taskCompleted"]))
        }
    }

    @Test("A rejected status, of every kind of task", arguments: [0, 1, 2])
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
                        "requestCreated /missing", "taskCreated", "taskResumed", "responseReceived 404 allow",
                        "dataReceived 2", "responseValidated 404 unacceptableStatus",
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
                log.lines.suffix(4),
                [
                    "responseValidated 200", "valueParsed decodingFailed", "failure", "taskCompleted decodingFailed",
                ])
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
                    "requestCreated /delay/60", "taskCreated", "taskResumed", "taskSuspended", "taskResumed",
                    "taskCancelled", "taskCompleted cancelled",
                ])
        }
    }

    @Test("The invalidation of a session, after its last task")
    func invalidated() async throws {
        try await TestServer.withServer { server in
            let log = TaskEventLines()
            let api = try session(server.url, log) { $0.hooks = log.hooks("hook") }
            let task = api.dataTask(.get("get"))
            api.finishTasksAndInvalidate()
            _ = try await task.value
            let met = await eventually { log.lines("hook sessionInvalidated", "sessionInvalidated").count == 2 }
            #expect(met)
            let end = try #require(log.lines.firstIndex(of: "hook sessionInvalidated"))
            #expect(log.lines[end...].first { $0.hasSuffix("sessionInvalidated") && !$0.hasPrefix("hook") } != nil)
        }
    }

    @Test("Progress of an upload")
    func upload() async throws {
        try await TestServer.withServer { server in
            let log = TaskEventLines()
            let api = try session(server.url, log) { $0.hooks = log.hooks("hook") }
            _ = try await api.uploadTask(.upload(.bytes(Bytes(repeating: 0x61, count: 100_000)), to: "post")).value
            #expect(await log.ends(with: "taskCompleted"))
            let sent = log.lines("hook bodyDataSent", "bodyDataSent")
            expectEqual(sent.suffix(2), ["hook bodyDataSent 100000", "bodyDataSent 100000"])
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
                        "requestCreated /range/10", "taskCreated", "taskResumed", "responseReceived 200 allow",
                        "responseValidated 200", "destinationChosen x", "downloadFinished x", "taskCompleted",
                    ])
                expectEqual(log.lines("dataReceived"), ["dataReceived 10"])
                expectEqual(log.lines("bytesWritten").last, "bytesWritten 10")
            }
        }
    }

    @Test("A file that cannot be moved to its place")
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

    @Test("A download that goes on behind what is there")
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

    @Test("A request that is sent again, since its connection was closed")
    func retried() async throws {
        func answer(_ letter: String) -> ScriptedServer.Step {
            .send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(letter)")
        }
        let connections: [[ScriptedServer.Step]] = [
            [.receiveHead, answer("a"), .receiveHead, .close], [.receiveHead, answer("b")],
        ]
        try await ScriptedServer.withServer(connections: connections) { server in
            let log = TaskEventLines()
            let api = try session(server.url, log) { $0.hooks = log.hooks("hook") }
            _ = try await api.dataTask(.get("first")).value
            #expect(await log.ends(with: "taskCompleted"))
            _ = try await api.dataTask(.get("second")).value
            #expect(await eventually { log.lines("taskCompleted").count == 2 })
            expectEqual(
                log.lines("hook taskRetried", "taskRetried"),
                [
                    "hook taskRetried /second 2", "taskRetried /second 2",
                ])
        }
    }
}
