package import NIOCore
import Synchronization

/// One call: everything that one verb, callback or task asks for, with all redirects and attempts.
///
/// Every ``Request`` of a call refers to it (``Request/call``), so interceptors, observers and metrics share its ``id``. A
/// request passed directly to a ``Transport`` has no call.
public final class Call: Sendable {
    private struct State: Sendable {
        var step: (any CallStep)?

        // Attempts that run beside the last one: a download's ranges on several connections.
        var others: [any CallStep] = []
        var isCancelled = false
        var pauses = 0
        var remaining: TimeAmount?
        var lease: ShutdownGrace.Lease?
        var release: ConnectionRelease?

        var steps: [any CallStep] { others + [step].compactMap { $0 } }
    }

    private let state = Mutex(State())

    // In nanoseconds; `paused` while time stands still. Every change of a connection's state reads it without the lock.
    private let end: Atomic<UInt64>
    private static let paused = NIODeadline.distantFuture.uptimeNanoseconds

    // Lets nearly every call, which has no lease, end without taking the lock.
    private let hasLease = Atomic<Bool>(false)

    // The raw value of a priority; negative unless one was set.
    private let rank = Atomic<Int8>(-1)
    private let attemptCount = Atomic<Int>(0)
    private let number = Atomic<UInt64>(0)
    private static let lastNumber = Atomic<UInt64>(0)

    /// The clock that measures the call's limits.
    package let clock: NetworkClock

    /// Whether the caller set the deadline, rather than ``Timeouts/total``; errors then name it.
    package let hasOwnDeadline: Bool

    /// Records metrics; nil when neither metrics nor an observer is enabled.
    @usableFromInline package let recorder: MetricsRecorder?

    /// Records the progress of the call; nil in sessions without interceptors of the user.
    package let trace: CallTrace?

    /// The requests of all attempts; nil unless a task keeps them.
    package let log: RequestLog?

    /// The requests of all attempts, in order; empty unless a task keeps them.
    package var requests: [Request] { log?.requests(of: self) ?? [] }

    /// The calls that are cancelled together with this one; nil for a call outside of sessions.
    private let scope: CallScope?
    private let epoch: Int

    /// Makes a call.
    ///
    /// - Parameters:
    ///   - deadline: when all of it must be complete.
    ///   - isTraced: whether the call passes interceptors of the user.
    ///   - recordsMetrics: whether to record metrics without an observer.
    ///   - clock: the engine's clock, which measures the limits.
    ///   - keepsRequests: whether to keep the requests of all attempts.
    ///   - scope: the calls that are cancelled together with this one.
    package init(
        deadline: NIODeadline, hasOwnDeadline: Bool = false, isTraced: Bool = false, recordsMetrics: Bool = false,
        observer: (any NetworkObserver)? = nil, clock: NetworkClock = .system, keepsRequests: Bool = false,
        scope: CallScope? = nil
    ) {
        self.scope = scope
        epoch = scope?.epoch ?? 0
        self.clock = clock
        log = keepsRequests ? RequestLog() : nil
        trace = isTraced ? CallTrace() : nil
        end = Atomic(min(deadline.uptimeNanoseconds, Self.paused - 1))
        self.hasOwnDeadline = hasOwnDeadline
        guard recordsMetrics || observer != nil else {
            recorder = nil
            return
        }
        let id = Self.newNumber()
        number.store(id, ordering: .relaxed)
        recorder = MetricsRecorder(id: id, observer: observer, clock: clock)
    }

    /// Makes a call for work that begins with another call and may outlast it. It has no deadline; its attempts are recorded with those of
    /// the other call.
    ///
    /// - Parameter scope: the calls that are cancelled together with this one.
    package init(outlasting other: Call, scope: CallScope?) {
        self.scope = scope
        epoch = scope?.epoch ?? 0
        (clock, log, trace, recorder) = (other.clock, other.log, other.trace, other.recorder)
        end = Atomic(Self.paused - 1)
        hasOwnDeadline = false
    }

    /// Returns a number that is unique within this process.
    package static func newNumber() -> UInt64 { lastNumber.wrappingAdd(1, ordering: .relaxed).newValue }

    /// A number that is unique within this process; the same as ``RequestMetrics/id`` and ``ObservedRequest/id``.
    public var id: UInt64 {
        // Assigned on first use: a counter that all threads write to would cost every call.
        let known = number.load(ordering: .relaxed)
        guard known == 0 else { return known }
        let new = Self.newNumber()
        let (exchanged, original) = number.compareExchange(expected: 0, desired: new, ordering: .relaxed)
        return exchanged ? new : original
    }

