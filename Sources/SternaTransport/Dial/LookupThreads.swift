import Dispatch
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

/// One look-up that a task waits for. It ends once, by its result or its cancellation, whichever comes first.
final class LookupCall: Sendable {
    typealias Answer = Result<[IPAddress], SternaError>

    private enum State {
        case ready
        case awaited(CheckedContinuation<[IPAddress], any Error>)
        /// Done, with a result that arrived before the task waited.
        case done(Answer)
    }

    private let state = Mutex(State.ready)

    /// Whether the task still waits.
    var isAwaited: Bool {
        state.withLock { state in
            guard case .awaited = state else { return false }
            return true
        }
    }

    /// Sets the continuation of the waiting task. Returns false if the look-up is already done, and resumes the task at once.
    func begin(_ continuation: CheckedContinuation<[IPAddress], any Error>) -> Bool {
        let early: Answer? = state.withLock { state in
            if case .done(let answer) = state { return answer }
            state = .awaited(continuation)
            return nil
        }
        if let early { continuation.resume(with: early) }
        return early == nil
    }

    /// Ends the look-up; later results are ignored.
    func finish(_ answer: Answer) {
        let continuation: CheckedContinuation<[IPAddress], any Error>? = state.withLock { state in
            defer { if case .done = state {} else { state = .done(answer) } }
            guard case .awaited(let continuation) = state else { return nil }
            return continuation
        }
        continuation?.resume(with: answer)
    }
}
