import Sterna
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Queue: readers of its events", .timeLimit(.minutes(5)))
struct QueueReaderTests {
    @Test("Events are posted while readers are cancelled, and neither waits for the other")
    func cancelled() async throws {
        let queue = TransferQueue(with: try Session())
        for _ in 0..<500 {
            let readers = (0..<4).map { _ in Task { for await _ in queue.events {} } }
            await withTaskGroup { group in
                group.addTask { for _ in 0..<20 { queue.post(.queueFinished(finished: 1, failed: 0)) } }
                group.addTask { for reader in readers { reader.cancel() } }
            }
            for reader in readers { await reader.value }
        }
    }
}
