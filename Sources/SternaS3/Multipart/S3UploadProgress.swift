import Sterna
import Synchronization

/// The progress of parts that are sent at the same time. A failed part takes back only its own bytes.
final class S3UploadProgress: Sendable {
    private let state: Mutex<State>
    private let total: Int64
    private let report: @Sendable (TransferProgress) -> Void

    private struct State {
        /// The bytes of complete parts.
        var done: Int64
        /// The bytes of running parts, by number.
        var sent: [Int: Int64] = [:]

        var sum: Int64 { sent.values.reduce(done) { $0 &+ $1 } }
    }

    init(done: Int64, total: Int64, _ report: @escaping @Sendable (TransferProgress) -> Void) {
        state = Mutex(State(done: done))
        self.total = total
        self.report = report
    }

    /// Records how much of a part was sent.
    func sent(_ bytes: Int64, of part: Int, size: Int64) {
        tell { $0.sent[part] = max(0, min(bytes, size)) }
    }

    /// Records that a part is complete.
    func finished(_ part: Int, size: Int64) {
        tell {
            $0.sent[part] = nil
            $0.done &+= size
        }
    }

    /// Records that a part has failed.
    func failed(_ part: Int) { tell { $0.sent[part] = nil } }

    // Under the lock, so that no older sum is reported after a newer one; the receiver returns at once.
    private func tell(_ change: (inout sending State) -> Void) {
        state.withLock { state in
            change(&state)
            report(TransferProgress(completed: min(state.sum, total), total: total))
        }
    }
}
