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

/// The adapters and retriers of a session.
struct RetryHandlers: Sendable {
    var adapters: [any RequestAdapter] = []
    var retriers: [any RequestRetrier] = []

    var isEmpty: Bool { adapters.isEmpty && retriers.isEmpty }

    /// Returns those of a request.
    func changed(by own: OwnRetryHandlers) -> RetryHandlers {
        RetryHandlers(adapters: own.adapters.elements(adapters), retriers: own.retriers.elements(retriers))
    }
}

/// The adapters and retriers that a request has of its own.
struct OwnRetryHandlers: Sendable {
    var adapters = OwnHandlers<any RequestAdapter>.more([])
    var retriers = OwnHandlers<any RequestRetrier>.more([])

    /// Whether the request has any, whatever its session has.
    var adds: Bool { !adapters.elements([]).isEmpty || !retriers.elements([]).isEmpty }
}

/// The handlers of a request: those of its session and more, or others in their place.
enum OwnHandlers<Handler: Sendable>: Sendable {
    case more([Handler])
    case these([Handler])

    /// Returns the request's handlers; `shared` are the session's, nil if the session is not known.
    func elements(_ shared: [Handler]?) -> [Handler] {
        switch self {
        case .more(let more): (shared ?? []) + more
        case .these(let handlers): handlers
        }
    }

    /// The handlers while they are changed.
    struct List {
        var elements: [Handler]
        fileprivate let keepsShared: Bool

        // A list that was emptied is to be empty.
        var handlers: OwnHandlers { keepsShared && !elements.isEmpty ? .more(elements) : .these(elements) }
    }

    /// Returns the request's handlers, to be changed.
    func list(_ shared: [Handler]?) -> List {
        guard case .more = self, shared == nil else { return List(elements: elements(shared), keepsShared: false) }
        return List(elements: elements(nil), keepsShared: true)
    }
}
