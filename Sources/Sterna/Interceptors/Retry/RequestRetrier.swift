public import SternaCore

/// Decides whether a request is sent again, before the session's ``RetryPolicy`` does; Alamofire's RequestRetrier.
///
///     struct RefreshingRetrier: RequestRetrier {
///         func retry(_ request: Request, after outcome: RetryOutcome, _ progress: RetryProgress) async -> RetryAnswer {
///             guard case .response(let response) = outcome, response.status == .unauthorized,
///                 progress.retries == 0, await refreshToken()
///             else { return .undecided }
///             return .retry()
///         }
///     }
///
/// Retriers are asked in order, those of the session first; the first that decides ends the search. They answer for all methods
/// and outcomes, except cancellations. A retry still needs a body that can be read again, or ``TaskDecisions/needNewBody``, time until
/// the deadline, and a place in the policy's budget.
public protocol RequestRetrier: Sendable {
    /// Answers whether to send a request again. A response has not been read yet; its body belongs to the caller.
    func retry(_ request: Request, after outcome: RetryOutcome, _ progress: RetryProgress) async -> RetryAnswer
}

/// Changes a request before each of its attempts on the network, retries included; Alamofire's RequestAdapter.
///
/// It receives the request as it was before the last attempt's adapters. Adapters run in order, those of the session first. They
/// see each redirect separately, so an adapter that adds credentials must check the request's origin first.
public protocol RequestAdapter: Sendable {
    /// Returns the request to send. An error fails the call.
    func adapt(_ request: Request, _ progress: RetryProgress) async throws -> Request
}

/// How an attempt has ended.
public enum RetryOutcome: Sendable {
    /// With a response of any status.
    case response(Response)

    /// With an error: a ``SternaCore/SternaError``, or one of an interceptor's own.
    case failure(any Error)
}

/// How far a request has come.
public struct RetryProgress: Sendable, Hashable {
    /// The number of retries so far; zero after the first attempt.
    public let retries: Int

    /// The time since the first attempt began.
    public let elapsed: Duration

    /// The cause of the last retry; nil before the first one.
    public let reason: RetryReason?
}

/// The answer of a ``RequestRetrier``.
public enum RetryAnswer: Sendable {
    /// Leaves the decision to the next retrier, and at last to the session's policy.
    case undecided

    /// Sends the request again, after a wait.
    case retry(after: Duration = .zero)

    /// Returns the response, or throws the error, without a retry.
    case deliver

    /// Throws another error.
    case fail(any Error)
}

/// The adapters and retriers of a session, or of a request.
struct RetryHandlers: Sendable {
    var adapters: [any RequestAdapter] = []
    var retriers: [any RequestRetrier] = []

    var isEmpty: Bool { adapters.isEmpty && retriers.isEmpty }

    /// Returns these with others behind them.
    func adding(_ others: RetryHandlers) -> RetryHandlers {
        RetryHandlers(adapters: adapters + others.adapters, retriers: retriers + others.retriers)
    }
}
