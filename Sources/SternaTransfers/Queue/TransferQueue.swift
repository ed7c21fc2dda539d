import NIOCore
public import Sterna
public import SternaCore
import Synchronization

/// A queue of downloads and uploads, of which a limited number run at the same time: tasks of sessions, and transfers of a
/// ``TransferStore``.
///
///     let queue = TransferQueue(with: session) { $0.concurrency = 2 }
///     let photo = try queue.add { $0.uploadTask(.upload(file: "photo.jpg", to: "photos")) }
///     try queue.add(after: [photo]) { $0.download("album.zip", to: .folder("/data")) }
///     queue.start()
///     for await step in queue.progress { print(step) }  // 1 of 2 transfers, 37% of 1.2 GB, 48 MB/s, 16 s left
///
/// A new queue is suspended until ``start()``. Running transfers keep it alive. If its last reference is released while it is
/// suspended, its transfers fail with `cancelled`: their tasks do not start, and those of a store return to it. A finished queue
/// accepts more transfers.
public final class TransferQueue: Sendable {
    /// A copy of the queue's session whose tasks do not start by themselves, so that they can be added.
    public let session: Session

    /// The bandwidth limit of all transfers of the queue, in bytes per second, in addition to the limits of sessions and requests.
    /// It may be changed at any time.
    public let bandwidth: BandwidthLimit

    let options: TransferQueueOptions
    let time: LoopClock
    let state: Mutex<State>
    let channel = UpdateChannel(QueueProgress())
    private let pacer: SchedulePacer

    /// The source of the queue's events. It is released with the queue, which ends their sequences.
    let source: EventSource
    let began: NIODeadline

    // Keeps effects on transfers in the order of the changes of state.
    private let transitions = Mutex(())

    /// The maximum number of transfers in a queue.
    private static let mostTransfers = 100_000

    struct State {
        var plan: QueuePlan<Int>
        var meter = QueueMeter()
        var transfers: [Int: QueuedTransfer] = [:]
        var last = 0
        var isStopped = false
        /// Transfers whose lengths must be requested (`unasked`) or are being requested (`asking`) before their turn. `held` tells
        /// whether each of them wants a turn.
        var unasked = CircularBuffer<Int>()
        var asking: Set<Int> = []
        var held: [Int: Bool] = [:]
        /// Errors of transfers cancelled because of another transfer.
        var causes: [Int: SternaError] = [:]
        var begun: Set<Int> = []
    }

    /// Creates a queue.
    ///
    /// - Parameters:
    ///   - session: the session on which ``session`` is based; ``Session/shared`` by default.
    ///   - configure: changes the options, by default those of ``TransferQueueOptions``.
    public init(with session: Session = .shared, _ configure: (inout TransferQueueOptions) -> Void = { _ in }) {
        var options = TransferQueueOptions()
        configure(&options)
        options.retries = min(1_000, max(0, options.retries))
        self.options = options
        self.session = session.with { $0.tasks.startsImmediately = false }
        bandwidth = options.bandwidth
        time = session.loopClock
        pacer = SchedulePacer(options.bandwidth, options.schedule, session.loopClock, options.wallClock)
        state = Mutex(
            State(
                plan: QueuePlan(
                    .init(total: options.concurrency, perHost: options.perHost),
                    lastComesFirst: options.order == .lastInFirstOut)))
        source = EventSource(adding: options.observers, below: self.session.eventSource)
        began = time.clock.now
    }

    deinit {
        for transfer in state.withLock({ Array($0.transfers.values) }) {
            transfer.transfer?.leaving()
            transfer.set(
                .failed(SternaError(.cancelled, phase: .queue, "The queue was released before the transfer had begun."))
            )
        }
    }

    // MARK: Settings

    /// The maximum number of transfers that run at the same time; values below 1 count as 1. A higher number takes effect at once;
    /// a lower one does not interrupt running transfers.
    public var concurrency: Int {
        get { state.withLock { $0.plan.limits.total } }
        set {
            state.withLock { $0.plan.limits.total = newValue }
            giveTurns()
        }
    }

