package import NIOCore
import Synchronization

/// One call: all redirects and attempts of one verb, callback or task.
///
/// Every ``Request`` of a call refers to it (``Request/call``), so interceptors, observers and metrics share its ``id``. A
/// request passed directly to a ``Transport`` has no call.
public final class Call: Sendable {
    private struct State: Sendable {
        var steps = CallSteps()
        var pauses = CallPauses()
    }

    private let state = Mutex(State())
    private let end: CallLimit
    private let lease = CallLease()

    // The raw value of a priority; negative unless one was set.
    private let storedPriority = Atomic<Int8>(-1)
    private let attemptCount = Atomic<Int>(0)
    private let spanCount = Atomic<Int>(0)
    private let number = Atomic<UInt64>(0)
    private let hasReportedFailure = Atomic<Bool>(false)
    private static let lastNumber = Atomic<UInt64>(0)

    /// The clock that measures the call's limits.
    package let clock: NetworkClock

    /// Whether the deadline was set by the caller and does not come from ``Timeouts/total``; errors then name it.
    package let hasOwnDeadline: Bool

    /// Records metrics and posts events; nil if neither is enabled.
    @usableFromInline package let recorder: MetricsRecorder?

    /// Records the progress of the call; nil in sessions without interceptors of the program.
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
    ///   - deadline: when the whole call must be complete.
    ///   - isTraced: whether the call passes interceptors of the program.
    ///   - observed: the request and the source of its events, if metrics or events are enabled; nil records nothing.
    ///   - context: what an observer captured for the call.
    ///   - clock: the engine's clock, which measures the limits.
    ///   - keepsRequests: whether to keep the requests of all attempts.
    ///   - scope: the calls that are cancelled together with this one.
    package init(
        deadline: NIODeadline, hasOwnDeadline: Bool = false, isTraced: Bool = false,
        observed: (request: Request, events: EventSource?)? = nil, context: (any EventContext)? = nil,
        clock: NetworkClock = .system,
        keepsRequests: Bool = false, scope: CallScope? = nil
    ) {
        self.scope = scope
        epoch = scope?.epoch ?? 0
        self.clock = clock
        log = keepsRequests ? RequestLog() : nil
        trace = isTraced ? CallTrace() : nil
        end = CallLimit(deadline)
        self.hasOwnDeadline = hasOwnDeadline
        guard let observed else {
            recorder = nil
            return
        }
        let id = Self.newNumber()
        number.store(id, ordering: .relaxed)
        recorder = MetricsRecorder(
            ObservedCall(id: id, observed.request, context: context), events: observed.events, clock: clock)
    }

    /// Makes a call for work that another call begins and that may outlast it. It has no deadline; its attempts are recorded with
    /// those of the other call.
    ///
    /// - Parameter scope: the calls that are cancelled together with this one.
    package init(outlasting other: Call, scope: CallScope?) {
        self.scope = scope
        epoch = scope?.epoch ?? 0
        (clock, log, trace, recorder) = (other.clock, other.log, other.trace, other.recorder)
        end = CallLimit(.distantFuture)
        hasOwnDeadline = false
    }

    /// Returns a number that is unique within this process.
    package static func newNumber() -> UInt64 { lastNumber.wrappingAdd(1, ordering: .relaxed).newValue }

    /// A number that is unique within this process; the same as ``RequestMetrics/id`` and ``ObservedCall/id``.
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

    /// Returns whether the failure of the call is to be reported: true for the first caller only.
    package func beginsReportingFailure() -> Bool { !hasReportedFailure.exchange(true, ordering: .relaxed) }

    /// Counts requests of the call that are reported as spans; returns the number of those before them.
    package func countSpans(_ count: Int = 1) -> Int {
        // Calls that outlast one another share the recorder, and so the count.
        recorder?.countSpans(count) ?? spanCount.wrappingAdd(count, ordering: .relaxed).oldValue
    }

    // MARK: Cancellation

    /// Whether ``cancel()`` was called, or all calls of the session were cancelled.
    public var isCancelled: Bool { isScopeCancelled || state.withLock { $0.steps.isCancelled } }

