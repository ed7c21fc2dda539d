import Dispatch
import SternaCore
import Synchronization

/// Runs blocking look-ups, some at a time; the others wait in order.
///
/// Each runs on a serial queue of its own, which gets a thread at once. On a concurrent queue there would be as many as
/// cores, and one more each second: two names without an answer would hold up all others, and the reading of files with
/// them.
final class LookupThreads: Sendable {
    /// The threads of all resolvers that ask the system.
    static let shared = LookupThreads(limit: 128)

    private struct State {
        var running = 0
        var waiting: [@Sendable () -> Void] = []
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = max(limit, 1) }

    /// How many jobs wait for a thread.
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
        DispatchQueue(label: "sterna.resolver").async {
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

/// One look-up that a task waits for: it ends once, by its result or by being cancelled, whichever comes first.
final class LookupCall: Sendable {
    typealias Answer = Result<[IPAddress], SternaError>

    private enum State {
        case ready
        case awaited(CheckedContinuation<[IPAddress], any Error>)
        /// With a result that came before anybody waited.
        case done(Answer)
    }

    private let state = Mutex(State.ready)

    /// Whether anybody still waits.
    var isAwaited: Bool {
        state.withLock { state in
            guard case .awaited = state else { return false }
            return true
        }
    }

    /// Takes who waits; false where it is over already.
    func begin(_ continuation: CheckedContinuation<[IPAddress], any Error>) -> Bool {
        let early: Answer? = state.withLock { state in
            if case .done(let answer) = state { return answer }
            state = .awaited(continuation)
            return nil
        }
        if let early { continuation.resume(with: early) }
        return early == nil
    }

    /// Ends it; later ends do not count.
    func finish(_ answer: Answer) {
        let continuation: CheckedContinuation<[IPAddress], any Error>? = state.withLock { state in
            defer { if case .done = state {} else { state = .done(answer) } }
            guard case .awaited(let continuation) = state else { return nil }
            return continuation
        }
        continuation?.resume(with: answer)
    }
}
