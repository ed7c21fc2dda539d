import Dispatch
import NIOCore
import SternaCore
import SternaSerialization
import Synchronization
import Testing

@testable import SternaTestSupport

@Suite("Undoing a coding takes turns")
struct DecodingTurnsTests {
    /// One thread for all of its tasks, as an event loop is.
    private final class OneThread: TaskExecutor {
        private let queue = DispatchQueue(label: "one")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    private final class Ticks: Sendable {
        let count = Atomic<Int>(0)
    }

    @Test("Others on the same thread go on while a small body becomes a large one")
    func turns() async throws {
        let coded = Zlib.deflate([UInt8](repeating: 0, count: 16 << 20), .gzip)
        let ticks = Ticks()
        let thread = OneThread()
        let ticker = Task(executorPreference: thread) {
            while !Task.isCancelled {
                ticks.count.add(1, ordering: .relaxed)
                await Task.yield()
            }
        }
        let seen = try await Task(executorPreference: thread) {
            var limits = DecodingLimits()
            limits.ratio = 10_000
            let body = DecodedBody(ResponseBody(Bytes(copying: coded)), codings: [.gzip], limits: limits)
            let before = ticks.count.load(ordering: .relaxed)
            var total = 0
            while let piece = try await body.next() { total += piece.readableBytes }
            expectEqual(total, 16 << 20)
            return ticks.count.load(ordering: .relaxed) - before
        }.value
        ticker.cancel()
        #expect(seen > 30)
    }
}
