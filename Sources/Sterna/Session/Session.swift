import HTTPTypes
public import SternaCore
import SternaSecurity
import SternaSerialization
import SternaTransport

/// Sends requests that share a base URL, credentials, serializers and policies. A value that is cheap to copy and to derive other
/// sessions from.
///
///     let api = try Session(baseURL: "https://api.example.com/v1") { $0.authorization = .bearer(token) }
///     let user: User = try await api.get("users/1").decode()
///
/// The path of a base URL counts as a folder, with or without a trailing slash: with `/v1` as base, `foo` is `/v1/foo` and `/foo`
/// is `/foo`. All sessions share their connections and need no shutdown.
public struct Session: Sendable {
    /// A session without a base URL, with default settings.
    public static let shared = Session(
        plan: SessionPlan(base: nil, settings: SessionSettings(), scope: SessionScope(isClosable: false)))

    let plan: SessionPlan

    init(plan: SessionPlan) { self.plan = plan }

    /// The clock of the session's engine.
    package var loopClock: LoopClock { plan.settings.engine.loopClock }

    /// What the transfers of the session's engine yield to each other.
    package var traffic: TransferTraffic { plan.settings.engine.traffic }

    /// Creates a session.
    ///
    /// - Parameter baseURL: the URL that relative references are resolved against; nil for none.
    ///
    /// Throws `invalidURL` for an invalid base URL, `invalidHeader` for a header field or credentials with characters that cannot
    /// be sent, and `invalidRequest` for a security policy that could never work.
    public init(
        baseURL: (some URLConvertible)?, _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws(SternaError) {
        var settings = SessionSettings(hasBase: baseURL != nil)
        configure(&settings)
        plan = try SessionPlan.make(base: try baseURL.map(URLResolution.base), settings: settings)
    }

    /// Creates a session without a base URL; throws `invalidHeader` like the other initializer.
    public init(_ configure: (inout SessionSettings) -> Void = { _ in }) throws(SternaError) {
        try self.init(baseURL: String?.none, configure)
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
            plan: SessionPlan(base: plan.base, settings: settings, scope: SessionScope(below: plan.scope)))
    }

    /// Runs work on one of the engine's event loops, where requests are cheapest. The work must not block.
    public func onEventLoop<R: Sendable>(_ work: @Sendable () async throws -> R) async rethrows -> R {
        try await plan.settings.engine.onEventLoop(work)
    }

    // MARK: Sending

    /// Sends a draft's request and collects the response; throws if the response serializer does not accept it.
    @discardableResult
    nonisolated(nonsending) public func send(_ draft: RequestDraft) async throws -> Reply {
        try await send(try plan.request(for: draft), draft, draft.settings.downloadProgress)
    }

    /// Sends a request built from a draft and collects the response.
    @inline(__always)
    nonisolated(nonsending) func send(
        _ request: Request, _ draft: RequestDraft, _ progress: (@Sendable (TransferProgress) -> Void)?
    ) async throws -> Reply {
        var request = request
        if progress != nil { request.delivery = .head }
        // Without progress the chain needs no option: it reads what is delivered whole.
        if progress != nil, plan.readsBodyInChain(of: request) {
            request.state.reading = BodyReading(limit: plan.settings.collectedBytes, progress: progress)
        }
        request.recorder?.requestBegan(request)
        let response: Response
        do {
            response = try await plan.send(request)
        } catch {
            throw plan.describe(error, request)
        }
        // Most responses arrive complete.
        if progress == nil || plan.hasRead(response, to: request), let body = response.body.whole,
            body.count <= plan.settings.collectedBytes,
            !plan.isLargeError(response, body, to: draft)
        {
            request.recorder?.decoded(body.count)
            return try finish(response, body, request, draft)
        }
        return try await collect(response, request, draft, progress)
    }

