import NIOCore
import Sterna
public import SternaCore
import SternaPlatform
import Synchronization

/// A handle on a transfer of a ``TransferStore`` that this process carries on.
///
/// Releasing it ends nothing. The end of the process interrupts it, and ``TransferStore/resumeAll(with:named:)`` of a later one carries it
/// on.
public final class Transfer: Sendable, Identifiable {
    /// What it transfers, from where to where.
    public let details: TransferDescription

    let ownPlace: WorkPlace
    private let storeTurns: TransferTurns
    private let ended: @Sendable (Transfer) -> Void
    let channel: UpdateChannel<TransferStatus>
    // Apart, so that those who wait for a change of the state are not woken for each progress.
    let states: UpdateChannel<TransferState>
    let state: Mutex<State>

    struct State {
        /// Makes this process the owner; nil after the end.
        var lock: FileLock?
        var work: Task<Void, Never>?
        var priority = Request.Priority.normal
        /// What the program has asked for last.
        var last: Task<Void, any Error>?
        /// What a queue that the transfer has joined gives it.
        var queue: QueuePlace?
        /// The attempt whose failure the journal could not take, until it takes something again.
        var unwritten: TransferAttempt?
        /// Whether this process tries a transfer again that is blocked.
        var triesAgain = false
        /// Whether the work waits until an attempt may begin, whatever the journal of an earlier process says.
        var waitsForTurn = false
    }

    // They change while no work runs.
    var place: WorkPlace {
        var place = ownPlace
        if let session = state.withLock({ $0.queue?.session }) { place.session = session }
        return place
    }
    private var turns: any TurnGiving { state.withLock { $0.queue?.turns } ?? storeTurns }

    /// The session that carries it on outside of queues.
    var ownSession: Session { ownPlace.session }

    init(
        _ place: WorkPlace, lock: FileLock, _ turns: TransferTurns, ended: @escaping @Sendable (Transfer) -> Void
    ) {
        (details, ownPlace, storeTurns, self.ended) = (place.details, place, turns, ended)
        let status = TransferStatus(place.journal.history, place.details)
        (channel, states) = (UpdateChannel(status), UpdateChannel(status.state))
        state = Mutex(State(lock: lock, priority: place.details.options.priority))
    }

    public var id: TransferID { details.id }
    var journal: TransferJournal { ownPlace.journal }

    /// What it is doing, and how far it is.
    public var status: TransferStatus { channel.current }

    /// The changes of ``status``, beginning with the present one; the sequence ends with the transfer.
    public var updates: Updates<TransferStatus> { Updates(channel, startsAtOnce: true, current: { self.status }) }

    /// What the server has answered to an upload that is complete; nil before that, if the answer was lost, and for downloads.
    public var answer: TransferAnswer? { journal.history.answer }

    /// The last attempts, at most 20, with the reasons for which they failed.
    public var attempts: [TransferAttempt] {
        var all = journal.history.attempts
        guard let unwritten = state.withLock({ $0.unwritten }) else { return all }
        if all.last?.number == unwritten.number { all.removeLast() }
        return all + [unwritten]
    }

    /// Waits until the transfer is over, or blocked for want of credentials, and returns its state; throws `cancelled` if the Swift task is
    /// cancelled, which does not cancel the transfer. The wait goes on while it is paused.
    public func end() async throws -> TransferState {
        for await state in stateUpdates where state.isOver || state.isBlocked { return state }
        let state = status.state
        guard state.isOver || state.isBlocked else {
            throw SternaError(
                .cancelled, phase: .wait, "The wait for the end of a transfer was cancelled; the transfer goes on.")
        }
        return state
    }

    // MARK: Control

    /// Pauses the transfer: it gives its connection up, and stays paused also in later processes until ``resume()``. Has no effect after its
    /// end. Throws `writeFailed`.
    public func pause() async throws {
        try await inOrder { [self] in
            await stopWork()
            let present = journal.history.state
            if !present.isOver, present != .paused { try await record(.paused) }
        }
    }

