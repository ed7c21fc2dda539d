import HTTPTypes
import NIOCore
import SternaCore
import Synchronization

/// One attempt to send a request: from the caller's task to a connection, and its response back.
///
/// An exchange belongs to one event loop at a time, or to its endpoint's queue while it waits there. The code that removes it from
/// the queue, under the queue's lock, takes ownership. `cancel` may be called from anywhere. The caller is resumed exactly once.
// Invariant: only the owner touches the stored `var`s; `shard`, `ticket` and `arrival` under the queue's lock. Values set before
// `begin` (the recorder, the warm-up flag) are set by the task that creates the exchange.
final class Exchange: PrioritizedWaiter, ListMember, @unchecked Sendable {
    /// The exchange's phase, which decides which limits apply.
    enum Phase {
        case queued, writing, waiting, reading
        /// The protocol was switched: only the write time-out is left.
        case switched
    }

    let request: Request
    let endpoint: Endpoint

    /// The call that this exchange is an attempt of.
    // Invariant: `request` keeps it, and does not change.
    unowned(unsafe) let call: Call?
    private let ownDeadline: NIODeadline

    /// The shard that the exchange belongs to, or belonged to last.
    private(set) var shard: Shard
    private let firstShard: Shard

    /// Whether an idle connection was reserved when the shard was chosen.
    var hasReservation: Bool

    /// Whether the exchange starts in the queue, and goes to any event loop with a free connection.
    var startsInQueue = false

    /// The ticket number in the queue for a connection.
    var ticket = 0
    var arrival = 0

    var phase = Phase.queued
    var attempt = 1
    var needsFreshConnection = false
    private let cancelled = Atomic<Bool>(false)

    /// Whether the body is sent without `Expect`, since the server rejected that field (417).
    var omitsExpect = false
    var requestSent = false
    var codec: ExchangeCodec?

    /// The progress of the dial that was assigned to this exchange when it left the queue without a connection.
    private var opening: Dial.Progress?
    var queuedAt = NIODeadline.distantFuture

    /// The index in its shard's list of exchanges; nil outside the list.
    var listIndex: Int?

    /// Keeps the engine's shards running while the exchange waits during a shutdown's grace period.
    var hold: ShutdownGrace.Lease?

    /// Records metrics and posts events; nil if neither is enabled.
    var recorder: MetricsRecorder.Attempt?

    private var beganOnLoop = false

    /// Whether the caller runs on the shard's event loop, where waking it is free.
    var isOnLoop: Bool { beganOnLoop && !hasMoved }

    /// The caller's event loop; nil outside the loops.
    var callerLoop: Int? { beganOnLoop ? firstShard.index : nil }

    /// Whether this is a warm-up: it only opens a connection and sends no request.
    var isWarmUp = false

    /// Whether the call has made an earlier attempt.
    var isFurtherAttempt = false
    private var continuation: UnsafeContinuation<Response, any Error>?

    // Nil until there is user code to call.
    private var callbackQueue: LoopCallbackQueue?

    init(_ request: Request, endpoint: Endpoint, shard: Shard, hasReservation: Bool, deadline: NIODeadline) {
        self.request = request
        self.endpoint = endpoint
        call = request.call
        self.shard = shard
        firstShard = shard
        self.hasReservation = hasReservation
        ownDeadline = deadline
    }

    /// When the request must be complete; `distantFuture` while the call's time is paused.
    var deadline: NIODeadline {
        guard let limit = call?.limit, limit < .distantFuture else { return call == nil ? ownDeadline : .distantFuture }
        return min(limit, ownDeadline)
    }

    var priority: Int { (call?.priority ?? request.priority).rawValue }

    /// Starts the exchange; `succeed` or `fail` resumes the continuation.
    func begin(_ continuation: UnsafeContinuation<Response, any Error>) {
        self.continuation = continuation
        let loop = firstShard.loop
        if startsInQueue {
            endpoint.wait(self)
            endpoint.arrange()
        } else if loop.inEventLoop {
            beganOnLoop = true
            firstShard.submit(self)
        } else {
            // The closure captures only the exchange, which spares an allocation.
            loop.execute { self.firstShard.submit(self) }
        }
    }

    // Orders the exchange's work before the caller's. The runtime does so, too, but the sanitizer misses it when the response
    // arrives before the caller waits.
    private let answered = Atomic<Bool>(false)