    /// The maximum number of transfers with one host that run at the same time; values below 1 count as 1.
    public var perHost: Int {
        get { state.withLock { $0.plan.limits.perHost } }
        set {
            state.withLock { $0.plan.limits.perHost = newValue }
            giveTurns()
        }
    }

    /// Changes ``bandwidth`` by the time of day; nil, the default, leaves it unchanged. A limit that the program sets holds until
    /// the schedule's next change.
    public var schedule: BandwidthSchedule? {
        get { pacer.schedule }
        set { pacer.set(newValue) }
    }

    // MARK: Adding

    /// Adds a task that has not begun, such as one made with ``session``.
    ///
    /// - Parameters:
    ///   - priority: the priority of its wait for a turn; nil, the default, for the task's own.
    ///   - isBackground: whether it yields to others: it begins after all others, and all background transfers of an engine
    ///     together get a tenth of its measured rate while others run.
    ///   - after: transfers of this queue after whose end it begins. If one fails, so does it, unless
    ///     ``TransferQueueOptions/runsAfterFailure`` is set.
    ///
    /// Throws `invalidRequest` for a task that has begun or is in a queue, for a task that streams its response, for a dependency
    /// in another queue, and after ``stop()``; `limitExceeded` beyond 100,000 transfers.
    @discardableResult
    public func add(
        _ task: SessionTask, priority: Request.Priority? = nil, isBackground: Bool = false, after: [QueuedTransfer] = []
    ) throws(SternaError) -> QueuedTransfer {
        let id = try newID(after)
        let work = TaskWork(task) { [weak self] progress, resumed in
            self?.report(id, progress, resumedAt: resumed)
        } ended: { [weak self] error in
            self?.ended(id, error)
        }
        let transfer = QueuedTransfer(id, work, isBackground: isBackground, in: self)
        guard task is DownloadTask || task is DataTask else {
            throw Self.misuse(
                "A task whose response is read while it arrives cannot be in a queue; use a download or a data task.")
        }
        try insert(transfer, priority ?? task.priority, after)
        guard work.join(link(transfer, task.ownSession)) else {
            withdraw(id)
            throw Self.misuse(
                "The task has begun, or is in a queue already. Make it with the session of the queue, whose tasks do not start by themselves."
            )
        }
        admit(transfer, after)
        want(id)
        return transfer
    }

    /// Adds the task that a closure makes with ``session``.
    ///
    /// The arguments and errors are those of ``add(_:priority:isBackground:after:)``; errors of the closure are passed on.
    @discardableResult
    public func add(
        priority: Request.Priority? = nil, isBackground: Bool = false, after: [QueuedTransfer] = [],
        _ make: (Session) throws -> SessionTask
    ) throws -> QueuedTransfer {
        try add(try make(session), priority: priority, isBackground: isBackground, after: after)
    }

    /// Adds a transfer of a store. From then on it follows the limits of this queue, and no longer those of its store.
    ///
    /// A running transfer closes its connection and waits for its turn. A paused transfer waits for a turn once it is resumed.
    ///
    /// Throws `invalidRequest` for a transfer that is over or in a queue, for a dependency in another queue, and after ``stop()``;
    /// `limitExceeded` beyond 100,000 transfers.
    @discardableResult
    public func add(
        _ transfer: Transfer, priority: Request.Priority = .normal, isBackground: Bool = false,
        after: [QueuedTransfer] = []
    ) async throws(SternaError) -> QueuedTransfer {
        let id = try newID(after)
        let work = DurableWork(transfer) { [weak self] in
            self?.want(id)
        } rested: { [weak self] in
            self?.rest(id)
        } changedPriority: { [weak self] in
            self?.setPriority($0, of: id)
        } left: { [weak self] in
            self?.ended(id, $0)
        }
        let queued = QueuedTransfer(id, work, isBackground: isBackground, in: self)
        let session = transfer.ownSession.with { $0.transferLink = link(queued, transfer.ownSession) }
        // It may request its turn before the next line runs.
        try insert(queued, priority, after)
        guard await transfer.join(QueueMembership(scheduler: work, session: session)) else {
            withdraw(id)
            throw Self.misuse("The transfer is over, or is in a queue already.")
        }
        // Meanwhile the queue may have been stopped, or the transfer's dependency may have ended it.
        let (isStopped, isHeld) = state.withLock { ($0.isStopped, $0.transfers[id] != nil) }
        if isStopped || !isHeld { await transfer.leave() }
        guard !isStopped else {
            ended(id, LeftToStore.error("The queue was stopped."))
            throw Self.stopped
        }
        guard isHeld else { return queued }
        transitions.withLock { _ in
            if !isSuspended { work.keep(self) }
        }
        Task { [weak self] in
            var left: SternaError?
            for await status in transfer.updates {
                guard self?.holds(id) == true else { return }
                self?.report(id, status.progress, resumedAt: work.known)
                guard status.state.isBlocked else { continue }
                // It is returned to the store, since it cannot continue before the program has other credentials.
                left = status.state.error
                left?.underlying = LeftToStore()
                await transfer.leaveBlocked()
                // The program may have resumed it meanwhile.
                if transfer.status.state.isOver { left = nil }
                break
            }
            self?.ended(id, left ?? transfer.status.state.error)
        }
        admit(queued, after)
        return queued
    }

