import NIOCore
import Sterna
public import SternaCore
import SternaPlatform
import Synchronization

/// A handle to a transfer of a ``TransferStore`` that this process runs.
///
/// Releasing the handle does not stop the transfer. When the process ends, the transfer is interrupted;
/// ``TransferStore/resumeAll(with:named:startsAtOnce:)`` resumes it in a later process.
public final class Transfer: Sendable, Identifiable {
    /// The source, the destination and the options.
    public let details: TransferDescription

    let ownContext: AttemptContext
    private let storeScheduler: TransferScheduler
    private let ended: @Sendable (Transfer) -> Void
    let channel: UpdateChannel<TransferStatus>
    // A channel of its own: tasks that wait for a change of state are not woken by each progress report.
    let states: UpdateChannel<TransferState>
    let state: Mutex<State>

    struct State {
        /// The lock that makes this process the owner; nil after the end.
        var lock: FileLock?
        var work: Task<Void, Never>?
        var priority = Request.Priority.normal
        /// The last operation that the program requested.
        var last: Task<Void, any Error>?
        /// The scheduler and the session of the queue that the transfer has joined.
        var queue: QueueMembership?
        /// The attempt whose failure could not be written to the journal; nil once a write succeeds.
        var unwritten: TransferAttempt?
        /// Whether this process retries a blocked transfer.
        var triesAgain = false
        /// Whether the work waits for its next attempt. It takes precedence over the state in an earlier process's journal.
        var waitsForTurn = false
    }

    // Both change only while no work runs.
    var context: AttemptContext {
        var context = ownContext
        if let session = state.withLock({ $0.queue?.session }) { context.session = session }
        return context
    }
    private var scheduler: any TransferScheduling { state.withLock { $0.queue?.scheduler } ?? storeScheduler }

    /// The session that sends the transfer's requests outside of queues.
    var ownSession: Session { ownContext.session }

    init(
        _ context: AttemptContext, lock: FileLock, _ scheduler: TransferScheduler,
        ended: @escaping @Sendable (Transfer) -> Void
    ) {
        (details, ownContext, storeScheduler, self.ended) = (context.details, context, scheduler, ended)
        let status = TransferStatus(context.journal.history, context.details)
        (channel, states) = (UpdateChannel(status), UpdateChannel(status.state))
        state = Mutex(State(lock: lock, priority: context.details.options.priority))
    }

    /// The identifier, which is the same in every process.
    public var id: TransferID { details.id }
    var journal: TransferJournal { ownContext.journal }

    /// The present state and progress.
    public var status: TransferStatus { channel.current }

    /// The values of ``status``, beginning with the present one. The sequence ends with the transfer.
    public var updates: Updates<TransferStatus> { Updates(channel, startsAtOnce: true, current: { self.status }) }

    /// The server's response to the complete upload. Nil before the upload completes, if the response was lost, and for downloads.
    public var response: TransferResponse? { journal.history.response }

    /// The last attempts, at most 20, with the reasons of their failures.
    public var attempts: [TransferAttempt] {
        var all = journal.history.attempts
        guard let unwritten = state.withLock({ $0.unwritten }) else { return all }
        if all.last?.number == unwritten.number { all.removeLast() }
        return all + [unwritten]
    }

    /// Waits until the transfer is over or blocked, and returns its state. A paused transfer keeps it waiting.
    ///
    /// Throws `cancelled` if the Swift task is cancelled; that does not cancel the transfer.
    public func end() async throws -> TransferState {
        for await state in stateUpdates where state.isOver || state.isBlocked { return state }
        let state = status.state
        guard state.isOver || state.isBlocked else {
            throw SternaError(
                .cancelled, phase: .wait, "The wait for the end of a transfer was cancelled; the transfer continues.")
        }
        return state
    }

    // MARK: Control

    /// Pauses the transfer and closes its connection. It stays paused, also in later processes, until ``resume()``. Has no effect
    /// on a transfer that is over.
    ///
    /// Throws `writeFailed` if the journal cannot be written.
    public func pause() async throws {
        try await inOrder { [self] in
            await stopWork()
            let present = journal.history.state
            if !present.isOver, present != .paused { try await record(.paused) }
        }
    }

    /// Resumes a paused or blocked transfer. A transfer that waits for its next attempt begins it at once. Has no effect on a
    /// transfer that is running or over.
    ///
    /// Throws `writeFailed` if the journal cannot be written.
    public func resume() async throws {
        try await inOrder { [self] in
            // When work ends, for example with its session, the journal keeps the state `running`.
            let waits = state.withLock { $0.work == nil || $0.unwritten != nil || $0.waitsForTurn }
            guard journal.history.state != .running || waits else { return }
            await stopWork()
            guard !journal.isOver else { return }
            try await record(.resumed)
            start()
        }
    }