    /// Carries a paused or blocked transfer on, and begins the next attempt of one that waits for it at once. Throws `writeFailed`.
    public func resume() async throws {
        try await inOrder { [self] in
            // Work that has ended, as with its session, leaves the journal's state behind.
            let waits = state.withLock { $0.work == nil || $0.unwritten != nil || $0.waitsForTurn }
            guard journal.history.state != .running || waits else { return }
            await stopWork()
            guard !journal.isOver else { return }
            try await record(.resumed)
            start()
        }
    }

    /// Begins the work on a transfer that was taken, also if it was paused. Throws `writeFailed`.
    package func begin() async throws {
        if journal.history.state == .paused { try await resume() } else { start() }
    }

    /// Cancels the transfer for good, and removes what of a downloaded file is there; a server is asked to forget what it has of an upload, for
    /// at most 10 s. Has no effect after its end. Throws `writeFailed`.
    public func cancel() async throws {
        try await inOrder { [self] in
            await stopWork()
            guard !journal.isOver else { return }
            try await place.work.abandon()
            try await record(.cancelled)
            finish()
        }
    }

    /// Changes the priority of the wait for a turn, in this process; later ones begin with ``TransferOptions/priority``.
    public func setPriority(_ priority: Request.Priority) {
        state.withLock { $0.priority = priority }
        turns.setPriority(priority, of: id)
    }

    // MARK: Queues

    /// Lets a queue give the turns, and its session carry the transfer on; returns false if another queue does, or if it is over.
    func join(_ place: QueuePlace) async -> Bool {
        let outcome = Mutex(false)
        try? await inOrder { [self] in
            await stopWork()
            let hasJoined = state.withLock { state in
                guard state.queue == nil, state.lock != nil else { return false }
                state.queue = place
                return true
            }
            // Where it cannot be noted, it is tried again all the same.
            if hasJoined, journal.history.state.isBlocked { try? await record(.resumed) }
            outcome.withLock { $0 = hasJoined }
            if !journal.isOver { start() }
        }
        return outcome.withLock { $0 }
    }

    /// Lets the store give the turns again. The work does not go on: ``resume()`` begins it again, or a later process.
    func leave() async {
        _ = await leaving().result
    }

    /// Lets the store give the turns again before anything that the program asks for later; the work does not go on.
    @discardableResult
    func leaving() -> Task<Void, any Error> {
        enqueue { [self] in
            await stopWork()
            state.withLock { $0.queue = nil }
            report()
        }
    }

    /// Lets the store give the turns again to a transfer that is blocked; if the program has resumed it meanwhile, it goes on there.
    func leaveBlocked() async {
        try? await inOrder { [self] in
            await stopWork()
            state.withLock { $0.queue = nil }
            report()
            let present = journal.history.state
            if !present.isOver, !present.isBlocked { start() }
        }
    }

    /// Whether work is under way, or waits for its turn or its next attempt.
    var hasWork: Bool { state.withLock { $0.work != nil } }

    /// Gives the turn back, and waits for another one; keeps what is there.
    func takeTurnAgain() async {
        try? await inOrder { [self] in
            guard state.withLock({ $0.work != nil }) else { return }
            await stopWork()
            if !journal.isOver { start() }
        }
    }

    /// Runs what the program asks for after what it has asked for before.
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