    private func newID(_ after: [QueuedTransfer]) throws(SternaError) -> Int {
        for other in after where !other.isOf(self) { throw Self.otherQueue }
        return try state.withLock { state throws(SternaError) in
            guard !state.isStopped else { throw Self.stopped }
            guard state.transfers.count < Self.mostTransfers else {
                throw SternaError(
                    .limitExceeded, phase: .prepare,
                    "A queue holds at most \(Self.mostTransfers) transfers; add more when some have ended.")
            }
            state.last += 1
            return state.last
        }
    }

    private func insert(
        _ transfer: QueuedTransfer, _ priority: Request.Priority, _ after: [QueuedTransfer]
    ) throws(SternaError) {
        let id = transfer.id
        try state.withLock { state throws(SternaError) in
            guard !state.isStopped else { throw Self.stopped }
            if state.transfers.isEmpty { state.meter = QueueMeter() }
            let work = transfer.work
            state.plan.add(
                id, host: work.host, priority: priority, isBackground: transfer.isBackground, after: after.map(\.id))
            state.transfers[id] = transfer
            let length = work.length
            state.meter.add(id, isUpload: transfer.isUpload, total: length)
            if options.asksForLengths, length == nil, !transfer.isUpload {
                state.unasked.append(id)
                state.held[id] = false
            }
            publish(&state)
        }
    }

    /// Ends a transfer at once if a dependency has failed.
    private func admit(_ transfer: QueuedTransfer, _ after: [QueuedTransfer]) {
        let failed = after.first { if case .failed = $0.state { true } else { false } }
        if let failed, !options.runsAfterFailure { giveUp(transfer, after: failed) }
        askForLengths()
    }

    private func withdraw(_ id: Int) {
        state.withLock { state in
            state.plan.remove(id)
            state.transfers.removeValue(forKey: id)?.set(.failed(Self.stopped))
            state.held[id] = nil
            state.meter.remove(id)
            publish(&state)
        }
    }

    private func link(_ transfer: QueuedTransfer, _ session: Session) -> TransferLink {
        let limits = transfer.isBackground ? [session.traffic.background, bandwidth] : [bandwidth]
        return TransferLink(limits: limits, isBackground: transfer.isBackground) {
            [weak self, weak transfer] response in
            self?.post(.transferHeadersReceived(response.withoutBody), of: transfer)
        } willRedirect: { [weak self, weak transfer] response, request in
            self?.post(.transferRedirected(response.withoutBody, request), of: transfer)
        }
    }

    // MARK: Control

    /// Whether the queue is suspended, so that no transfer begins.
    public var isSuspended: Bool { state.withLock { $0.plan.isSuspended } }

