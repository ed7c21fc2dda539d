import HTTPTypes
import NIOCore
import SternaCore
import Synchronization

/// One request on its way: from the caller's task to a connection, and its response back.
///
/// It belongs to one event loop at a time, or to its endpoint's queue while it waits there: whatever takes it out of the queue,
/// under the queue's lock, has it. `cancel` may be called from anywhere. It resumes its caller exactly once.
// Invariant: every stored `var` is touched by what it belongs to only; `shard`, `ticket` and `arrival` under the queue's lock. What
// is set before `begin` (the recorder, what a warm-up wants) is set by the one task that makes it.
final class Exchange: InLine, @unchecked Sendable {
    /// Where it stands, which decides what it waits for.
    enum Phase {
        case queued, writing, waiting, reading
    }

    let request: Request
    let endpoint: Endpoint

    /// The call that it is an attempt of.
    let call: Call?
    private let ownDeadline: NIODeadline

    /// Where it lives, or has lived last.
    private(set) var shard: Shard
    private let firstShard: Shard

    /// Whether an idle connection was set aside when the shard was chosen.
    var hasReservation: Bool

    /// Whether it waits in the queue first, and goes to whichever event loop has a connection.
    var startsInQueue = false

    /// Its place in the line for a connection.
    var ticket = 0
    var arrival = 0

    var phase = Phase.queued
    var attempt = 1
    var needsFreshConnection = false
    private let cancelled = Atomic<Bool>(false)

    /// Whether the server has refused to say whether it wants the body (417): it is then sent without asking.
    var omitsExpect = false
    var requestSent = false
    var carrier: Carrier?

    /// How far the dial had come that it counted as having when it left the queue without a connection.
    private var opening: Dial.Progress?
    var queuedAt = NIODeadline.distantFuture
    var activeIndex: Int?

    /// Keeps the engine's shards from ending while it waits during the grace of a shutdown.
    var hold: Grace.Hold?

    /// Writes down what happens, where somebody wants to know.
    var recorder: MetricsRecorder.Attempt?

    private var beganOnLoop = false

    /// Whether the caller runs on the shard's event loop, and is woken there for nothing.
    var isOnLoop: Bool { beganOnLoop && !hasMoved }

    /// The event loop that the caller runs on; nil outside the loops.
    var callerLoop: Int? { beganOnLoop ? firstShard.index : nil }

    /// Whether it only wants a connection to be opened; it is never sent.
    var isWarmUp = false

    /// Whether its call has made an attempt before it.
    var isFurtherAttempt = false
    private var continuation: UnsafeContinuation<Response, any Error>?

    // Nil until there is a call to be made.
    private var callLine: CallLine?

    init(_ request: Request, endpoint: Endpoint, shard: Shard, hasReservation: Bool, deadline: NIODeadline) {
        self.request = request
        self.endpoint = endpoint
        call = request.call
        self.shard = shard
        firstShard = shard
        self.hasReservation = hasReservation
        ownDeadline = deadline
    }

    /// When the request must be complete; `distantFuture` while the call's time stands still.
    var deadline: NIODeadline {
        guard let limit = call?.limit, limit < .distantFuture else { return call == nil ? ownDeadline : .distantFuture }
        return min(limit, ownDeadline)
    }

    var rank: Int { request.priority.rawValue }

