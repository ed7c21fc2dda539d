public import SternaCore

/// Decides whether a request is sent again, before the ``RetryPolicy`` does; the counterpart of Alamofire's `RequestRetrier`.
///
///     struct RefreshingRetrier: RequestRetrier {
///         func retry(_ request: Request, after outcome: RetryOutcome, _ progress: RetryProgress) async -> RetryDecision {
///             guard case .response(let response) = outcome, response.status == .unauthorized,
///                 progress.retries == 0, await refreshToken()
///             else { return .undecided }
///             return .retry()
///         }
///     }
///
/// Retriers are called in order, those of the session first, until one decides. They are called for all methods and outcomes,
/// except cancellations. The policy's ``RetryPolicy/limit`` does not apply to their retries. A retry still requires a body that can
/// be read again, or ``TaskDecisions/needNewBody``; time until the deadline and within ``RetryPolicy/totalTime``; and a retry in
/// the policy's budget.
public protocol RequestRetrier: Sendable {
    /// Returns whether to send a request again. A response in `outcome` has an empty body: its own has not been read.
    func retry(_ request: Request, after outcome: RetryOutcome, _ progress: RetryProgress) async -> RetryDecision
}

/// Changes a request before each of its attempts, including retries; the counterpart of Alamofire's `RequestAdapter`.
///
/// It receives the request without the changes for the previous attempt. Adapters run in order, those of the session first. They
/// also run for each redirect, so an adapter that adds credentials must check the request's origin first.
public protocol RequestAdapter: Sendable {
    /// Returns the request to send. A thrown error counts as the outcome of the attempt.
    func adapt(_ request: Request, _ progress: RetryProgress) async throws -> Request
}

/// The outcome of an attempt.
public enum RetryOutcome: Sendable {
    /// A response of any status, with an empty body.
    case response(Response)

    /// An error: a ``SternaCore/SternaError``, or another error of an interceptor.
    case failure(any Error)
}

/// The retries of a request so far. A redirect's target counts anew.
public struct RetryProgress: Sendable, Hashable {
    /// The number of retries so far; zero after the first attempt.
    public let retries: Int

    /// The time since the first attempt of the request, or of the redirect's target, began.
    public let elapsed: Duration

    /// The cause of the last retry; nil before the first one.
    public let reason: RetryReason?
}

/// The decision of a ``RequestRetrier``.
public enum RetryDecision: Sendable {
    /// Leaves the decision to the next retrier; after the last one, to the retry policy.
    case undecided

    /// Sends the request again after a wait; at once by default.
    case retry(after: Duration = .zero)

    /// Returns the response, or throws the error, without a retry.
    case deliver

    /// Fails the request with this error.
    case fail(any Error)
}

/// The adapters and retriers of a session.
struct RetryHandlers: Sendable {
    var adapters: [any RequestAdapter] = []
    var retriers: [any RequestRetrier] = []

    var isEmpty: Bool { adapters.isEmpty && retriers.isEmpty }

    /// Returns the adapters and retriers of a request.
    func changed(by own: OwnRetryHandlers) -> RetryHandlers {
        RetryHandlers(adapters: own.adapters.elements(adapters), retriers: own.retriers.elements(retriers))
    }
}

/// The adapters and retriers set for a request.
struct OwnRetryHandlers: Sendable {
    var adapters = OwnHandlers<any RequestAdapter>.more([])
    var retriers = OwnHandlers<any RequestRetrier>.more([])

    /// Whether the request has any of its own.
    var adds: Bool { !adapters.own.isEmpty || !retriers.own.isEmpty }
}

/// The handlers of a request: those of its session and more, or others instead.
enum OwnHandlers<Handler: Sendable>: Sendable {
    case more([Handler])
    case these([Handler])

    /// The handlers that were set for the request.
    var own: [Handler] {
        switch self {
        case .more(let own), .these(let own): own
        }
    }

    /// Returns the request's handlers; `shared` are the session's, nil if the session is unknown.
    func elements(_ shared: [Handler]?) -> [Handler] {
        switch self {
        case .more(let more): (shared ?? []) + more
        case .these(let handlers): handlers
        }
    }

    /// The handlers while they are edited.
    struct List {
        var elements: [Handler]
        fileprivate let keepsShared: Bool

        // An emptied list replaces the session's handlers by none.
        var handlers: OwnHandlers { keepsShared && !elements.isEmpty ? .more(elements) : .these(elements) }
    }

    /// Returns the request's handlers for editing.
    func list(_ shared: [Handler]?) -> List {
        guard case .more = self, shared == nil else { return List(elements: elements(shared), keepsShared: false) }
        return List(elements: elements(nil), keepsShared: true)
    }
}
