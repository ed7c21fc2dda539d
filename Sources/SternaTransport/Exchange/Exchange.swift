import HTTPTypes
import NIOCore
import SternaCore

/// One request on its way: from the caller's task to a connection, and its response back.
///
/// It lives on one event loop from `begin` on; `cancel` may be called from anywhere and hops there. It resumes its caller
/// exactly once.
// Invariant: every stored `var` is touched on `shard.loop` only, once it was handed there; what is set before (the continuation,
// the recorder, what a warm-up wants) is set by the one task that makes it.
final class Exchange: InLine, @unchecked Sendable {
    /// Where it stands, which decides what it waits for.
    enum Phase {
        case queued, writing, waiting, reading
    }

    let request: Request
    let endpoint: Endpoint
    let deadline: NIODeadline

    /// Where it lives: where it was submitted, or, moved once before anything was done, where the endpoint's connection is.
    private(set) var shard: Shard
    private let firstShard: Shard

    /// Whether an idle connection was set aside when the shard was chosen.
    var hasReservation: Bool

    /// Its place in the line for a connection.
    var ticket = 0

    var phase = Phase.queued
    var attempt = 1
    var needsFreshConnection = false
    var isCancelled = false

    /// Whether the server has refused to say whether it wants the body (417): it is then sent without asking.
    var omitsExpect = false
    var isSubmitted = false
    var requestSent = false
    var carrier: Carrier?

    /// The dial that was begun for it and is under way.
    var dial: Dial?
    var queuedAt = NIODeadline.distantFuture
    var activeIndex: Int?

    /// Writes down what happens, where somebody wants to know.
    var recorder: MetricsRecorder.Attempt?

    private var beganOnLoop = false

    /// Whether the caller runs on the shard's event loop, and is woken there for nothing.
    var isOnLoop: Bool { beganOnLoop && !hasMoved }

    /// Whether it only wants a connection to be opened; it is never sent.
    var isWarmUp = false
    private var continuation: UnsafeContinuation<Response, any Error>?

    init(_ request: Request, endpoint: Endpoint, shard: Shard, hasReservation: Bool, deadline: NIODeadline) {
        self.request = request
        self.endpoint = endpoint
        self.shard = shard
        firstShard = shard
        self.hasReservation = hasReservation
        self.deadline = deadline
    }

    var rank: Int { request.priority.rawValue }

    var hasDial: Bool { dial != nil }

    /// Starts it; the continuation is resumed by `succeed` or `fail`.
    func begin(_ continuation: UnsafeContinuation<Response, any Error>) {
        self.continuation = continuation
        if shard.loop.inEventLoop {
            beganOnLoop = true
            shard.submit(self)
        } else {
            shard.loop.execute { self.shard.submit(self) }
        }
    }

    /// Whether the caller still waits for the response's head.
    var isPending: Bool { continuation != nil }

    /// Gives the caller its response.
    func succeed(_ response: Response) { reply(response)?.send() }

    /// The response on its way to the caller, who waits no more for anything else; nil where nobody waits.
    func reply(_ response: Response) -> Reply? {
        guard let continuation else { return nil }
        self.continuation = nil
        guard recorder != nil || shard.isShutDown else { return Reply(continuation: continuation, response: response) }
        var response = response
        response.recorder = recorder?.recorder
        // A session asks where it leads.
        if shard.isShutDown, request.deadline != nil, Self.redirects.contains(response.status.code) {
            response.hold = shard.grace.hold()
        }
        return Reply(continuation: continuation, response: response)
    }

    private static let redirects = [301, 302, 303, 307, 308]

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
        continuation.resume(throwing: complete(error))
    }

    /// An error with this request's particulars.
    func complete(_ error: SternaError) -> SternaError {
        var error = error.at(request)
        error.attempt = attempt
        error.requestSent = requestSent
        if let recorder {
            if phase == .queued, queuedAt != .distantFuture {
                let opening = dial?.timeline
                recorder.update { attempt in
                    attempt.queue = recorder.span(queuedAt, opening.map { max($0.began, queuedAt) } ?? .now())
                    if case .proxy(let proxy) = endpoint.route { attempt.proxy = proxy.description }
                    opening?.note(in: &attempt, recorder, until: .now())
                }
            }
            recorder.failed(error)
        }
        return error
    }

    /// The caller's task was cancelled: it is told at once, and the connection is closed.
    func cancel() {
        firstShard.loop.execute {
            guard self.shard !== self.firstShard else { return self.cancelHere() }
            self.shard.loop.execute { self.cancelHere() }
        }
    }

    private func cancelHere() {
        isCancelled = true
        // Before it is submitted the continuation is the caller's to set; `submit` looks at the flag.
        guard isSubmitted, isPending else { return }
        shard.abandon(self, .cancelled(phase: errorPhase))
    }

    /// Moves it to where the endpoint's connection is; before it was submitted, and once.
    func move(to shard: Shard) {
        self.shard = shard
        shard.loop.execute { shard.submit(self) }
    }

    var hasMoved: Bool { shard !== firstShard }

    /// The phase an error of this moment belongs to.
    var errorPhase: SternaError.Phase {
        switch phase {
        case .queued: dial?.phase ?? .queue
        case .writing: .write
        case .waiting: .wait
        case .reading: .read
        }
    }

    /// Whether the body waits for the server to ask for it (RFC 9110, 10.1.1).
    var expectsContinue: Bool { !omitsExpect && request.expectsContinue }

    /// Whether a connection that others share was found to be full.
    var mustDial = false

    /// Whether it may go over a connection of another origin.
    var maySharePeers: Bool { !isWarmUp && !hasMoved && !mustDial && attempt == 1 && !needsFreshConnection }

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