    /// Sends a task's request and collects the response, as far as the task and its hooks allow.
    func send(_ request: Request, _ draft: RequestDraft, _ reading: TaskReading) async throws -> Reply {
        var request = request
        request.delivery = .head
        let progress: @Sendable (TransferProgress) -> Void = { reading.report($0) }
        if plan.readsBodyInChain(of: request) {
            request.state.reading = BodyReading(
                limit: plan.settings.collectedBytes, progress: progress, admit: { try await reading.admit($0) })
        }
        request.recorder?.requestBegan(request)
        let response: Response
        do {
            let head = try await plan.send(request)
            response = plan.hasRead(head, to: request) ? head : try await reading.admit(head)
        } catch {
            throw plan.describe(error, request)
        }
        do {
            let reply = try await collect(response, request, draft, progress)
            reading.validated(reply.response, nil)
            return reply
        } catch {
            reading.validated(response, error as? SternaError)
            throw error
        }
    }

    // Functions of their own from here on, since their locals would otherwise occupy memory in every waiting request.
    @inline(never)
    nonisolated(nonsending) private func collect(
        _ response: Response, _ request: Request, _ draft: RequestDraft,
        _ progress: (@Sendable (TransferProgress) -> Void)?
    ) async throws -> Reply {
        var response = response
        let body: Bytes
        do {
            let isRead = response.body.whole != nil && plan.hasRead(response, to: request)
            body = try await response.body.collect(
                upTo: plan.settings.collectedBytes, reportingTo: isRead ? nil : progress)
            request.recorder?.decoded(body.count)
            response.body = ResponseBody(body, trailers: response.body.trailers)
            if plan.isLargeError(response, body, to: draft) {
                let plan = plan
                try await Elsewhere.run { [response] () throws(SternaError) in
                    _ = try plan.reply(response, body, to: draft)
                }
            }
        } catch {
            // The error retains the response, so its body is cancelled explicitly.
            response.body.cancel()
            throw plan.describe(error, request, answeredBy: response)
        }
        return try finish(response, body, request, draft)
    }

    @inline(never)
    private func finish(
        _ response: Response, _ body: Bytes, _ request: Request, _ draft: RequestDraft
    ) throws -> Reply {
        do throws(SternaError) {
            let reply = try plan.reply(response, body, to: draft)
            request.recorder?.requestEnded()
            return reply
        } catch {
            throw plan.describe(error, request, answeredBy: response)
        }
    }

    /// Sends a draft's request and passes the response to the closure while its body still arrives; the closure pulls the body.
    ///
    /// The closure receives responses of any status. It can read the body once; a second read throws. The unread part is discarded
    /// when the closure returns.
    public func withResponse<R>(
        to draft: RequestDraft, isolation: isolated (any Actor)? = #isolation, _ read: (Response) async throws -> R
    ) async throws -> R {
        var request = try plan.request(for: draft)
        request.delivery = .head
        request.recorder?.requestBegan(request)
        var response: Response
        do {
            response = try await plan.send(request)
        } catch {
            throw plan.describe(error, request)
        }
        defer { response.body.cancel() }
        response.body = response.body.readableOnce
        guard let recorder = request.recorder else { return try await read(response) }
        if let whole = response.body.whole {
            recorder.decoded(whole.count)
        } else {
            response.body = ResponseBody(WatchedBody(ClaimedBody(response.body)) { recorder.decoded($0.count) })
        }
        do {
            let value = try await read(response)
            await end(response, recorder)
            return value
        } catch {
            await end(response, recorder)
            // Errors of the closure's own pass unchanged.
            guard var known = error as? SternaError else { throw error }
            known.metrics = known.metrics ?? recorder.snapshot
            throw known
        }
    }

    // The unread body is discarded before the observer receives the end of the request.
    private func end(_ response: Response, _ recorder: MetricsRecorder) async {
        response.body.cancel()
        await plan.settings.engine.settle()
        recorder.requestEnded()
    }
}

/// A weak reference to a session.
package struct WeakSession: Sendable {
    private weak let plan: SessionPlan?

    package init(_ session: Session) { plan = session.plan }

    package var session: Session? { plan.map { Session(plan: $0) } }

    /// Whether it is a certain session, and still kept.
    package func isSame(as other: Session) -> Bool { plan === other.plan }
}
