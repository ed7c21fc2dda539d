import SternaCore
import Synchronization

/// Runs a limited number of blocking look-ups at once; the others wait in order.
///
/// Each look-up runs on its own serial queue, which gets a thread at once. A concurrent queue would have one thread per core, and
/// one more each second. Two names without an answer would then delay all other look-ups, and the reading of files.
final class LookupThreads: Sendable {
    /// The threads shared by all system resolvers.
    static let shared = LookupThreads(limit: 128)

    private struct State {
        var running = 0
        var waiting: [@Sendable () -> Void] = []
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = max(limit, 1) }

    /// The number of jobs that wait for a thread.
    var waitingJobs: Int { state.withLock { $0.waiting.count } }

    /// Runs a job as soon as a thread is free.
    func run(_ job: @escaping @Sendable () -> Void) {
        let mayStart = state.withLock { state in
            guard state.running < limit else {
                state.waiting.append(job)
                return false
            }
            state.running += 1
            return true
        }
        guard mayStart else { return }
        BlockingWork("sterna.resolver", inOrder: true).begin {
            var next: (@Sendable () -> Void)? = job
            while let job = next {
                job()
                next = self.nextJob()
            }
        }
    }

    private func nextJob() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.running -= 1
            return nil
        }
    }
}