    /// Acquires, in the caller's task, all writes made before the response or error.
    func taken() { _ = answered.load(ordering: .acquiring) }

    /// Whether the caller still waits for the response's head.
    var isPending: Bool { continuation != nil }

    /// Resumes the caller with a response.
    func succeed(_ response: consuming Response) { reply(response)?.send() }

    /// Returns the reply that resumes the caller; nil if the caller was already resumed or the callback queue sends the reply.
    // It takes the response, so that the recorder is added without a copy.
    func reply(_ response: consuming Response) -> Reply? {
        guard let continuation else { return nil }
        self.continuation = nil
        answered.store(true, ordering: .releasing)
        guard recorder != nil || callbackQueue != nil || endpoint.grace.isShutDown else {
            return Reply(continuation: continuation, response: response)
        }
        response.recorder = recorder?.recorder
        // The call may make another attempt; it releases the hold when it will not.
        if let call, endpoint.grace.isShutDown { call.keep(endpoint.grace.hold()) }
        let reply = Reply(continuation: continuation, response: response)
        guard let callbackQueue else { return reply }
        callbackQueue.post(on: shard.loop) { reply.send() }
        return nil
    }

    /// A response and the continuation that it resumes.
    struct Reply: Sendable {
        fileprivate let continuation: UnsafeContinuation<Response, any Error>
        fileprivate let response: Response

        func send() { continuation.resume(returning: response) }
    }

    /// Resumes the caller with an error, completed with the request's details.
    func fail(_ error: SternaError) {
        guard let continuation else { return }
        self.continuation = nil
        let complete = complete(error)
        answered.store(true, ordering: .releasing)
        guard let callbackQueue else { return continuation.resume(throwing: complete) }
        callbackQueue.post(on: shard.loop) { continuation.resume(throwing: complete) }
    }

    /// Ends a body, after the pending calls of user code.
    func end(_ pipe: BodyPipe, _ result: Result<HTTPFields?, SternaError>) {
        guard let callbackQueue else { return pipe.end(result) }
        callbackQueue.post(on: shard.loop) { pipe.end(result) }
    }

    /// Calls a closure of the caller after the current state change. Calls run in order, before the caller receives its response or
    /// error.
    func callSoon(_ call: @escaping @Sendable () -> Void) {
        let queue = callbackQueue ?? LoopCallbackQueue()
        callbackQueue = queue
        queue.post(on: shard.loop, call)
    }

    /// Returns an error with the details of this request.
    func complete(_ error: SternaError) -> SternaError {
        var error = error.at(request)
        error.attempt = attempt
        error.requestSent = requestSent
        if let recorder {
            if phase == .queued, queuedAt != .distantFuture {
                let opening = opening?.timeline
                recorder.update { attempt in
                    attempt.queue = recorder.span(queuedAt, opening.map { max($0.began, queuedAt) } ?? shard.clock.now)
                    if case .proxy(let proxy) = endpoint.route { attempt.proxy = proxy.description }
                    opening?.note(in: &attempt, recorder, until: shard.clock.now)
                }
            }
            recorder.failed(error)
        }
        return error
    }

    /// Whether the caller's task was cancelled; each shard checks it when the exchange arrives.
    var isCancelled: Bool {
        cancelled.load(ordering: .sequentiallyConsistent) || call?.isScopeCancelled ?? false
    }

    /// Handles the cancellation of the caller's task: resumes the caller, and closes the HTTP/1 connection or resets the HTTP/2
    /// stream.
    func cancel() { cancel(evenBody: false) }

    // Other tasks may continue to read the body of a cancelled task; a cancelled call cancels its body, too.
    private func cancel(evenBody: Bool) {
        cancelled.store(true, ordering: .sequentiallyConsistent)
        guard let shard = endpoint.cancel(self) else { return }
        shard.loop.execute {
            // An exchange that has not arrived yet, or is moving to another shard, checks the flag on arrival.
            guard self.endpoint.change({ _ in self.shard === shard }), self.listIndex != nil,
                self.isPending || evenBody
            else { return }
            shard.abandon(self, .cancelled(phase: self.errorPhase))
        }
    }

    /// Assigns the exchange to a shard; called under the queue's lock.
    func arrive(on shard: Shard) {
        self.shard = shard
        hold = nil
    }

    /// Records that the exchange ends without a connection; called under the queue's lock.
    func leftQueue(with dial: Dial?) {
        opening = dial?.progress
        hold = nil
    }