    /// Starts the queue, or resumes it after ``suspend()``. Has no effect after ``stop()``. ASINetworkQueue calls it `go`.
    public func start() {
        transitions.withLock { _ in
            let running = state.withLock { state -> [QueuedTransfer] in
                guard state.plan.isSuspended, !state.isStopped else { return [] }
                for case let work as DurableWork in state.transfers.values.map(\.work) { work.keep(self) }
                return state.plan.resume().compactMap { state.transfers[$0] }
            }
            for transfer in running { transfer.work.goOn() }
        }
        giveTurns()
        askForLengths()
    }

    /// Suspends all running transfers, and begins no other until ``start()``. Tasks stop reading; transfers of a store close their
    /// connections.
    public func suspend() {
        transitions.withLock { _ in
            let (all, running) = state.withLock { state -> ([QueuedTransfer], [QueuedTransfer]) in
                guard !state.plan.isSuspended else { return ([], []) }
                return (Array(state.transfers.values), state.plan.suspend().compactMap { state.transfers[$0] })
            }
            for transfer in running { transfer.work.suspend() }
            // Transfers of a store give their turns back, and no longer keep the queue alive.
            for case let work as DurableWork in all.map(\.work) { work.release() }
        }
    }

    /// Cancels all transfers for good: each fails with `cancelled`, and its partial file is deleted. More transfers may be added.
    public func cancelAll() {
        for transfer in transfers { cancel(transfer) }
    }

    /// Stops the queue, and returns when no transfer runs any more. Each transfer fails with `cancelled`, and none can be added.
    ///
    /// Resumable state is kept: a download has its ``DownloadTask/resumeData``, and a transfer of a store returns to its store,
    /// where ``Transfer/resume()``, or ``TransferStore/resumeAll(with:named:startsAtOnce:)`` in a later process, resumes it.
    public func stop() async {
        let all = state.withLock { state in
            state.isStopped = true
            state.plan.suspend()
            return Array(state.transfers.values)
        }
        await withTaskGroup(of: Void.self) { group in
            for transfer in all { group.addTask { await transfer.work.stop() } }
        }
        let left = LeftToStore.error("The queue was stopped.")
        for transfer in all {
            guard let stored = transfer.transfer else {
                _ = try? await transfer.end()
                continue
            }
            // It may have ended just now.
            let present = stored.status.state
            ended(transfer.id, present.isOver ? present.error : left)
        }
        pacer.set(nil)
    }

    func cancel(_ transfer: QueuedTransfer, because cause: SternaError? = nil) {
        state.withLock { state in
            guard state.transfers[transfer.id] != nil else { return }
            if state.causes[transfer.id] == nil { state.causes[transfer.id] = cause }
            state.plan.giveUpWaiting(transfer.id)
        }
        transfer.work.cancel()
    }

    // MARK: Contents

    /// The transfers that are not over, in the order of their addition.
    public var transfers: [QueuedTransfer] {
        state.withLock { Array($0.transfers.values) }.sorted { $0.id < $1.id }
    }

    /// The progress over all transfers since the queue was last empty, with the present rate: its value now, and a sequence of its
    /// changes, which ends when no transfer is left.
    public var progress: Updates<QueueProgress> {
        Updates(
            channel, until: \.isOver,
            current: { self.state.withLock { $0.meter.progress(at: self.time.clock.now) } })
    }

    /// Waits until no transfer is left. Throws `cancelled` if the Swift task is cancelled, which does not cancel the transfers.
    public func finish() async throws {
        while let transfer = transfers.first { try await transfer.end() }
    }

    func priority(of id: Int) -> Request.Priority? { state.withLock { $0.plan.priority(of: id) } }

    func setPriority(_ priority: Request.Priority, of id: Int) {
        let transfer = state.withLock { state in
            state.plan.setPriority(priority, of: id)
            return state.transfers[id]
        }
        transfer?.work.setPriority(priority)
    }
}

/// The reactions of a queue to changes of its transfers.
extension TransferQueue {
    /// Records that a transfer requests a turn.
    private func want(_ id: Int) {
        state.withLock { state in
            if state.held[id] != nil { state.held[id] = true } else { state.plan.ask(id) }
        }
        giveTurns()
    }

