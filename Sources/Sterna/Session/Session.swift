import HTTPTypes
public import SternaCore
import SternaSecurity
import SternaSerialization
import SternaTransport

/// Sends requests that share a base URL, credentials, serializers and policies. A value that is cheap to copy and to derive other
/// sessions from.
///
///     let api = try Session(baseURL: "https://api.example.com/v1") { $0.auth.header = .bearer(token) }
///     let user: User = try await api.get("users/1").decode()
///
/// The path of a base URL counts as a folder, with or without a trailing slash: with `/v1` as base, `foo` is `/v1/foo` and `/foo`
/// is `/foo`. Sessions of one engine with the same trust, proxies and other routing share their connections. A session needs no
/// shutdown.
public struct Session: Sendable {
    /// A session without a base URL, with default settings.
    public static let shared = {
        let settings = SessionSettings()
        return Session(
            plan: SessionPlan(base: nil, settings: settings, scope: SessionScope(settings, isClosable: false)))
    }()

    let plan: SessionPlan

    init(plan: SessionPlan) { self.plan = plan }

    /// The clock of the session's engine.
    package var loopClock: LoopClock { plan.settings.network.engine.loopClock }

    /// The transfers of the session's engine, of which those in the background yield to the others.
    package var traffic: TransferTraffic { plan.settings.network.engine.traffic }

    /// Creates a session.
    ///
    /// - Parameter baseURL: the URL that relative references are resolved against; nil, the default, for none. `users` is below its
    ///   path, `/users` drops that path, as in RFC 3986, 5.2.
    ///
    /// Throws `invalidURL` for an invalid base URL, `invalidHeader` for a header field or credentials with characters that cannot
    /// be sent, and `invalidRequest` for an invalid security policy or host policy, such as one with an unreadable pin.
    public init(
        baseURL: (any URLConvertible)? = nil, _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws(SternaError) {
        var settings = SessionSettings(hasBase: baseURL != nil)
        configure(&settings)
        let base = try baseURL.map { url throws(SternaError) in try URLResolution.base(of: url) }
        plan = try SessionPlan.make(base: base, settings: settings)
    }

    /// The base URL, whose path ends in a slash.
    public var baseURL: HTTPURL? { plan.base }

    /// Returns a session with changed settings and the same base URL.
    ///
    /// This method does not throw: invalid settings (header fields, credentials, policies) make each request fail instead.
    public func with(_ change: (inout SessionSettings) -> Void) -> Session {
        var settings = plan.settings
        change(&settings)
        return Session(
            plan: SessionPlan(base: plan.base, settings: settings, scope: SessionScope(settings, below: plan.scope)))
    }

    /// Runs work on one of the engine's event loops, where requests are cheapest. The work must not block.
    public func onEventLoop<R: Sendable>(_ work: @Sendable () async throws -> R) async rethrows -> R {
        try await plan.settings.network.engine.onEventLoop(work)
    }

    // MARK: Sending

    /// Sends a draft's request and collects the response; throws if the response serializer does not accept it.
    @discardableResult
    nonisolated(nonsending) public func send(_ draft: RequestDraft) async throws -> Reply {
        try await plan.send(draft)
    }

    /// Sends a draft's request and passes the response to the closure while its body still arrives; the closure pulls the body.
    ///
    /// The closure receives responses of any status. It can read the body once; a second read throws. The unread part is discarded
    /// when the closure returns.
    public func withResponse<R>(
        to draft: RequestDraft, isolation: isolated (any Actor)? = #isolation, _ read: (Response) async throws -> R
    ) async throws -> R {
        try await plan.stream(draft, isolation: isolation, read)
    }
}

/// A weak reference to a session.
package struct WeakSession: Sendable {
    private weak let plan: SessionPlan?

    package init(_ session: Session) { plan = session.plan }

    package var session: Session? { plan.map { Session(plan: $0) } }

    /// Whether the session still exists and is the given one.
    package func isSame(as other: Session) -> Bool { plan === other.plan }
}