    /// The number of attempts so far, including redirects and the engine's own repeats.
    public var attempts: Int { attemptCount.load(ordering: .relaxed) }

    // MARK: Cancellation

    /// Whether ``cancel()`` was called, or all calls of the session were cancelled.
    public var isCancelled: Bool { isScopeCancelled || state.withLock { $0.isCancelled } }

    /// Whether all calls of the session were cancelled since this one began.
    package var isScopeCancelled: Bool { scope.map { $0.epoch != epoch } ?? false }

    /// Cancels the call: the current attempt or body read fails with `cancelled`, and no further attempt begins.
    public func cancel() {
        let (step, others) = state.withLock { state in
            state.isCancelled = true
            return (state.step, state.others)
        }
        step?.callCancelled()
        for other in others { other.callCancelled() }
    }

    /// Begins an attempt; returns false if the call was already cancelled and the attempt must not be made.
    package func begin(_ step: any CallStep) -> Bool {
        attemptCount.wrappingAdd(1, ordering: .relaxed)
        return beginStep(step)
    }

    private func beginStep(_ step: any CallStep) -> Bool {
        guard !isScopeCancelled else { return false }
        return state.withLock { state in
            guard !state.isCancelled else { return false }
            if let last = state.step, last !== step { state.others.append(last) }
            state.step = step
            return true
        }
    }

    /// Begins a wait before or between attempts, which a cancellation of the call's scope reaches, too; returns false if the call was
    /// already cancelled.
    package func beginWait(_ step: any CallStep) -> Bool {
        guard beginStep(step) else { return false }
        scope?.add(step)
        guard !isScopeCancelled else {
            endWait(step)
            return false
        }
        return true
    }

    /// Ends a wait that ``beginWait(_:)`` began.
    package func endWait(_ step: any CallStep) {
        scope?.remove(step)
        end(step)
    }

    /// Ends a step.
    package func end(_ step: any CallStep) {
        // Released after unlocking: it may be the last reference.
        let ended: (any CallStep)? = state.withLock { state in
            guard state.step === step else {
                return state.others.firstIndex { $0 === step }.map { state.others.remove(at: $0) }
            }
            defer { state.step = state.others.popLast() }
            return state.step
        }
        _ = ended
    }

    /// Counts an attempt that replaces another one within a step.
    package func repeated() {
        let (_, count) = attemptCount.wrappingAdd(1, ordering: .relaxed)
        log?.repeated(count, of: self)
    }

    // MARK: Priority

    /// The priority of all further attempts, and of the present one while it waits for a connection; nil, the default, keeps the
    /// requests' own.
    package var priority: Request.Priority? {
        get {
            let raw = rank.load(ordering: .relaxed)
            return raw < 0 ? nil : Request.Priority(rawValue: Int(raw))
        }
        set {
            rank.store(newValue.map { Int8($0.rawValue) } ?? -1, ordering: .relaxed)
            // An attempt that begins later reads the new rank: both take this lock.
            let (step, others) = state.withLock { ($0.step, $0.others) }
            step?.callReranked()
            for other in others { other.callReranked() }
        }
    }

    // MARK: Deadline

    /// The time by which the whole call must be complete; it moves on while the deadline is paused.
    public var deadline: Deadline {
        state.withLock { state in
            guard let remaining = state.remaining else {
                return Deadline(.uptimeNanoseconds(end.load(ordering: .relaxed)))
            }
            return Deadline(.uptimeNanoseconds(moment(in: remaining)))
        }
    }

    /// The time by which the whole call must be complete; `distantFuture` while the deadline is paused.
    package var limit: NIODeadline { .uptimeNanoseconds(end.load(ordering: .relaxed)) }

    /// Whether time stands still, so that no limit of the call expires.
    package var isPaused: Bool { end.load(ordering: .relaxed) == Self.paused }

    /// Pauses every limit of the call until ``resume()`` was called as often. An engine's shutdown does not wait for a paused
    /// call without a connection.
    package func pause() {
        let (hasConnection, steps): (Bool, [any CallStep]) = state.withLock { state in
            state.pauses += 1
            guard state.pauses == 1 else { return (true, []) }
            state.remaining = .uptimeNanoseconds(end.load(ordering: .relaxed)) - clock.now
            end.store(Self.paused, ordering: .relaxed)
            state.release?.offer()
            return (state.step != nil, state.release == nil ? [] : state.steps)
        }
        if !hasConnection { releaseLease() }
        for step in steps { step.callPaused() }
    }

