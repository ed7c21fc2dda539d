import HTTPTypes
public import SternaCore
import SternaSecurity
import SternaSerialization
import SternaTransport

/// Sends requests that share a base URL, credentials, serializers and policies: a value that is cheap to copy and to derive
/// others from.
///
///     let api = try Session(baseURL: "https://api.example.com/v1") { $0.authorization = .bearer(token) }
///     let user: User = try await api.get("users/1").decode()
///
/// The path of a base URL counts as a folder, whether it ends in a slash or not: with `/v1` as base, `foo` is `/v1/foo` and
/// `/foo` is `/foo`. Connections are shared by all sessions; there is nothing to shut down.
public struct Session: Sendable {
    /// A session without a base URL, with every default.
    public static let shared = Session(
        plan: SessionPlan(base: nil, settings: SessionSettings()))

    let plan: SessionPlan

    init(plan: SessionPlan) { self.plan = plan }

    /// Makes a session.
    ///
    /// - Parameter baseURL: what relative references are resolved against; nil for none.
    ///
    /// Throws `invalidURL` for a base URL that is none, and `invalidHeader` for a header field or credentials with
    /// characters that cannot be sent, and `invalidRequest` for a policy of trust that could never work.
    public init(
        baseURL: (some URLConvertible)?, _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws(SternaError) {
        var settings = SessionSettings()
        configure(&settings)
        plan = try SessionPlan.make(base: try baseURL.map(URLResolution.base), settings: settings)
    }

    /// Makes a session without a base URL; throws `invalidHeader` as the other initializer does.
    public init(_ configure: (inout SessionSettings) -> Void = { _ in }) throws(SternaError) {
        try self.init(baseURL: String?.none, configure)
    }

    /// The base URL, its path ending in a slash.
    public var baseURL: HTTPURL? { plan.base }

    /// A session that differs in what the closure changes, with the same base URL.
    ///
    /// It cannot throw: what cannot work (header fields, credentials, policies) fails each request instead.
    public func with(_ change: (inout SessionSettings) -> Void) -> Session {
        var settings = plan.settings
        change(&settings)
        return Session(plan: SessionPlan(base: plan.base, settings: settings))
    }

    /// Runs work on one of the engine's event loops, where requests cost the least. The work must not block.
    public func onEventLoop<R: Sendable>(_ work: @Sendable () async throws -> R) async rethrows -> R {
        try await plan.settings.engine.onEventLoop(work)
    }

    // MARK: Sending

    /// Sends what a draft describes and collects the answer; throws for an answer that the response serializer does not
    /// accept.
    @discardableResult
    nonisolated(nonsending) public func send(_ draft: RequestDraft) async throws -> Reply {
        try await send(try plan.request(for: draft), draft, draft.settings.downloadProgress)
    }

    /// Sends a request that was made of a draft and collects the answer.
    @inline(__always)
    nonisolated(nonsending) func send(
        _ request: Request, _ draft: RequestDraft, _ progress: (@Sendable (TransferProgress) -> Void)?
    ) async throws -> Reply {
        var request = request
        if progress != nil { request.delivery = .head }
        if plan.readsBodiesInChain {
            request.options[BodyReadingKey.self] = BodyReading(limit: plan.settings.collectedBytes, progress: progress)
        }
        request.recorder?.requestBegan(request)
        let response: Response
        do {
            response = try await plan.send(request)
        } catch {
            throw plan.describe(error, request)
        }
        // Most answers are there as a whole.
        if progress == nil || plan.readsBodiesInChain, let body = response.body.whole,
            body.count <= plan.settings.collectedBytes,
            !plan.isLargeError(response, body, to: draft)
        {
            request.recorder?.decoded(body.count)
            return try finish(response, body, request, draft)
        }
        return try await collect(response, request, draft, progress)
    }

    // By itself, as what follows, since what it needs would stand in the memory of every request that waits.
    @inline(never)
    nonisolated(nonsending) private func collect(
        _ response: Response, _ request: Request, _ draft: RequestDraft,
        _ progress: (@Sendable (TransferProgress) -> Void)?
    ) async throws -> Reply {
        var response = response
        let body: Bytes
        do {
            let isRead = plan.readsBodiesInChain && response.body.whole != nil
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
            // The error keeps the response.
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

    /// Sends what a draft describes and gives the response while its body still arrives, pulled by the closure.
    ///
    /// Any status is given to the closure. It can read the body once; a second read throws. What it leaves unread is given up when
    /// it returns.
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
        response.body = CountedBody.wrap(response.body, recorder)
        do {
            let value = try await read(response)
            await end(response, recorder)
            return value
        } catch {
            await end(response, recorder)
            // What the closure throws of its own stays as it is.
            guard var known = error as? SternaError else { throw error }
            known.metrics = known.metrics ?? recorder.soFar
            throw known
        }
    }

    // What the reader left is given up before the observer hears of the end.
    private func end(_ response: Response, _ recorder: MetricsRecorder) async {
        response.body.cancel()
        await plan.settings.engine.settle()
        recorder.requestEnded()
    }
}
