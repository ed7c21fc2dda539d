import HTTPTypes
import NIOCore
import SternaCore
import Synchronization

/// A gate that a suspended task closes, so that its work stops before the next piece of a body.
final class TaskGate: Sendable {
    private struct State {
        var isOpen: Bool
        var isUnlocked = false
        // The value of each wait says whether the gate was opened.
        var waits: [ObjectIdentifier: Wait<Bool>] = [:]
        var isReleasable = false
        var releases = 0
        var hasReleased = false

        // The waits that also end when the task gives up its connections.
        var timedWaits: [ObjectIdentifier: Wait<Bool>] = [:]

        mutating func addWait() -> Wait<Bool> {
            let wait = Wait<Bool>()
            waits[wait.id] = wait
            return wait
        }
    }

    private let state: Mutex<State>

    init(isOpen: Bool = true) { state = Mutex(State(isOpen: isOpen)) }

    var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Makes ``pass()`` wait, unless the gate was unlocked.
    func close() { state.withLock { $0.isOpen = $0.isUnlocked } }

    /// Resumes all waiters.
    func open() { open(forGood: false) }

    /// Resumes all waiters, and leaves the gate open, because the task is complete or cancelled; a concurrent `suspend()` has no
    /// effect.
    func unlock() { open(forGood: true) }

    private func open(forGood: Bool) {
        let waits = state.withLock { state in
            state.isOpen = true
            state.hasReleased = false
            if forGood { state.isUnlocked = true }
            defer { state.waits = [:] }
            return Array(state.waits.values)
        }
        for wait in waits { wait.end(.success(true)) }
    }

    /// Returns at once if the gate is open, else when it opens; throws `cancelled` if the Swift task is cancelled.
    func pass() async throws {
        guard let wait = state.withLock({ $0.isOpen ? nil : $0.addWait() }) else { return }
        _ = try await opening(wait)
    }

    private func opening(_ wait: Wait<Bool>) async throws -> Bool {
        defer { state.withLock { $0.waits[wait.id] = nil } }
        return try await wait.value(cancelled: SternaError.cancelled(phase: .read))
    }
}

extension TaskGate {
    // MARK: Giving connections up

    /// Whether the task can continue with a new request, without a visible effect, if it gives up its connections while the gate is
    /// closed.
    var isReleasable: Bool {
        get { state.withLock { $0.isReleasable } }
        set { state.withLock { $0.isReleasable = newValue } }
    }

    /// The number of times that connections were given up. If it changes during a request that fails, giving up the connection
    /// ended the request.
    var releases: Int { state.withLock { $0.releases } }

    /// The number of pending waits with a limit.
    var timedWaitCount: Int { state.withLock { $0.timedWaits.count } }

    /// Allows the task's connections to be given up, once while the gate is closed, and ends the timed waits; returns whether it
    /// did.
    func release() -> Bool {
        let waits: [Wait<Bool>]? = state.withLock { state in
            guard !state.isOpen, state.isReleasable, !state.hasReleased else { return nil }
            state.hasReleased = true
            state.releases += 1
            return Array(state.timedWaits.values)
        }
        guard let waits else { return false }
        for wait in waits { wait.end(.success(false)) }
        return true
    }

    /// Waits until the gate opens, the time has passed, or the task gives up its connections; returns whether the gate is open.
    func pass(within time: Duration, on clock: LoopClock) async throws -> Bool {
        let wait: Wait<Bool>? = state.withLock { state in
            guard !state.isOpen, !state.hasReleased else { return nil }
            let wait = state.addWait()
            state.timedWaits[wait.id] = wait
            return wait
        }
        guard let wait else { return isOpen }
        defer { state.withLock { $0.timedWaits[wait.id] = nil } }
        let timer = clock.clock.schedule(in: TimeAmount(clamping: time), on: clock.loop) { wait.end(.success(false)) }
        defer { timer.cancel() }
        let hasOpened = try await opening(wait)
        return hasOpened || isOpen
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