    /// Whether an engine that is shutting down still accepts the exchange: it is a further attempt of an earlier call.
    var goesOnInGrace: Bool {
        !endpoint.grace.isOver && (attempt > 1 || isFurtherAttempt)
    }

    var hasMoved: Bool { shard !== firstShard }

    /// Ends a warm-up: the connection is open, or the limit of connections is reached.
    func endWarmUp() { succeed(Response(status: .ok, url: request.url)) }

    /// The phase that an error has if it occurs now.
    var errorPhase: SternaError.Phase {
        switch phase {
        case .queued: opening?.phase ?? .queue
        case .writing: .write
        case .waiting: .wait
        case .reading, .switched: .read
        }
    }

    /// Whether the body waits for the server to ask for it (RFC 9110, 10.1.1).
    var expectsContinue: Bool { !omitsExpect && request.expectsContinue }

    /// Whether the exchange may use a connection of another origin.
    var maySharePeers: Bool { !isWarmUp && attempt == 1 && !needsFreshConnection }

    /// The HTTP/2 connection that refused the exchange.
    weak var refusedBy: HTTP2Connection?

    /// The number of times that the request was given back by a connection that had served no request, or with 421.
    ///
    /// Connections that have served requests do not count: if each takes only a few, the last of many requests may be given back
    /// often.
    var fruitlessMoves = 0

    /// Whether the exchange may go to another connection once more after a server returned it unprocessed.
    var mayMove: Bool { fruitlessMoves < 3 && attempt <= 100 }

    /// Whether the request may be resent after a server returned it unprocessed.
    var mayReplay: Bool { isPending && !isCancelled && mayMove && request.isReplayable }

    /// Whether the request may be resent after its connection turned out to be closed.
    var mayRetryOnFreshConnection: Bool { mayRepeat(sinceResponse: nil) }

    /// Whether the request may be resent after its connection ended without a byte of a response.
    ///
    /// - Parameter time: the time from the end of the connection's previous response; nil if there was none.
    func mayRepeat(sinceResponse time: TimeAmount?) -> Bool {
        guard isPending, !isCancelled else { return false }
        return KeptConnectionRule.repeats(
            .init(
                isReplayable: request.isReplayable, isIdempotent: request.isIdempotent, wasSent: requestSent,
                isRepeated: attempt > 1, isFurtherAttempt: isFurtherAttempt,
                allowsNonIdempotent: request.options[ResendsNonIdempotentKey.self], sinceResponse: time))
    }

    /// Formats a limit for an error message: in seconds, to the nearest millisecond.
    static func seconds(_ duration: Duration) -> String {
        let amount = TimeAmount(clamping: duration)
        let (seconds, milliseconds) = ((amount.nanoseconds + 500_000) / 1_000_000).quotientAndRemainder(
            dividingBy: 1_000)
        guard milliseconds > 0 else { return "\(seconds) s" }
        var digits = String(1_000 + milliseconds).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return "\(seconds).\(digits) s"
    }
}

extension Exchange: CallStep {
    func callCancelled() { cancel(evenBody: true) }

    func callPaused() {
        guard let shard = endpoint.change({ _ in ticket == 0 ? self.shard : nil }) else { return }
        shard.loop.execute {
            guard self.endpoint.change({ _ in self.shard === shard }), self.listIndex != nil else { return }
            self.codec?.timeStandsStill()
            // Requests may wait already.
            if self.endpoint.hasWaiters { self.endpoint.askPausedCalls() }
            guard self.endpoint.permits.isStarving else { return }
            for other in self.endpoint.permits.endpoints { other.askPausedCalls() }
        }
    }

    func callResumed() {
        let shard: Shard? = endpoint.change { _ in
            // An exchange in the queue restarts its queue limit after a pause.
            guard ticket != 0 else { return self.shard }
            queuedAt = endpoint.clock
            return nil
        }
        guard let shard else { return endpoint.checkWaiters() }
        shard.loop.execute {
            guard self.endpoint.change({ _ in self.shard === shard }), self.listIndex != nil else { return }
            self.codec?.timeGoesOn()
            self.codec?.writer?.advance()
            shard.tickNoLater(than: self.timeLimit().at)
        }
    }

    func callPriorityChanged() { endpoint.change { $0.reprioritize(self) } }
}