    /// Begins the work on a transfer that this process has taken over, even if it was paused. Throws `writeFailed`.
    package func begin() async throws {
        if journal.history.state == .paused { try await resume() } else { start() }
    }

    /// Cancels the transfer for good. Has no effect on a transfer that is over.
    ///
    /// Deletes the partial file of a download. For an upload, asks the server to delete what it has received, and waits at most 10
    /// s for that. Throws `writeFailed` if the journal cannot be written.
    public func cancel() async throws {
        try await inOrder { [self] in
            await stopWork()
            guard !journal.isOver else { return }
            try await context.work.abandon()
            try await record(.cancelled)
            finish()
        }
    }

    /// Sets the priority with which the transfer waits for its turn in this process. Later processes begin with
    /// ``TransferOptions/priority``.
    public func setPriority(_ priority: Request.Priority) {
        state.withLock { $0.priority = priority }
        scheduler.setPriority(priority, of: id)
    }

    // MARK: Queues

    /// Hands the transfer to a queue, which gives its scheduler and the session. Returns false if it is in another queue or over.
    func join(_ membership: QueueMembership) async -> Bool {
        let outcome = Mutex(false)
        try? await inOrder { [self] in
            await stopWork()
            let hasJoined = state.withLock { state in
                guard state.queue == nil, state.lock != nil else { return false }
                state.queue = membership
                return true
            }
            // The transfer is retried even if this cannot be written.
            if hasJoined, journal.history.state.isBlocked { try? await record(.resumed) }
            outcome.withLock { $0 = hasJoined }
            if !journal.isOver { start() }
        }
        return outcome.withLock { $0 }
    }

    /// Returns the transfer to its store. The work stops until ``resume()`` or a later process begins it again.
    func leave() async {
        _ = await leaving().result
    }

    /// Returns the transfer to its store before any operation that the program requests later. The work stops.
    @discardableResult
    func leaving() -> Task<Void, any Error> {
        enqueue { [self] in
            await stopWork()
            state.withLock { $0.queue = nil }
            report()
        }
    }

    /// Returns a blocked transfer to its store. If the program has resumed it meanwhile, the store continues it.
    func leaveBlocked() async {
        try? await inOrder { [self] in
            await stopWork()
            state.withLock { $0.queue = nil }
            report()
            let present = journal.history.state
            if !present.isOver, !present.isBlocked { start() }
        }
    }

    /// Whether an attempt is running, or the work waits for its turn or its next attempt.
    var hasWork: Bool { state.withLock { $0.work != nil } }

    /// Gives the turn back and waits for another one; keeps the received bytes.
    func takeTurnAgain() async {
        try? await inOrder { [self] in
            guard state.withLock({ $0.work != nil }) else { return }
            await stopWork()
            if !journal.isOver { start() }
        }
    }

    /// Runs an operation after all that the program has requested before.
    private func inOrder(_ work: @escaping @Sendable () async throws -> Void) async throws {
        try await enqueue(work).value
    }

    @discardableResult
    private func enqueue(_ work: @escaping @Sendable () async throws -> Void) -> Task<Void, any Error> {
        state.withLock { state in
            let before = state.last
            let task = Task {
                _ = await before?.result
                try await work()
            }
            state.last = task
            return task
        }
    }

    /// Stops the work and gives up ownership, so that another process can resume the transfer.
    func interrupt() async {
        try? await inOrder { [self] in
            await stopWork()
            state.withLock { $0.lock.take() }?.release()
        }
    }

    private func stopWork() async {
        let work = state.withLock { $0.work.take() }
        work?.cancel()
        await work?.value
    }

    // MARK: Work

    /// Begins the work, unless the transfer is paused.
    func start() {
        guard journal.history.state != .paused else { return report() }
        state.withLock { state in
            guard state.work == nil, state.lock != nil else { return }
            state.triesAgain = true
            // Detached: a queue begins it where another transfer ends, whose task-local values must not affect it.
            state.work = Task.detached { await self.run() }
        }
        report()
    }

    // A store has many waiting transfers. Values that take room in the frames of their tasks, such as copies of ``context``, are in
    // functions that are not inlined.

    private func run() async {
        // The next task is begun only after this one has ended.
        defer { state.withLock { $0.work = nil } }
        var failures = 0
        while !Task.isCancelled, !journal.isOver {
            state.withLock { $0.waitsForTurn = true }
            report()
            guard await waitForTurn(), await takeTurn(&failures) else { return }
        }
        if journal.isOver { finish() }
    }

    /// Returns the header fields of its requests, including secrets. Throws as ``AttemptContext/headers()``.
    func requestHeaders() async throws -> Headers { try await context.headers() }

