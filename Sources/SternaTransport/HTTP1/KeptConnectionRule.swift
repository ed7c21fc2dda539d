import NIOCore

/// Decides when to check a kept connection before the next request is written to it, and whether to resend a request if the server
/// closes the connection anyway; functions without I/O or a clock.
enum KeptConnectionRule {
    /// The bounds of a rest, 5 to 50 ms.
    static let shortestRest = TimeAmount.milliseconds(5)
    static let longestRest = TimeAmount.milliseconds(50)

    /// The length of the longest body whose unread part is waited for.
    static let awaitedBytes: Int64 = 64 << 10

    /// The time after a response within which a close by the server counts as decided before the next request reached it.
    static let closeTime = TimeAmount.milliseconds(100)

    /// Returns how long requests wait for a connection that is about to be free: as long as it took to open, since another one
    /// would take that long, but within the bounds of a rest.
    static func rest(afterDialOf time: TimeAmount) -> TimeAmount { min(max(time, shortestRest), longestRest) }

    /// Returns whether requests wait for the unread part of a body of that length; nil for an unknown length.
    static func awaitsBody(of length: Int64?) -> Bool { length.map { $0 <= awaitedBytes } ?? false }

    /// Returns whether to ask the socket for bytes, or an end, that the event loop has not read yet. It costs a system call.
    ///
    /// Servers close connections after redirects and challenges, which the call's next request follows at once. They also send
    /// content after responses that must have none.
    @inline(__always)
    static func asksSocket(isFurtherAttempt: Bool, followsContentless: Bool) -> Bool {
        isFurtherAttempt || followsContentless
    }

    /// A request whose connection ended without a byte of its response.
    struct Unanswered {
        var isReplayable = true
        var isIdempotent = true

        /// Whether any byte of it may have reached the server.
        var wasSent = true

        /// Whether the engine has sent it before.
        var isRepeated = false

        /// Whether its call has sent a request before: a redirect's source, or one that was challenged.
        var isFurtherAttempt = false

        /// Whether requests that are not idempotent may be repeated.
        var allowsNonIdempotent = true

        /// The time from the end of the connection's previous response to its close; nil if it had none.
        var sinceResponse: TimeAmount?
    }

    /// Returns whether a request goes to a fresh connection: if sending it twice does no harm, or if the server had probably
    /// closed the connection before it arrived.
    static func repeats(_ request: Unanswered) -> Bool {
        guard request.isReplayable, !request.isRepeated else { return false }
        if request.isIdempotent || !request.wasSent { return true }
        guard request.isFurtherAttempt, request.allowsNonIdempotent, let time = request.sinceResponse else {
            return false
        }
        return time <= closeTime
    }
}

/// What an origin has sent after its responses to HEAD, which have no content (RFC 9110, 9.3.2); a value.
///
/// Some servers send the content of the GET anyway, and it may begin like a response. It must never be parsed as one.
struct HeadConduct: Equatable {
    /// What happens to a connection after a response to HEAD.
    enum Step {
        /// It carries no request for the length of a rest, in which content would arrive.
        case rest
        /// It is used again at once.
        case reuse
        /// It is closed.
        case close
    }

    /// The number of rests without content after which connections are reused at once.
    static let neededSilences = 3

    private var silences = 0
    private var sendsContent = false

    var next: Step { sendsContent ? .close : silences < Self.neededSilences ? .rest : .reuse }

    /// Notes a rest in which nothing arrived.
    mutating func wasSilent() { silences = min(silences + 1, Self.neededSilences) }

    /// Notes content after a response to HEAD.
    mutating func sentContent() { sendsContent = true }
}
