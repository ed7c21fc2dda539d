import HTTPTypes
import NIOCore
import SternaCore
import Synchronization

/// A gate that a suspended task closes, so that its work stops before the next piece of a body.
final class TaskGate: Sendable {
    private struct State {
        var isOpen: Bool
        var isUnlocked = false
        var waiters: [Int: CheckedContinuation<Void, any Error>] = [:]
        var lastWaiter = 0
        var isReleasable = false
        var releases = 0
        var hasReleased = false

        // Waits that end when the connections are given up.
        var timedWaits: [Int: Task<Void, any Error>] = [:]
    }

    private let state: Mutex<State>

    init(isOpen: Bool = true) { state = Mutex(State(isOpen: isOpen)) }

    var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Makes ``pass()`` wait, unless the gate was unlocked.
    func close() { state.withLock { $0.isOpen = $0.isUnlocked } }

    /// Resumes all waiters.
    func open() { open(forGood: false) }

    /// Resumes all waiters, and leaves the gate open: the task is over, or was cancelled, and a `suspend()` at the same time has no effect.
    func unlock() { open(forGood: true) }

    private func open(forGood: Bool) {
        let waiters = state.withLock { state in
            state.isOpen = true
            state.hasReleased = false
            if forGood { state.isUnlocked = true }
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns at once if the gate is open, else when it opens; throws `cancelled` if the Swift task is cancelled.
    func pass() async throws {
        let waiter: Int? = state.withLock { state in
            guard !state.isOpen else { return nil }
            state.lastWaiter += 1
            return state.lastWaiter
        }
        guard let waiter else { return }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let result: Result<Void, any Error>? = state.withLock { state in
                    if Task.isCancelled { return .failure(SternaError.cancelled(phase: .read)) }
                    if state.isOpen { return .success(()) }
                    state.waiters[waiter] = continuation
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: waiter) }?
                .resume(throwing: SternaError.cancelled(phase: .read))
        }
    }
}

extension TaskGate {
    // MARK: Giving connections up

    /// Whether the task can go on with another request, unnoticed by its user, if its connections are given up while the gate is closed.
    var isReleasable: Bool {
        get { state.withLock { $0.isReleasable } }
        set { state.withLock { $0.isReleasable = newValue } }
    }

    /// How often connections were given up. A request that fails after a change was ended by that.
    var releases: Int { state.withLock { $0.releases } }

    /// The number of pending waits with a limit.
    var timedWaitCount: Int { state.withLock { $0.timedWaits.count } }

    /// Lets the task's connections be given up, once while the gate is closed; returns whether they may.
    func release() -> Bool {
        let waits: [Task<Void, any Error>]? = state.withLock { state in
            guard !state.isOpen, state.isReleasable, !state.hasReleased else { return nil }
            state.hasReleased = true
            state.releases += 1
            return Array(state.timedWaits.values)
        }
        guard let waits else { return false }
        for wait in waits { wait.cancel() }
        return true
    }

    /// Waits for the gate to open, at most for a time, and no longer than the task keeps its connections; returns whether it is open.
    func pass(within time: Duration, on clock: LoopClock) async throws -> Bool {
        guard !isOpen else { return true }
        // The timer cancels the wait alone.
        let wait = Task { try await pass() }
        let number: Int? = state.withLock { state in
            guard !state.hasReleased else { return nil }
            state.lastWaiter += 1
            state.timedWaits[state.lastWaiter] = wait
            return state.lastWaiter
        }
        guard let number else {
            wait.cancel()
            return isOpen
        }
        defer { state.withLock { _ = $0.timedWaits.removeValue(forKey: number) } }
        let timer = clock.clock.schedule(in: TimeAmount(clamping: time), on: clock.loop) { wait.cancel() }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            do {
                try await wait.value
                return true
            } catch {
                if Task.isCancelled { throw error }
                return isOpen
            }
        } onCancel: {
            wait.cancel()
        }
    }
}

/// A body that stops at a gate before each piece, so that the connection reads no further.
final class GatedBody: BodyStream {
    private let base: any BodyStream
    private let gate: TaskGate

    init(_ base: any BodyStream, _ gate: TaskGate) { (self.base, self.gate) = (base, gate) }

    func next() async throws -> Bytes? {
        try await gate.pass()
        let piece = try await base.next()
        // The task may have been suspended while the piece was on its way.
        if piece != nil { try await gate.pass() }
        return piece
    }

    func cancel() { base.cancel() }
    var length: Int64? { base.length }
    var trailers: HTTPFields? { base.trailers }

    /// Returns a body that stops at the gate; a complete one is returned unchanged.
    static func wrap(_ body: ResponseBody, _ gate: TaskGate) -> ResponseBody {
        guard let stream = body.stream else { return body }
        return ResponseBody(GatedBody(stream, gate))
    }
}
