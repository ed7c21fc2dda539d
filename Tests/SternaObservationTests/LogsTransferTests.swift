import Logging
import SternaCore
import SternaTesting
import SternaTransfers
import Synchronization
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// The lines of queues of transfers.
@Suite("Logs: transfers", .timeLimit(.minutes(5)))
struct LogsTransferTests {
    /// Runs a queue of one data task, and returns the lines of the family `transfers`.
    private func lines(_ level: Logger.Level, _ response: ServerResponse) async throws -> LogLines {
        let logs = LogLines(level)
        let (api, _) = try mocked(by: MockTransport { _ in response }) {
            $0.retry = .none
            $0.events.log(.transfers, to: logs.logger)
        }
        let queue = TransferQueue(with: api) { $0.retries = 0 }
        let transfer = try queue.add { $0.dataTask(.get("users")) }
        queue.start()
        try await transfer.end()
        await api.flushEvents()
        if level <= .debug { #expect(await eventually { logs.lines.contains("debug Queue finished") }) }
        return logs
    }

    @Test("A transfer that succeeds")
    func finished() async throws {
        let logs = try await lines(.debug, .json([:]))
        expectEqual(
            logs.lines,
            [
                "debug Transfer started", "debug Transfer headers received", "debug Transfer finished",
                "debug Queue finished",
            ])
        expectEqual(Set(logs.values("sterna.transfer")).count, 1)
        expectEqual(logs.values("sterna.transfer").count, 3)
        expectEqual(logs.values("sterna.queue.finished"), ["1"])
    }

    @Test("A transfer that fails is a warning")
    func failed() async throws {
        let logs = try await lines(.debug, .json([:], status: 404))
        expectEqual(logs.lines.filter { $0.hasPrefix("warning") }, ["warning Transfer failed"])
        expectEqual(logs.first("Transfer failed")?["error.type"], "unacceptableStatus")
    }

    @Test("None for a logger that does not want debug")
    func info() async throws {
        try await expectEqual(lines(.info, .json([:])).lines, [])
    }

    @Test("Transfers do not run with the task-local values of the task that begins them, or of another transfer")
    func taskLocals() async throws {
        let seen = Mutex<[String]>([])
        let mock = MockTransport { request in
            seen.withLock { $0.append(Caller.current ?? "none") }
            return .text(request.url.path)
        }
        let (api, _) = try mocked(by: mock)
        let queue = TransferQueue(with: api) { $0.concurrency = 1 }
        let transfers = try (0..<3).map { number in
            try Caller.$current.withValue("adds") { try queue.add { $0.dataTask(.get("\(number)")) } }
        }
        Caller.$current.withValue("starts") { queue.start() }
        for transfer in transfers { try await transfer.end() }
        expectEqual(seen.withLock { $0 }, ["none", "none", "none"])
    }
}

private enum Caller {
    @TaskLocal static var current: String?
}
