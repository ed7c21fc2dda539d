import Dispatch
import NIOCore
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

@Suite("Tasks: streams with callbacks", .timeLimit(.minutes(5)))
struct StreamCallbackTests {
    private struct Line: Decodable, Sendable {
        let id: Int
    }

    private func session(_ server: TestServer, decisions: TaskDecisions? = nil) throws -> Session {
        try Session(baseURL: server.url) {
            $0.network.engine = Engine()
            $0.responseSerializer = .data
            $0.callbacks = .queue(DispatchQueue(label: "test.streams"))
            $0.tasks.decisions = decisions
        }
    }

    /// Collects what callbacks receive.
    private final class Log<Entry: Sendable>: Sendable {
        private let list = Mutex<[Entry]>([])
        var entries: [Entry] { list.withLock { $0.map { $0 } } }
        func add(_ entry: Entry) { list.withLock { $0.append(entry) } }
    }

    private func completed(
        _ begin: (@escaping DataStreamTask.Completion) -> Void
    ) async -> SternaError? {
        await withCheckedContinuation { continuation in begin { continuation.resume(returning: $0) } }
    }

    @Test("Bytes, text, lines and values, with and without decisions", arguments: [false, true])
    func kinds(hasDecisions: Bool) async throws {
        try await TestServer.withServer { server in
            let api = try session(server, decisions: hasDecisions ? TaskDecisions() : nil)
            let counts = Log<Int>()
            let ended = await completed { done in
                api.streamTask(.get("stream-bytes/3000000")).onBytes({ counts.add($0.readableBytes) }, completion: done)
            }
            expectNil(ended)
            expectEqual(counts.entries.reduce(0, +), 3_000_000)
            let texts = Log<String>()
            _ = await completed { done in
                api.streamTask(.get("stream/50")).onStrings({ texts.add($0) }, completion: done)
            }
            let lines = Log<String>()
            _ = await completed { done in
                api.streamTask(.get("stream/50")).onLines({ lines.add($0) }, completion: done)
            }
            expectEqual(lines.entries.count, 50)
            expectEqual(texts.entries.joined().split(separator: "\n").count, 50)
            let ids = Log<Int>()
            _ = await completed { done in
                api.streamTask(.get("stream/50")).onJSONLines(of: Line.self, { ids.add($0.id) }, completion: done)
            }
            expectEqual(ids.entries, Array(0..<50))
        }
    }

    @Test("A callback that has not returned holds back the body")
    func backPressure() async throws {
        try await TestServer.withServer { server in
            let release = Gate()
            let size = 64 << 20
            let sent = Gate()
            let written = server.holdBody(of: size, until: sent)
            let total = Mutex(0)
            let ended = Task {
                await completed { done in
                    let task = try? session(server).streamTask(.get("held"))
                    task?.onBytes(
                        { piece in
                            await release.wait()
                            total.withLock { $0 += piece.readableBytes }
                        }, completion: done)
                }
            }
            sent.open()
            // The server stops when the buffers on the way are full.
            var last = -1
            while written.value != last || last == 0 {
                last = written.value
                try await Task.sleep(for: .milliseconds(300))
            }
            #expect(last < size)
            expectEqual(total.withLock { $0 }, 0)
            release.open()
            await expectNil(ended.value)
            expectEqual(total.withLock { $0 }, size)
        }
    }

    @Test("The completion follows the data callbacks and precedes the task's last event")
    func order() async throws {
        try await TestServer.withServer { server in
            let log = Log<String>()
            var decisions = TaskDecisions()
            decisions.dataReceived = { _, _ in log.add("data") }
            let observer = EventObserver(.tasks) { event in
                if case .taskCompleted = event.kind { log.add("completed") }
            }
            let api = try session(server, decisions: decisions).with { $0.events.observers = [observer] }
            let task = api.streamTask(.get("bytes/10"))
            task.onBytes({ _ in log.add("bytes") }, completion: { _ in log.add("completion") })
            #expect(await eventually { log.entries.last == "completed" })
            expectEqual(log.entries, ["data", "bytes", "completion", "completed"])
        }
    }

    @Test("The completion has the error of an invalid line, a rejected status or a cancelled task")
    func failures() async throws {
        try await TestServer.withServer { server in
            let api = try session(server)
            let long = await completed { done in
                api.streamTask(.get("stream/5")).onLines(upTo: 3, { _ in }, completion: done)
            }
            expectEqual(long?.kind, .limitExceeded)
            let wrong = await completed { done in
                api.streamTask(.get("stream/5")).onJSONLines(of: [Int].self, { _ in }, completion: done)
            }
            expectEqual(wrong?.kind, .decodingFailed)
            let rejected = await completed { done in
                api.streamTask(.get("status/500")).onBytes({ _ in }, completion: done)
            }
            expectEqual(rejected?.kind, .unacceptableStatus)
            let task = api.streamTask(.get("drip?duration=60"))
            let cancelled = await completed { done in
                task.onBytes({ _ in }, completion: done)
                task.cancel()
            }
            expectEqual(cancelled?.kind, .cancelled)
        }
    }

    @Test("Text in pieces that split no character")
    func strings() async throws {
        let text = String(repeating: "naïve €5 🐦 ", count: 20_000)
        try await TestServer.withServer { server in
            server.route("GET", "/text") { _ in
                ServerResponse(
                    body: .stream(length: text.utf8.count) { writer in
                        let bytes = Array(text.utf8)
                        for start in stride(from: 0, to: bytes.count, by: 4_001) {
                            try await writer.write(Array(bytes[start..<min(start + 4_001, bytes.count)]))
                        }
                    })
            }
            var all = ""
            for try await piece in try session(server).streamTask(.get("text")).strings { all += piece }
            expectEqual(all, text)
        }
    }
}