    /// Sets what decides whether the paused call gives its connections up for other requests; without it the call keeps them.
    package func setRelease(_ release: ConnectionRelease) {
        state.withLock { state in
            state.release = release
            if state.pauses > 0 { release.offer() }
        }
    }

    /// Asks a paused call to give its connections up for another request. If it does, its attempts fail with `cancelled`, and it may
    /// make others. Returns whether it does.
    package func giveUpConnections() -> Bool {
        let (release, steps) = state.withLock { ($0.pauses > 0 ? $0.release : nil, $0.steps) }
        guard let release, release.accept() else { return false }
        for step in steps { step.callCancelled() }
        return true
    }

    /// Resumes the limits, each with the time it had left.
    package func resume() {
        let (step, others): ((any CallStep)?, [any CallStep]) = state.withLock { state in
            guard state.pauses > 0 else { return (nil, []) }
            state.pauses -= 1
            guard state.pauses == 0, let remaining = state.remaining.take() else { return (nil, []) }
            state.release?.withdraw()
            end.store(moment(in: remaining), ordering: .relaxed)
            return (state.step, state.others)
        }
        step?.callResumed()
        for other in others { other.callResumed() }
    }

    private func moment(in remaining: TimeAmount) -> UInt64 {
        let left = UInt64(max(0, remaining.nanoseconds))
        let (sum, isTooLate) = clock.now.uptimeNanoseconds.addingReportingOverflow(left)
        return isTooLate ? Self.paused - 1 : min(sum, Self.paused - 1)
    }

    // MARK: Shutdown

    /// Delays an engine's shutdown until the call sends no further request.
    package func keep(_ lease: ShutdownGrace.Lease) {
        hasLease.store(true, ordering: .relaxed)
        // The former lease is released after unlocking.
        let old = state.withLock { state in
            let old = state.lease
            state.lease = lease
            return old
        }
        _ = old
    }

    /// Releases the lease on a closing engine: the call needs the engine no longer for now.
    package func releaseLease() {
        guard hasLease.load(ordering: .relaxed) else { return }
        let old = state.withLock { $0.lease.take() }
        _ = old
    }
}

/// A current step of the call, which cancellation ends: an attempt on a connection, or a pause before one.
package protocol CallStep: AnyObject, Sendable {
    /// Called from any thread when the call is cancelled.
    func callCancelled()

    /// Called from any thread when a call that may give its connections up is paused.
    func callPaused()

    /// Called from any thread when time goes on after ``Call/pause()``.
    func callResumed()

    /// Called from any thread when the call's priority has changed.
    func callReranked()
}

extension CallStep {
    package func callPaused() {}
    package func callReranked() {}
}

/// The requests of a call's attempts, as they were sent.
///
/// They are kept without their call: it has the log, and a task that is finished would never be freed.
package final class RequestLog: Sendable {
    private struct State: Sendable {
        var sent: [Request] = []
        var receiver: (@Sendable (Request, Int) -> Void)?
    }

    private let state = Mutex(State())

    package func add(_ request: Request) {
        var kept = request
        kept.call = nil
        state.withLock { [kept] in $0.sent.append(kept) }
    }

    /// Sets what is called on an event loop when a request is sent again on another connection, with the number of attempts.
    package func onRepeat(_ receiver: @escaping @Sendable (Request, Int) -> Void) {
        state.withLock { $0.receiver = receiver }
    }

    func requests(of call: Call) -> [Request] {
        state.withLock { $0.sent }.map { Self.request($0, of: call) }
    }

    /// Reports that the last request is sent again.
    func repeated(_ attempts: Int, of call: Call) {
        let (receiver, last) = state.withLock { ($0.receiver, $0.sent.last) }
        if let last { receiver?(Self.request(last, of: call), attempts) }
    }

    private static func request(_ kept: Request, of call: Call) -> Request {
        var request = kept
        request.join(call)
        return request
    }
}

extension Call: CustomReflectable {
    /// Shows the number and the deadline.
    public var customMirror: Mirror { Mirror(self, children: ["id": id, "deadline": deadline]) }
}