    /// Records that a store's transfer has given its turn back.
    func rest(_ id: Int) {
        state.withLock { state in
            if state.held[id] != nil { state.held[id] = false }
            state.plan.rest(id)
            state.transfers[id]?.set(.waiting)
        }
        giveTurns()
    }

    /// Gives free turns to waiting transfers.
    private func giveTurns() {
        transitions.withLock { _ in
            let begun = state.withLock { state in
                state.plan.next().compactMap { id -> QueuedTransfer? in
                    guard let transfer = state.transfers[id] else { return nil }
                    transfer.set(.running)
                    if state.begun.insert(id).inserted { post(.transferStarted, of: transfer) }
                    return transfer
                }
            }
            for transfer in begun { transfer.work.beginTurn(keeping: self) }
        }
    }

    // MARK: Progress

    func report(_ id: Int, _ progress: TransferProgress, resumedAt: Int64) {
        state.withLock { state in
            guard let transfer = state.transfers[id] else { return }
            transfer.set(progress)
            state.meter.set(id, progress, resumedAt: resumedAt, at: time.clock.now)
            publish(&state)
        }
    }

    /// Reports the progress. Called under the lock, so that no older value replaces a newer one.
    private func publish(_ state: inout State) {
        channel.report(state.meter.progress(at: time.clock.now))
    }

    // MARK: Lengths

    /// Requests the lengths of transfers, at most as many at the same time as may run.
    private func askForLengths() {
        guard options.asksForLengths else { return }
        let asked = state.withLock { state -> [QueuedTransfer] in
            var asked: [QueuedTransfer] = []
            while !state.plan.isSuspended, state.asking.count < max(1, state.plan.limits.total),
                let id = state.unasked.popFirst()
            {
                guard let transfer = state.transfers[id] else { continue }
                state.asking.insert(id)
                asked.append(transfer)
            }
            return asked
        }
        for transfer in asked {
            // Detached: the task-local values of the caller must not affect the requests of other transfers.
            Task.detached { [weak self] in
                let length = await transfer.work.askForLength()
                self?.lengthIsKnown(transfer.id, length)
            }
        }
    }

    private func lengthIsKnown(_ id: Int, _ length: Int64?) {
        state.withLock { state in
            state.asking.remove(id)
            if let length { state.meter.setTotal(length, of: id) }
            if state.held.removeValue(forKey: id) == true { state.plan.ask(id) }
            publish(&state)
        }
        giveTurns()
        askForLengths()
    }

    // MARK: Ends

    /// Whether a transfer is in this queue and not over.
    func holds(_ id: Int) -> Bool { state.withLock { $0.transfers[id] != nil } }

    /// Records the end of a task's attempt, or of a store's transfer.
    func ended(_ id: Int, _ error: SternaError?) {
        guard let transfer = state.withLock({ $0.transfers[id] }) else { return }
        if let error, triesAgain(transfer, after: error) { return }
        let known = state.withLock { state -> (error: SternaError?, failed: [QueuedTransfer])? in
            guard state.transfers.removeValue(forKey: id) != nil else { return nil }
            let cause = state.causes.removeValue(forKey: id)
            let error = error.map { cause ?? $0 }
            state.held[id] = nil
            state.begun.remove(id)
            let waiting = state.plan.remove(id)
            // The end may arrive before the last progress report.
            let (present, resumedAt) = transfer.work.present
            transfer.set(present)
            state.meter.set(id, present, resumedAt: resumedAt, at: time.clock.now)
            state.meter.end(id, succeeded: error == nil)
            transfer.set(error.map { .failed($0) } ?? .finished)
            post(error.map { .transferFailed($0) } ?? .transferFinished, of: transfer)
            if state.transfers.isEmpty {
                let all = state.meter.progress(at: time.clock.now)
                post(.queueFinished(finished: all.finished, failed: all.failed))
            }
            publish(&state)
            // ``stop()`` ends all transfers of a stopped queue.
            let runsOn = error == nil || options.runsAfterFailure || state.isStopped
            let failed = runsOn ? [] : waiting.compactMap { state.transfers[$0] }
            for other in failed { state.plan.giveUpWaiting(other.id) }
            return (state.isStopped ? nil : error, failed)
        }
        guard let known else { return }
        for other in known.failed { giveUp(other, after: transfer) }
        if let error = known.error, error.kind != .cancelled, !transfer.isLeft, options.cancelsAllOnFailure {
            for other in transfers { cancel(other, because: Self.otherFailed(transfer, error)) }
        }
        giveTurns()
        transfer.work.release()
    }