    /// Starts it; the continuation is resumed by `succeed` or `fail`.
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
            // It is all that the closure keeps, so that none is made for it.
            loop.execute { self.firstShard.submit(self) }
        }
    }

    // What the runtime orders where it resumes the caller, and the sanitizer does not see where the answer comes before the
    // caller waits for it.
    private let answered = Atomic<Bool>(false)

    /// The caller has its answer, and sees all that was done for it.
    func taken() { _ = answered.load(ordering: .acquiring) }

    /// Whether the caller still waits for the response's head.
    var isPending: Bool { continuation != nil }

    /// Gives the caller its response.
    func succeed(_ response: Response) { reply(response)?.send() }

    /// The response on its way to the caller, who waits no more for anything else; nil where nobody waits.
    func reply(_ response: Response) -> Reply? {
        guard let continuation else { return nil }
        self.continuation = nil
        answered.store(true, ordering: .releasing)
        guard recorder != nil || callLine != nil || endpoint.grace.isShutDown else {
            return Reply(continuation: continuation, response: response)
        }
        var response = response
        response.recorder = recorder?.recorder
        // The call may ask for more; it lets go of the lease as soon as it does not.
        if let call, endpoint.grace.isShutDown { call.keep(endpoint.grace.hold()) }
        let reply = Reply(continuation: continuation, response: response)
        guard let callLine else { return reply }
        callLine.post(on: shard.loop) { reply.send() }
        return nil
    }

    /// A response, and who waits for it.
    struct Reply: Sendable {
        fileprivate let continuation: UnsafeContinuation<Response, any Error>
        fileprivate let response: Response

        func send() { continuation.resume(returning: response) }
    }

    /// Gives the caller an error, completed with what is known of the request.
    func fail(_ error: SternaError) {
        guard let continuation else { return }
        self.continuation = nil
        let complete = complete(error)
        answered.store(true, ordering: .releasing)
        guard let callLine else { return continuation.resume(throwing: complete) }
        callLine.post(on: shard.loop) { continuation.resume(throwing: complete) }
    }

    /// Ends a body, after the calls that are due.
    func end(_ pipe: BodyPipe, _ result: Result<HTTPFields?, SternaError>) {
        guard let callLine else { return pipe.end(result) }
        callLine.post(on: shard.loop) { pipe.end(result) }
    }

    /// Calls a closure of the caller, or a method of the observer, when the present change of state is complete; in order, and
    /// before the caller gets its response or error.
    func callSoon(_ call: (@Sendable () -> Void)?) {
        guard let call else { return }
        let line = callLine ?? CallLine()
        callLine = line
        line.post(on: shard.loop, call)
    }

    /// An error with this request's particulars.
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
            callSoon(recorder.failed(error))
        }
        return error
    }

    /// Whether the caller's task was cancelled; looked at wherever it arrives.
    var isCancelled: Bool { cancelled.load(ordering: .sequentiallyConsistent) }

    /// The caller's task was cancelled: it is told at once, and the connection is closed.
    func cancel() { cancel(evenBody: false) }

    // A task that is cancelled lets its body be read on by others; a call that is takes the body along.
    private func cancel(evenBody: Bool) {
        cancelled.store(true, ordering: .sequentiallyConsistent)
        guard let shard = endpoint.cancel(self) else { return }
        shard.loop.execute {
            // Where it has not arrived yet, or was on its way elsewhere, the flag is looked at as soon as it arrives.
            guard self.endpoint.change({ _ in self.shard === shard }), self.activeIndex != nil,
                self.isPending || evenBody
            else { return }
            shard.abandon(self, .cancelled(phase: self.errorPhase))
        }
    }

    /// It belongs to a shard from now on; called under the queue's lock.
    func arrive(on shard: Shard) {
        self.shard = shard
        hold = nil
    }

    /// It ends without having had a connection; called under the queue's lock.
    func leftQueue(with dial: Dial?) {
        opening = dial?.progress
        hold = nil
    }

    /// Whether an engine that is being shut down still takes it: another attempt of a call that had begun before.
    var goesOnInGrace: Bool {
        !endpoint.grace.isOver && (attempt > 1 || isFurtherAttempt)
    }

    var hasMoved: Bool { shard !== firstShard }

    /// A warm-up ends: the connection is there, or as many are as may be.
    func endWarmUp() { succeed(Response(status: .ok, url: request.url)) }

    /// The phase an error of this moment belongs to.
    var errorPhase: SternaError.Phase {
        switch phase {
        case .queued: opening?.phase ?? .queue
        case .writing: .write
        case .waiting: .wait
        case .reading: .read
        }
    }

    /// Whether the body waits for the server to ask for it (RFC 9110, 10.1.1).
    var expectsContinue: Bool { !omitsExpect && request.expectsContinue }

    /// Whether it may go over a connection of another origin.
    var maySharePeers: Bool { !isWarmUp && attempt == 1 && !needsFreshConnection }

    /// The HTTP/2 connection that did not take it.
    weak var refusedBy: HTTP2Connection?

    /// Whether it may be sent again after a server has given it back unprocessed.
    var mayReplay: Bool { isPending && !isCancelled && attempt <= 3 && request.isReplayable }

    /// Whether it may be sent again after its connection turned out to be closed.
    var mayRetryOnFreshConnection: Bool {
        guard isPending, attempt == 1, !isCancelled, request.isReplayable else { return false }
        return request.isIdempotent || !requestSent
    }

    /// A limit as errors name it: in seconds, to the nearest millisecond.
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

    func callResumed() {
        let shard: Shard? = endpoint.change { _ in
            // What waits in the queue has had none of its time for it while time stood still.
            guard ticket != 0 else { return self.shard }
            queuedAt = endpoint.clock
            return nil
        }
        guard let shard else { return endpoint.lookAtWaiters() }
        shard.loop.execute {
            guard self.endpoint.change({ _ in self.shard === shard }), self.activeIndex != nil else { return }
            self.carrier?.timeGoesOn()
            shard.tickNoLater(than: self.timeLimit().at)
        }
    }
}
