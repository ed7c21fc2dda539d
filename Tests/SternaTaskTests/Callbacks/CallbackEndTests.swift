import Dispatch
import SternaCore
import Synchronization
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Callbacks: no report follows the end")
struct CallbackEndTests {
    private final class Record: Sendable {
        let events = Mutex<[Int64]>([])
        private let (stream, continuation) = AsyncStream<Void>.makeStream()

        func add(_ event: Int64) { events.withLock { $0.append(event) } }

        func end() {
            add(-1)
            continuation.finish()
        }

        func ended() async { for await _ in stream {} }
    }

    /// Lets two threads through at the same moment, or one that has waited for long.
    private final class Rendezvous: Sendable {
        private let count = Atomic<Int>(0)

        func pass() {
            count.add(1, ordering: .relaxed)
            for _ in 0..<10_000 where count.load(ordering: .relaxed) < 2 {}
        }

        func spin() { count.add(1, ordering: .relaxed) }
    }

    @Test("A report that is concurrent with the end precedes it or is dropped", arguments: [true, false])
    func race(onQueue: Bool) async throws {
        let queue = DispatchQueue(label: "test")
        var late = 0
        var lost = 0
        for _ in 0..<5_000 {
            let record = Record()
            let callbackQueue = UserCallbackQueue(onQueue ? .queue(queue) : .executor(globalConcurrentExecutor))
            let reports = TaskReports(callbackQueue: callbackQueue, traffic: TransferTraffic())
            reports.connect { record.add($0.upload.completed) }
            // Threads of their own: spinning on one of the pool's could keep the other side from its turn.
            await withCheckedContinuation { done in
                DispatchQueue.global().async {
                    let gate = Rendezvous()
                    DispatchQueue.concurrentPerform(iterations: 2) { side in
                        if side == 0 {
                            // The end waits for the lock that is held here, and runs as soon as it is free.
                            reports.report {
                                gate.pass()
                                $0.upload = TransferProgress(completed: 1)
                                for _ in 0..<1_000 { gate.spin() }
                            }
                        } else {
                            gate.pass()
                            reports.end(succeeded: false)
                            callbackQueue.end {
                                reports.deliver()
                                record.end()
                            }
                        }
                    }
                    done.resume()
                }
            }
            await record.ended()
            // Whatever was posted behind the end has run when this has.
            let drained = DispatchQueue(label: "drain", target: queue)
            await withCheckedContinuation { ended in drained.async { ended.resume() } }
            let events = record.events.withLock { $0 }
            if events.last != -1 { late += 1 }
            if reports.progress.upload.completed == 1, !events.contains(1) { lost += 1 }
        }
        expectEqual(late, 0)
        expectEqual(lost, 0)
    }
}