    /// Whether all calls of the session were cancelled since this one began.
    package var isScopeCancelled: Bool { scope.map { $0.epoch != epoch } ?? false }

    /// Cancels the call: the current attempt or body read fails with `cancelled`, and no further attempt begins.
    public func cancel() {
        for step in state.withLock({ $0.steps.cancel() }) { step.callCancelled() }
    }

    /// Begins an attempt; returns false if the call was already cancelled and the attempt must not be made.
    package func begin(_ step: any CallStep) -> Bool {
        attemptCount.wrappingAdd(1, ordering: .relaxed)
        return beginStep(step)
    }

    private func beginStep(_ step: any CallStep) -> Bool {
        !isScopeCancelled && state.withLock { $0.steps.begin(step) }
    }

    /// Begins a wait before or between attempts, which a cancellation of the call's scope ends, too; returns false if the call was
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
        let ended = state.withLock { $0.steps.end(step) }
        _ = ended
    }

    /// Counts an attempt that replaces another one within a step.
    package func repeated() { attemptCount.wrappingAdd(1, ordering: .relaxed) }

    // MARK: Priority

    /// The priority of all further attempts, and of the current one while it waits for a connection; nil, the default, keeps the
    /// requests' priorities.
    package var priority: Request.Priority? {
        get {
            let raw = storedPriority.load(ordering: .relaxed)
            return raw < 0 ? nil : Request.Priority(rawValue: Int(raw))
        }
        set {
            storedPriority.store(newValue.map { Int8($0.rawValue) } ?? -1, ordering: .relaxed)
            // An attempt that begins later reads the new priority: both take this lock.
            for step in state.withLock(\.steps.all) { step.callPriorityChanged() }
        }
    }

    // MARK: Deadline

    /// The time by which the whole call must be complete; it advances while the deadline is paused.
    public var deadline: Deadline {
        state.withLock { state in
            Deadline(state.pauses.remaining.map { CallLimit.moment(in: $0, from: clock.now) } ?? end.moment)
        }
    }

    /// The time by which the whole call must be complete; `distantFuture` while the deadline is paused.
    package var limit: NIODeadline { end.moment }

    /// Whether the limits are paused, so that none of them expires.
    package var isPaused: Bool { end.isPaused }

    /// Pauses every limit of the call until ``resume()`` was called as often. An engine's shutdown does not wait for a paused
    /// call without a connection.
    package func pause() {
        let (isIdle, told): (Bool, [any CallStep]) = state.withLock { state in
            guard state.pauses.begin(end, at: clock.now) else { return (false, []) }
            return (state.steps.isEmpty, state.pauses.offersConnections ? state.steps.all : [])
        }
        if isIdle { lease.release() }
        for step in told { step.callPaused() }
    }

    /// Sets the object that decides whether the paused call gives up its connections for other requests; without it the call keeps
    /// them.
    package func setRelease(_ release: ConnectionRelease) { state.withLock { $0.pauses.setRelease(release) } }

    /// Asks a paused call to give up its connections for another request. Returns whether it does; its attempts then fail with
    /// `cancelled`, and it may begin others later.
    package func giveUpConnections() -> Bool {
        let (offer, steps) = state.withLock { ($0.pauses.offer, $0.steps.all) }
        guard let offer, offer.accept() else { return false }
        for step in steps { step.callCancelled() }
        return true
    }

    /// Resumes the limits, each with the time it had left.
    package func resume() {
        let steps = state.withLock { state in state.pauses.end(end, at: clock.now) ? state.steps.all : [] }
        for step in steps { step.callResumed() }
    }

    // MARK: Shutdown

    /// Delays an engine's shutdown until the call sends no further request.
    package func keep(_ lease: ShutdownGrace.Lease) { self.lease.keep(lease) }

    /// Releases the lease on a closing engine, which the call does not need for now.
    package func releaseLease() { lease.release() }
}

extension Call: CustomReflectable {
    /// Shows the number and the deadline.
    public var customMirror: Mirror { Mirror(self, children: ["id": id, "deadline": deadline]) }
}