    /// Ends the work, and leaves the transfer to later processes.
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
            state.work = Task { await self.run() }
        }
        report()
    }

    // A store has many transfers that wait. What takes room in the frames of their tasks, such as copies of ``place``, is in functions that
    // are not inlined.

    private func run() async {
        // What replaces it is begun after its end alone.
        defer { state.withLock { $0.work = nil } }
        var failures = 0
        while !Task.isCancelled, !journal.isOver {
            state.withLock { $0.waitsForTurn = true }
            report()
            guard await waitForTurn(), await takeTurn(&failures) else { return }
        }
        if journal.isOver { finish() }
    }

    /// The header fields of its requests, secrets among them. Throws as ``WorkPlace/headers()``.
    func requestHeaders() async throws -> Headers { try await place.headers() }

    /// Returns false if the work is stopped meanwhile.
    @inline(never)
    private func waitForTurn() async -> Bool {
        do {
            let delay = delayOfAttempt
            if delay > 0 { try await clock.wait(.milliseconds(delay)) }
            while true {
                if await mayBegin {
                    try await turns.wait(id, host: host, priority: state.withLock { $0.priority })
                    // The turn may have come long after the question.
                    if await mayBegin { return true }
                    turns.end(id)
                }
                try await clock.wait(constraintInterval)
            }
        } catch {
            return false
        }
    }

    /// The time until the next attempt is due, in milliseconds.
    private var delayOfAttempt: Int64 {
        @inline(never) get { TransferRule.wait(journal.history, now: TransferClock.now()) }
    }

    private var clock: LoopClock {
        @inline(never) get { place.session.loopClock }
    }

    private var host: String {
        @inline(never) get { details.url.host }
    }

    private var constraintInterval: Duration {
        @inline(never) get { max(.milliseconds(10), ownPlace.settings.constraintInterval) }
    }

    private var constraint: (@Sendable (TransferDescription) async -> Bool)? {
        @inline(never) get { ownPlace.settings.mayBegin }
    }

    /// Whether the program lets the next attempt begin.
    private var mayBegin: Bool {
        get async { if let constraint { await ask(constraint) } else { true } }
    }

    @inline(never)
    private func ask(_ constraint: @Sendable (TransferDescription) async -> Bool) async -> Bool {
        await constraint(details)
    }

    /// The bytes that an attempt has to bring so that the next pause is short again: a server cannot be asked without end for a few at a time.
    private static let leastProgress: Int64 = 64 << 10

    /// Makes an attempt, ends the turn, and notes what has become of it; returns false if the work does not go on.
    @inline(never)
    private func takeTurn(_ failures: inout Int) async -> Bool {
        state.withLock { $0.waitsForTurn = false }
        let before = journal.history.keptBytes
        let result = await attempt()
        turns.end(id)
        do {
            switch result {
            case .success(let event):
                if case .ended = event { await place.work.giveUp() }
                try await record(event)
            case .failure(let error):
                if Task.isCancelled || error.kind == .cancelled { return false }
                let hasProgress = journal.history.keptBytes - before >= Self.leastProgress
                failures = hasProgress ? 1 : failures + 1
                let sent = place.sentSecrets.takeCount()
                let event = decide(error, failures, hasProgress ? 0 : journal.history.requestsInVain &+ sent)
                if case .blocked = event { state.withLock { $0.triesAgain = false } }
                if case .ended = event { await place.work.giveUp() }
                try await record(event)
            }
            return !journal.history.state.isBlocked
        } catch {
            // A full disk: what the journal does not have is done again.
            failures += 1
            report(unwritten: error)
            let pause = TransferRule.delay(
                afterFailures: failures, asked: nil, longest: details.options.longestPause, random: .random(in: 0...1))
            do {
                try await place.session.loopClock.wait(.milliseconds(pause))
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
        return decision.event(after: error, hiding: place.sentSecrets, at: now, requests: requests)
    }

    private func attempt() async -> Result<TransferEvent, SternaError> {
        let expiry = TransferRule.expiry(details.options, now: TransferClock.now(), created: details.created)
        if let expiry { return .success(.ended(expiry)) }
        do {
            let event = try await place.work.attempt(
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
        try await place.record(event, syncs: event.isEssential)
        state.withLock { $0.unwritten = nil }
        report()
    }

    @inline(never)
    private func finish() {
        report()
        channel.end()
        states.end()
        // The queue's place has this transfer.
        let (lock, queue) = state.withLock { ($0.lock.take(), $0.queue.take()) }
        lock?.release()
        withExtendedLifetime(queue) {}
        ended(self)
    }
}
