public import SternaCore

/// Closures that decide what the tasks of a session do; they correspond to AFURLSessionManager's blocks with a return value. All
/// are nil by default.
///
///     let api = try Session(baseURL: "https://api.example.com") { settings in
///         settings.tasks.decisions = TaskDecisions()
///         settings.tasks.decisions?.responseReceived = { task, response in response.status == .ok ? .allow : .cancel }
///     }
///
/// They run on ``SessionSettings/callbacks``, like the callbacks of the same task: in order, one at a time, in a Swift task with
/// the task-local values of the code that created the task. The task waits until they return. They are called for tasks, not for
/// `async` verbs. ``SessionSettings/Events/observers`` receive what tasks do without deciding it.
public struct TaskDecisions: Sendable {
    public init() {}

    /// Decides on a redirect that the policy and ``SessionSettings/redirectHandler`` would follow, or that the policy follows
    /// only with consent (``RedirectMethods/rfc2616``); AFNetworking's `setTaskWillPerformHTTPRedirectionBlock`. Without it the
    /// policy decides.
    public var redirect: (@Sendable (SessionTask, Response, Request) async -> RedirectDecision)?

    /// Returns the content of a request that a redirect, a challenge or a retry sends again, although its body can be read only
    /// once; AFNetworking's `setTaskNeedNewBodyStreamBlock`. If it returns nil, or is not set, a redirect fails with
    /// `bodyNotReplayable`; after a challenge or before a retry, the caller receives the response or the error that led to it.
    public var needNewBody: (@Sendable (SessionTask, Request) async -> Body?)?

    /// Answers a server's challenge (401) that no setting has a credential for; AFNetworking's
    /// `setTaskDidReceiveAuthenticationChallengeBlock` and `setAuthenticationChallengeHandler`.
    ///
    /// ``ChallengeDisposition/useDefault`` asks the handlers of the request and of the session, as without it. It is called again
    /// when the server refuses its credential.
    public var challengeReceived: (@Sendable (SessionTask, CredentialChallenge) async -> ChallengeDisposition)?

    /// Decides what happens after a response's head; AFNetworking's `setDataTaskDidReceiveResponseBlock`.
    public var responseReceived: (@Sendable (SessionTask, Response) async -> ResponseDisposition)?

    /// Takes each piece of a response's body, and holds back the next until it returns; AFNetworking's
    /// `setDataTaskDidReceiveDataBlock`.
    public var dataReceived: (@Sendable (SessionTask, Bytes) async -> Void)?
}