    /// Waits until an attempt may begin. Returns false if the work is stopped meanwhile.
    @inline(never)
    private func waitForTurn() async -> Bool {
        do {
            let delay = delayOfAttempt
            if delay > 0 { try await clock.wait(.milliseconds(delay)) }
            while true {
                if await mayBegin {
                    try await scheduler.wait(id, host: host, priority: state.withLock { $0.priority })
                    // The turn may come long after the program was asked.
                    if await mayBegin { return true }
                    scheduler.end(id)
                }
                try await clock.wait(constraintInterval)
            }
        } catch {
            return false
        }
    }

    /// The milliseconds until the next attempt is due.
    private var delayOfAttempt: Int64 {
        @inline(never) get { TransferRule.wait(journal.history, now: TransferClock.now()) }
    }

    private var clock: LoopClock {
        @inline(never) get { context.session.loopClock }
    }

    private var host: String {
        @inline(never) get { details.url.host }
    }

    private var constraintInterval: Duration {
        @inline(never) get { max(.milliseconds(10), ownContext.settings.constraintInterval) }
    }

    private var constraint: (@Sendable (TransferDescription) async -> Bool)? {
        @inline(never) get { ownContext.settings.mayBegin }
    }

    /// Whether the program allows the next attempt.
    private var mayBegin: Bool {
        get async { if let constraint { await ask(constraint) } else { true } }
    }

    @inline(never)
    private func ask(_ constraint: @Sendable (TransferDescription) async -> Bool) async -> Bool {
        await constraint(details)
    }

    /// The bytes that an attempt must transfer to reset the pauses. It keeps a server that sends a few bytes at a time from being
    /// asked for ever.
    private static let leastProgress: Int64 = 64 << 10

    /// Makes an attempt, ends the turn and records the outcome. Returns false if the work must stop.
    @inline(never)
    private func takeTurn(_ failures: inout Int) async -> Bool {
        state.withLock { $0.waitsForTurn = false }
        let before = journal.history.keptBytes
        let result = await attempt()
        scheduler.end(id)
        do {
            switch result {
            case .success(let event):
                if case .ended = event { await context.work.giveUp() }
                try await record(event)
            case .failure(let error):
                if Task.isCancelled || error.kind == .cancelled { return false }
                let hasProgress = journal.history.keptBytes - before >= Self.leastProgress
                failures = hasProgress ? 1 : failures + 1
                let sent = context.sentSecrets.takeCount()
                let event = decide(error, failures, hasProgress ? 0 : journal.history.requestsInVain &+ sent)
                if case .blocked = event { state.withLock { $0.triesAgain = false } }
                if case .ended = event { await context.work.giveUp() }
                try await record(event)
            }
            return !journal.history.state.isBlocked
        } catch {
            // Such as a full disk. What the journal lacks is done again.
            failures += 1
            report(unwritten: error)
            let pause = TransferRule.delay(
                afterFailures: failures, asked: nil, longest: details.options.longestPause, random: .random(in: 0...1))
            do {
                try await context.session.loopClock.wait(.milliseconds(pause))
                return true
            } catch {
                return false
            }
        }
    }

    private func decide(_ error: SternaError, _ failures: Int, _ requests: Int) -> TransferEvent {
        let now = TransferClock.now()
        let decision = TransferRule.decide(
            error, asked: error.response.flatMap { RetryAfter.delay($0) }, attempts: journal.history.attemptCount,
            failuresInARow: failures, requests: requests, knowsServer: journal.history.knowsServer,
            options: details.options, now: now, created: details.created, random: .random(in: 0...1))
        return decision.event(after: error, hiding: context.sentSecrets, at: now, requests: requests)
    }

    private func attempt() async -> Result<TransferEvent, SternaError> {
        let expiry = TransferRule.expiry(details.options, now: TransferClock.now(), created: details.created)
        if let expiry { return .success(.ended(expiry)) }
        do {
            let event = try await context.work.attempt(
                began: { [self] kept in
                    try await record(
                        .began(number: journal.history.attemptCount + 1, at: TransferClock.now(), kept: kept))
                }, progress: { [weak self] in self?.report($0) }, waits: { [weak self] in self?.report(obstacle: $0) })
            return .success(event)
        } catch let error as SternaError {
            return .failure(error)
        } catch is CancellationError {
            return .failure(.cancelled(phase: .wait))
        } catch {
            return .failure(
                SternaError(.interceptorFailed, phase: .read, "The attempt failed: \(error)", underlying: error))
        }
    }

    private func record(_ event: TransferEvent) async throws {
        try await context.record(event, syncs: event.isEssential)
        state.withLock { $0.unwritten = nil }
        report()
    }

    @inline(never)
    private func finish() {
        report()
        channel.end()
        states.end()
        // The queue's membership references this transfer.
        let (lock, queue) = state.withLock { ($0.lock.take(), $0.queue.take()) }
        lock?.release()
        withExtendedLifetime(queue) {}
        ended(self)
    }
}
