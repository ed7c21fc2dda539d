import HTTPTypes

/// One thing that happened: what, in which call and attempt, and when.
///
///     let api = try Session { settings in
///         settings.events.observe(.network) { event in print(event) }
///     }
///
/// The events of a call arrive in the order in which they happened. `docs/Events.md` has the table of all cases.
public struct SternaEvent: Sendable {
    /// What happened.
    public let kind: Kind

    /// The call it happened in; nil for events of a session, of a queue, and for ``Kind/dropped(_:)``.
    public let call: ObservedCall?

    /// The number of the attempt, counted from 1; 0 before the first, and for events that belong to no attempt.
    public let attempt: Int

    /// The time of the event, counted from the call's begin.
    public let time: Duration

    /// The task, transfer or session that the event is about; other modules show it with its type.
    package let owner: (any AnyObject & Sendable)?

    package init(
        _ kind: consuming Kind, call: ObservedCall? = nil, attempt: Int = 0, time: Duration = .zero,
        owner: (any AnyObject & Sendable)? = nil
    ) {
        self.kind = kind
        self.call = call
        self.attempt = attempt
        self.time = time
        self.owner = owner
    }

    /// Groups of events. A session records only families that an observer or a reader receives.
    public struct Families: OptionSet, Sendable, Hashable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Calls by verbs, callbacks and tasks, with their attempts and connections.
        public static let network = Families(rawValue: 1 << 0)

        /// Tasks, including requests with callbacks, and the end of sessions.
        public static let tasks = Families(rawValue: 1 << 1)

        /// Transfers of queues.
        public static let transfers = Families(rawValue: 1 << 2)

        public static let all: Families = [.network, .tasks, .transfers]
    }

    /// What happened.
    ///
    /// Responses are heads, without their bodies. Requests and responses have all their fields, secrets too; the description of an event has
    /// none.
    // Large values are indirect, so that an event is small: it moves through the buffer, and observers may copy it. Requests,
    // responses and errors take one word themselves.
    public enum Kind: Sendable {
        // MARK: Network

        /// A call begins; once per call, for any number of attempts.
        case requestBegan

        /// An attempt begins, with the request as the interceptors passed it on.
        case attemptBegan(AttemptMetrics.Reason, Request)

        /// The host's addresses were found for a new connection.
        case hostResolved(host: String, addresses: [IPAddress])

        /// A new connection is open, to an address and port or a path.
        case connected(to: String)

        /// A proxy has reached the server.
        ///
        /// The response is the head of the proxy's 2xx response to CONNECT (RFC 9110, 9.3.6), over HTTP/1.1 or HTTP/2. It is nil for a
        /// proxy that forwards requests, and for SOCKS. Any other response becomes ``SternaError/proxyResponse`` of the error.
        case proxyConnected(proxy: String, response: Response?)

        /// The TLS handshake with the server is complete.
        case tlsEstablished(version: String?)

        /// The attempt has its connection.
        case connectionAcquired(isReused: Bool)

        /// The last byte of the request was written; with the number of bytes.
        case requestSent(bytes: Int64)

        /// An interim response arrived (RFC 9110, 15.2).
        indirect case informationalReceived(InformationalResponse)

        /// The response's head arrived.
        case responseBegan(Response)

        /// The last byte of the response arrived; with the number of bytes.
        case responseEnded(bytes: Int64)

        /// The attempt has failed.
        case attemptFailed(SternaError)

        /// The retry policy, or a retrier, has decided on a retry; its attempt begins after a wait.
        indirect case retryScheduled(ScheduledRetry)

        /// The call has ended, successfully or not.
        case requestEnded(RequestMetrics)

        // MARK: Tasks

        /// A session has made a task; with its request, or nil if that could not be built.
        case taskCreated(Request?)

        /// A task starts or continues.
        case taskResumed

        /// A task was suspended.
        case taskSuspended

        /// A task was cancelled.
        case taskCancelled

        /// An application interceptor has passed on another request than it received.
        case requestAdapted(from: Request, to: Request)

        /// An application interceptor has failed before it passed the request on.
        case adaptationFailed(Request, SternaError)

        /// What happens to a redirect that the session's policy follows or refuses.
        case redirectDecided(Response, RedirectDecision)

        /// A request is to be sent again, although its body can be read only once; whether the program gave a new one.
        case newBodyNeeded(Request, isProvided: Bool)

        /// A server's challenge (401) that no setting had a credential for, and its disposition.
        indirect case challengeReceived(ObservedChallenge)

        /// The progress of a request's body; replaced by a later one until it is delivered.
        case bodyDataSent(TransferProgress)

        /// A response has passed the interceptors.
        case responseReceived(Response)

        /// A piece of a response's body, with its number of bytes.
        case dataReceived(bytes: Int)

        /// The response serializer has accepted a response, or rejected it with an error. The media type is checked later, with the value.
        case responseValidated(Response, SternaError?)

        /// A task with callbacks has decoded its value, or could not.
        indirect case valueParsed(Result<any Sendable, SternaError>)

        /// A task's response becomes a download; with the number of that task.
        case becameDownload(UInt64)

        /// The progress of a download's file; replaced by a later one until it is delivered.
        case bytesWritten(TransferProgress)

        /// A download continues after bytes that it already has; with the length of the file if it is known.
        case downloadResumed(offset: Int64, length: Int64?)

        /// The path at which a complete file is to be placed; a taken name may still get a number.
        case destinationChosen(String)

        /// The complete file is at its path.
        case downloadFinished(String)

        /// A complete file could not be moved to its path.
        case downloadNotMoved(String, SternaError)

        /// The last event of a task, with the error if it failed.
        case taskCompleted(SternaError?)

        /// A session was invalidated, and none of its tasks runs.
        case sessionInvalidated

        // MARK: Transfers

        /// A transfer has its first turn.
        case transferStarted

        /// The head of a response has arrived; that of a followed redirect excepted. Each attempt has one.
        case transferHeadersReceived(Response)

        /// A redirect is followed: the response, and the request that is sent next.
        case transferRedirected(Response, Request)

        /// A task has failed, and is tried again after a pause.
        case transferRetryScheduled(SternaError, pause: Duration)

        /// A transfer has succeeded.
        case transferFinished

        /// A transfer has failed or was cancelled; then the error's kind is `cancelled`.
        case transferFailed(SternaError)

        /// No transfer is left in a queue; with the numbers of those that have succeeded and failed since it was last empty.
        case queueFinished(finished: Int, failed: Int)

        // MARK: The stream itself

        /// So many events were lost here, because the observers or the reader did not keep up. Every observer and reader receives it.
        case dropped(Int)
    }
}