    func require(_ transfer: QueuedTransfer, after other: QueuedTransfer) throws(SternaError) {
        guard other.isOf(self) else { throw Self.otherQueue }
        if case .failed = other.state, !options.runsAfterFailure {
            return giveUp(transfer, after: other)
        }
        do throws(QueuePlan<Int>.Fault) {
            try state.withLock { state throws(QueuePlan<Int>.Fault) in
                try state.plan.require(transfer.id, after: other.id)
            }
        } catch {
            switch error {
            case .begun, .unknown:
                throw Self.misuse("The transfer has begun or ended, and cannot wait for another one.")
            case .cycle: throw Self.misuse("The other transfer waits for this one, so that neither would ever begin.")
            }
        }
    }

    /// Ends a transfer whose dependency has failed: cancels it, or returns a store's transfer to its store if the dependency can
    /// still be resumed.
    func giveUp(_ transfer: QueuedTransfer, after other: QueuedTransfer) {
        guard !state.withLock({ $0.isStopped }) else { return }
        let cause = Self.dependencyFailed(other)
        guard other.isLeft, let work = transfer.work as? DurableWork else { return cancel(transfer, because: cause) }
        state.withLock { $0.plan.giveUpWaiting(transfer.id) }
        work.leave(cause)
    }

    /// Schedules another attempt of a failed task. Returns false if it must not be retried.
    private func triesAgain(_ transfer: QueuedTransfer, after error: SternaError) -> Bool {
        let mayRetry = state.withLock { !$0.isStopped && $0.causes[transfer.id] == nil }
        guard mayRetry, let work = transfer.work as? TaskWork,
            let pause = QueueRetry.pause(
                after: error, asked: error.response.flatMap { RetryAfter.delay($0) }, attempts: work.attempts,
                retries: options.retries, longest: options.longestPause, random: .random(in: 0...1)),
            work.again()
        else { return false }
        state.withLock { state in
            guard state.transfers[transfer.id] != nil else { return }
            state.plan.rest(transfer.id)
            transfer.set(.waiting)
            post(.transferRetryScheduled(error, pause: .milliseconds(pause)), of: transfer)
        }
        Task.detached { [self] in
            try? await time.wait(.milliseconds(pause))
            want(transfer.id)
        }
        giveTurns()
        return true
    }

    // MARK: Errors

    private static func misuse(_ sentence: String) -> SternaError {
        SternaError(.invalidRequest, phase: .prepare, sentence)
    }

    private static var stopped: SternaError { misuse("The queue was stopped, and takes no more transfers.") }

    private static var otherQueue: SternaError {
        misuse("A transfer can only wait for transfers of its own queue; add both to one queue.")
    }

    private static func dependencyFailed(_ other: QueuedTransfer) -> SternaError {
        SternaError(
            .cancelled, phase: .queue,
            "The transfer was not begun, since number \(other.id), which it waits for, has \(other.isLeft ? "not ended" : "failed"). Set runsAfterFailure to run it anyway.",
            underlying: other.isLeft ? LeftToStore() : nil)
    }

    private static func otherFailed(_ other: QueuedTransfer, _ error: SternaError) -> SternaError {
        SternaError(
            .cancelled, phase: .queue,
            "The queue cancelled all transfers, since number \(other.id) has failed (\(error.kind.rawValue)).")
    }
}

extension TransferState {
    /// The error of a failed, blocked or cancelled transfer; nil for other states.
    var error: SternaError? {
        switch self {
        case .failed(let failure), .blocked(let failure):
            SternaError(SternaError.Kind(rawValue: failure.kind) ?? .interceptorFailed, phase: .read, failure.reason)
        case .cancelled: SternaError(.cancelled, phase: .read, "The transfer was cancelled.")
        default: nil
        }
    }
}