/// A call as its events show it: without secrets.
public final class ObservedCall: Sendable, Identifiable {
    /// A number that is unique within this process; the same as ``Call/id``.
    public let id: UInt64

    /// The method of the call's first request.
    public let method: String

    private let target: ShownURL

    /// What an observer captured where the call was made.
    package let context: (any EventContext)?

    package init(id: UInt64, _ request: Request, context: (any EventContext)? = nil) {
        (self.id, method, target) = (id, request.method.rawValue, ShownURL(request.url))
        self.context = context
    }

    /// The URL of the call's first request without user information, its secret-looking query values replaced.
    public var url: String { target.description }
}

extension ObservedCall: CustomStringConvertible, CustomReflectable {
    /// For instance `42 GET https://example.com/users`.
    public var description: String { "\(id) \(method) \(url)" }

    public var customMirror: Mirror { Mirror(self, children: ["id": id, "method": method, "url": url]) }
}

/// A server's challenge, and its disposition.
public struct ObservedChallenge: Sendable, Hashable {
    /// The result of the session's settings and handlers for the challenge.
    public enum Disposition: String, Sendable, Hashable {
        /// The request is sent again with a credential.
        case credential
        /// There is no credential: the caller receives the 401.
        case none
        /// The call is cancelled.
        case cancel
        /// The call fails.
        case fail
    }

    /// The strongest scheme that the server offers and the session allows.
    public let scheme: String

    /// The realm that the server names.
    public let realm: String?

    /// The number of credentials that the server has refused so far for this request.
    public let previousFailures: Int

    /// The disposition of the challenge.
    public let disposition: Disposition

    package init(scheme: String, realm: String?, previousFailures: Int, disposition: Disposition) {
        (self.scheme, self.realm) = (scheme, realm)
        (self.previousFailures, self.disposition) = (previousFailures, disposition)
    }
}
