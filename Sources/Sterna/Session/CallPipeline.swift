import HTTPTypes
import NIOCore
import SternaCore
import SternaPlatform
import SternaSerialization
import SternaTransport

/// The steps of one call, in order: builds a request from a draft, sends it through the chain, reads the response's body, judges
/// the response, and makes the reply.
///
/// Verbs, callbacks, tasks and uploads of a session all use these steps. A body that the call collects is read in the chain
/// (``BodyReading``), below the interceptors that may inspect it or send the request again; it is usually complete when the chain
/// returns.
extension SessionPlan {
    // MARK: Whole calls

    /// Sends a draft's request and collects the response.
    @inline(__always)
    nonisolated(nonsending) func send(_ draft: RequestDraft) async throws -> Reply {
        if draft.settings.carried != nil { try refuseCompletionGroup(draft) }
        return try await send(try request(for: draft), draft, draft.settings.downloadProgress)
    }

    /// Sends a request built from a draft and collects the response.
    @inline(__always)
    nonisolated(nonsending) func send(
        _ request: Request, _ draft: RequestDraft, _ progress: (@Sendable (TransferProgress) -> Void)?
    ) async throws -> Reply {
        guard let progress else { return try await finish(try await answer(request), request, draft) }
        let reading = BodyReading(limit: settings.limits.collectedBytes, progress: progress)
        return try await send(request, draft, reading).get()
    }

    /// Sends a task's request and collects the response, unless the task is cancelled or one of its closures rejects the response.
    func send(_ request: Request, _ draft: RequestDraft, _ task: TaskReading) async throws -> Reply {
        let reading = BodyReading(
            limit: settings.limits.collectedBytes, progress: { task.report($0) }, admit: { try await task.admit($0) })
        let outcome = try await send(request, draft, reading)
        task.validated(outcome)
        return try outcome.get()
    }

    // A function of its own, since its locals would otherwise occupy memory in every waiting request.
    @inline(never)
    nonisolated(nonsending) private func send(
        _ request: Request, _ draft: RequestDraft, _ reading: BodyReading
    ) async throws -> Result<Reply, any Error> {
        var request = request
        request.delivery = .head
        request.state.course.reading = reading
        let response = try await answer(request)
        do {
            return .success(try await finish(response, request, draft))
        } catch {
            return .failure(error)
        }
    }

    /// Sends a draft's request and passes the response to the closure while its body still arrives.
    func stream<R>(
        _ draft: RequestDraft, isolation: isolated (any Actor)?, _ read: (Response) async throws -> R
    ) async throws -> R {
        let streamed = try await open(draft)
        defer { streamed.response.body.cancel() }
        guard let recorder = streamed.recorder else { return try await read(streamed.response) }
        do {
            let value = try await read(streamed.response)
            await end(streamed.watched, recorder)
            return value
        } catch {
            await end(streamed.watched, recorder, error as? SternaError)
            // Errors that the closure itself throws pass unchanged.
            guard var known = error as? SternaError else { throw error }
            known.metrics = known.metrics ?? recorder.snapshot
            throw known
        }
    }

    /// Sends a draft's request and returns the response while its body still arrives.
    ///
    /// - Parameter delivery: `duplex` for a request that asks for another protocol.
    nonisolated(nonsending) func open(
        _ draft: RequestDraft, as delivery: Request.Delivery = .head
    ) async throws -> StreamedResponse {
        try refuseProgress(draft)
        if draft.settings.carried != nil { try refuseCompletionGroup(draft) }
        var request = try request(for: draft)
        request.delivery = delivery
        // The bytes of another protocol have no content coding.
        if delivery == .duplex { request.headers[.acceptEncoding] = nil }
        var response = try await answer(request)
        response.body = response.body.readableOnce
        response.sessionDecoding = decoding
        guard let recorder = request.recorder else { return StreamedResponse(request: request, response: response) }
        recorder.context?.received(response, body: nil)
        if let whole = response.body.whole {
            recorder.decoded(whole.count)
            return StreamedResponse(request: request, response: response)
        }
        let body = WatchedBody(ClaimedBody(response.body)) { recorder.decoded($0.count) }
        response.body = ResponseBody(body)
        return StreamedResponse(request: request, response: response, watched: body)
    }

    // Cancels an unread body and waits for the engine, so that its events precede the end of the request. A body that was read to
    // its end has posted its events already.
    nonisolated(nonsending) private func end(
        _ body: WatchedBody?, _ recorder: MetricsRecorder, _ error: SternaError? = nil
    ) async {
        if let body, !body.hasEnded {
            body.cancel()
            await settings.network.engine.settle()
        }
        recorder.requestEnded(error)
    }

    // MARK: From a draft to a request

    /// Returns the request that a draft describes.
    func request(for draft: RequestDraft) throws -> Request {
        do {
            return try makeRequest(for: draft)
        } catch var error as SternaError {
            if error.method == nil { error.method = draft.method }
            throw error
        }
    }

    private func makeRequest(for draft: RequestDraft) throws -> Request {
        if let failure { throw failure }
        if scope.isInvalidated { throw Self.invalidated }
        let url = try urls.url(of: draft.reference)
        let isOwnOrigin = urls.isOwnOrigin(url)
        let isPlain = leavesPlainGet && draft.isPlainGet
        var hasOwnSerializer = false
        if !isPlain, case .some = draft.settings.ownRequestSerializer { hasOwnSerializer = true }
        let fields = headers.fields(isOwnOrigin: isOwnOrigin, isComplete: !hasOwnSerializer)
        var request = Request(draft.method, url, headers: fields, body: draft.body)
        request.timeouts = settings.timeouts
        if let progress = draft.settings.uploadProgress { request.uploadProgress = progress }
        if draft.settings.optionsOrigin == ObjectIdentifier(self) {
            request.options = draft.settings.ownOptions
        } else {
            if !requestOptions.isEmpty { request.options = requestOptions }
            if !draft.settings.ownOptions.isEmpty { request.options.merge(draft.settings.ownOptions) }
        }
        if let state = draft.settings.carried { request.carried = state }
        if !draft.settings.ownOptions.isEmpty || draft.settings.carried != nil { try refuseIneffective(draft.settings) }
        if let link = settings.transferLink { request.state.course.link = link }
        if !isPlain {
            try serialize(
                draft, by: draft.settings.ownRequestSerializer ?? settings.requestSerializer,
                isPrepared: isPrepared && !hasOwnSerializer, into: &request)
        }
        if !isOwnOrigin { request.headers = SecretHeaders.removed(from: request.headers, settings.auth.secretHeaders) }
        var namesCoding = headers.nameCoding || draft.headers["Accept-Encoding"] != nil
        if hasOwnSerializer {
            namesCoding = namesCoding || request.headers.contains(.acceptEncoding)
            SessionHeaders.addDefaults(to: &request.headers)
        }
        if let own = draft.settings.ownTimeouts {
            if own.missesThroughput(of: request.timeouts) { throw Self.unknownValue("timeouts.minimumThroughput") }
            request.timeouts = own.over(request.timeouts)
        }
        request.join(
            try call(for: request, ownDeadline: draft.settings.deadline?.instant, keepsRequests: draft.isOfTask))
        authentication.addCredentials(draft.settings.state.choices.credential, isOwnOrigin: isOwnOrigin, to: &request)
        try addHeaders(draft, to: &request)
        // A range of encoded bytes cannot be decoded.
        if !namesCoding, request.headers.contains(.range) { request.headers[.acceptEncoding] = nil }
        request.priority = draft.settings.priority
        if !settings.auth.secretHeaders.isEmpty || !draft.settings.ownSecretHeaders.isEmpty {
            request.options[SecretHeadersKey.self] = settings.auth.secretHeaders.union(draft.settings.ownSecretHeaders)
        }
        return request
    }

    /// Returns a ready request with a call of its own. Adds only the fields that describe its body, and the session's options that
    /// the request does not set.
    func request(ready: Request, isOfTask: Bool) throws(SternaError) -> Request {
        if let failure { throw failure }
        if scope.isInvalidated { throw Self.invalidated.at(ready) }
        var request = ready
        if !requestOptions.isEmpty {
            request.options = requestOptions
            request.options.merge(ready.options)
        }
        if request.carried != nil { request.state.beginAnew() }
        if let link = settings.transferLink { request.state.course.link = link }
        if !settings.auth.secretHeaders.isEmpty {
            request.options[SecretHeadersKey.self] = settings.auth.secretHeaders.union(
                ready.options[SecretHeadersKey.self])
        }
        authentication.addCredentials(
            request.state.choices.credential, isOwnOrigin: urls.isOwnOrigin(request.url), to: &request)
        request.join(try call(for: request, ownDeadline: ready.ownDeadline?.instant, keepsRequests: isOfTask))
        try RequestHeaders.merge([:], authorization: nil, continueThreshold: nil, into: &request)
        return request
    }

    /// Creates the call of a request. Its deadline is the earlier of the caller's own and the end of the total limit; throws
    /// `timedOut` if it has passed.
    private func call(
        for request: Request, ownDeadline: NIODeadline?, keepsRequests: Bool
    ) throws(SternaError) -> Call {
        let now = clock.now
        var deadline = now + request.timeouts.amounts.total
        var hasOwnDeadline = false
        if let own = ownDeadline, own < deadline {
            deadline = own
            hasOwnDeadline = true
        }
        guard deadline > now else {
            let reason =
                hasOwnDeadline
                ? "The request's deadline has passed" : "The total time-out is not above zero"
            throw SternaError(.timedOut, phase: .prepare, "\(reason); nothing was sent.")
                .advised(hasOwnDeadline ? .laterDeadline : .raiseTotal).at(request)
        }
        let context = scope.events.context(for: .network)
        let events = context != nil || scope.events.wants(.network) ? scope.events : nil
        let isObserved = settings.events.collectsMetrics || events != nil || settings.events.spans?.isActive() == true
        return Call(
            deadline: deadline, hasOwnDeadline: hasOwnDeadline,
            isTraced: hasInterceptors,
            observed: isObserved ? (request, events) : nil, context: context,
            clock: clock,
            keepsRequests: keepsRequests, scope: scope.calls)
    }

    private static var invalidated: SternaError {
        SternaError(
            .shutDown, phase: .prepare,
            "The session was invalidated, so it sends no more requests. Make another one, or reset this one by resetSession()."
        )
    }

    private func serialize(
        _ draft: RequestDraft, by serializer: any RequestSerializer, isPrepared: Bool, into request: inout Request
    ) throws {
        do {
            if !isPrepared { try serializer.prepare(&request) }
            if let query = draft.query { try serializer.appendQuery(query, to: &request) }
            switch draft.content {
            case .bySerializer:
                if draft.body == nil { return try serializer.serialize(draft.parameters, into: &request) }
            case .given(let content): request.body = try content.body(by: serializer, for: request)
            case .multipart(let form): request.body = try form.body(by: serializer)
            // A form without parts has no body at all, not an empty one from the serializer.
            case .own: break
            }
            if let parameters = draft.parameters {
                if request.body == nil {
                    try serializer.serialize(parameters, into: &request)
                } else {
                    try serializer.appendQuery(parameters, to: &request)
                }
            }
        } catch {
            throw SternaError.wrap(
                error, as: .encodingFailed, phase: .prepare,
                "The parameters cannot be encoded: \(CodingReason.text(error))"
            ).at(request)
        }
    }

    /// Returns a form without parts that encodes parameters as the serializer of a request does.
    func emptyForm(_ settings: RequestSettings) -> MultipartForm {
        MultipartForm(
            encoder: SessionHeaders.settings(of: settings.ownRequestSerializer ?? self.settings.requestSerializer)?
                .encoder
        )
    }

    private func addHeaders(_ draft: RequestDraft, to request: inout Request) throws(SternaError) {
        let allowsBasic = authentication.allowsBasic(request.url, draft.settings)
        let authorization = try Credentials.fieldValue(
            for: request.url, own: draft.settings.ownAuthorization, shared: settings.auth.header, urls,
            allowsBasic: allowsBasic)
        try RequestHeaders.merge(
            draft.headers, authorization: authorization,
            continueThreshold: draft.settings.ownContinueThreshold ?? settings.limits.continueThreshold, into: &request)
        guard request.url.userinfo != nil else { return }
        request.url = request.url.removingUserinfo()
        if allowsBasic, draft.settings.ownAuthorization.flattened() == nil {
            request.state.access.userinfoField = authorization
        }
    }

    // MARK: Through the chain

    /// Sends a request down the chain, and describes its error.
    @inline(__always)
    nonisolated(nonsending) private func answer(_ request: Request) async throws -> Response {
        request.recorder?.requestBegan(request)
        do {
            return try await send(request)
        } catch {
            throw describe(error, request)
        }
    }

    /// Sends a request down the chain. The call makes no more attempts afterwards, so an engine that is shutting down need not wait
    /// for it.
    @inline(__always)
    nonisolated(nonsending) func send(_ request: Request) async throws -> Response {
        defer { request.call?.releaseLease() }
        // A request with only the session's options needs only the slots of the session's own chain.
        if !request.isBare, request.carried != nil || !request.options.isCopy(of: requestOptions) {
            if builder.cache == nil { try refuseCachePolicy(of: request) }
            let own = ChainSlots(of: request)
            if !slots.isSuperset(of: own) { return try await send(request, over: slots.union(own)) }
        }
        return try await chain(request)
    }

    // The session's own chain lacks the interceptors of policies that only this request sets.
    @inline(never)
    nonisolated(nonsending) private func send(_ request: Request, over slots: ChainSlots) async throws -> Response {
        try await builder.chain(slots)(request)
    }

    // MARK: Settings that would do nothing

    /// Throws `invalidRequest` if a draft sets an option that has no effect without a setting of the session.
    @inline(never)
    private func refuseIneffective(_ own: RequestSettings) throws(SternaError) {
        if settings.cookies.jar == nil, let setting = cookieSetting(of: own) {
            throw Self.ineffective(setting, "the session has no cookies.jar", "Give it one, or leave the setting out.")
        }
        if own.ownOptions[WaitsForConnectivityKey.self], !settings.network.waitsForConnectivity {
            throw Self.ineffective(
                "network.waitsForConnectivity", "the session's requests do not wait for the network",
                "Set it in the session, and set it to false in requests that are not to wait.")
        }
        if let retry = own.ownOptions[recorded: RetryPolicyKey.self],
            retry.missesTotalTime(of: requestOptions[RetryPolicyKey.self])
        {
            throw Self.unknownValue("retry.totalTime")
        }
        if let type = own.ownOptions[SigningKey.self].all.first(where: \.changesNone)?.type {
            let isOfSession = settings.auth.signing[type.stage]?.signer != nil
            throw Self.unknownSigning(type.setting, isOfSession: isOfSession)
        }
    }

    /// Returns the error of a request that changes a property of a signing which it does not have.
    private static func unknownSigning(_ setting: String, isOfSession: Bool) -> SternaError {
        guard isOfSession else {
            return ineffective(setting, "a property of it was changed, and there is none", "Assign a whole value.")
        }
        return unknownValue(setting)
    }

    /// Returns the error of a draft that changes a value of its session in place, as in `$0.retry.totalTime? += .seconds(1)`.
    private static func unknownValue(_ setting: String) -> SternaError {
        ineffective(
            setting, "it was changed in a draft, which does not know the session's",
            "Assign a whole value, or change it in the closure of a session's method.")
    }

    /// Returns the name of a setting by which a request asks for something of the cookie jar; nil if there is none.
    private func cookieSetting(of own: RequestSettings) -> String? {
        if own.state.choices.handlesCookies == true { return "cookies.isOn" }
        // The options of a closure of the session's begin with the session's own.
        if let site = own.ownOptions[CookieSiteKey.self], site != requestOptions[CookieSiteKey.self] {
            return "cookies.site"
        }
        if let field = own.ownOptions[ifSet: CallerCookieFieldKey.self],
            field != requestOptions[ifSet: CallerCookieFieldKey.self]
        {
            return "cookies.callerField"
        }
        return nil
    }

    /// Throws `invalidRequest` if the request's own cache policy asks for stored responses, and the session has no cache.
    @inline(never)
    private func refuseCachePolicy(of request: Request) throws(SternaError) {
        guard let policy = request.options[ifSet: CachePolicyKey.self],
            policy.reading == .cachedOnly || policy.fallsBackToStored, policy != settings.cache.policy
        else { return }
        throw Self.ineffective(
            "cache.policy", "it asks for stored responses, and the session has no cache",
            "Give the session a cache: `$0.cache.store = .folder(…)`."
        ).at(request)
    }

    /// Throws `invalidRequest` if a draft that is awaited has a completion group, which tasks enter.
    @inline(never)
    private func refuseCompletionGroup(_ draft: RequestDraft) throws(SternaError) {
        guard !draft.isOfTask, draft.settings.state.choices.completionGroup.flattened() != nil else { return }
        throw Self.groupWithoutTask
    }

    /// Throws `invalidRequest` if a ready request that is awaited has a completion group, which tasks enter.
    @inline(never)
    func refuseCompletionGroup(ready request: Request) throws(SternaError) {
        guard request.state.choices.completionGroup.flattened() != nil else { return }
        throw Self.groupWithoutTask.at(request)
    }

    private static var groupWithoutTask: SternaError {
        ineffective(
            "tasks.completionGroup", "tasks enter it, and a request that is awaited has no task",
            "Send the request with callbacks, or as a task: `session.dataTask(…)`.")
    }

    private func refuseProgress(_ draft: RequestDraft) throws(SternaError) {
        guard draft.settings.downloadProgress != nil else { return }
        throw Self.ineffective(
            "downloadProgress", "the closure that receives the response reads its body itself",
            "Count the bytes in the closure.")
    }

    private static func ineffective(_ setting: String, _ reason: String, _ advice: String) -> SternaError {
        SternaError(
            .invalidRequest, phase: .prepare,
            "The request's setting `\(setting)` would do nothing: \(reason). Nothing was sent. \(advice)")
    }

    // MARK: From a response to a reply

    /// Judges a response and makes the reply.
    @inline(__always)
    nonisolated(nonsending) private func finish(
        _ response: Response, _ request: Request, _ draft: RequestDraft
    ) async throws -> Reply {
        // Nearly all responses are complete by now.
        guard let body = response.body.whole, body.count <= settings.limits.collectedBytes,
            !isLargeError(response, body, to: draft)
        else { return try await collect(response, request, draft) }
        request.recorder?.decoded(body.count)
        return try finish(response, body, request, draft)
    }

    // Functions of their own from here on, since their locals would otherwise occupy memory in every waiting request.

    /// Reads a body that the chain has not collected, for example one that an interceptor replaced, and rejects one that is too
    /// large. Parses the body of a large error on another thread.
    @inline(never)
    nonisolated(nonsending) private func collect(
        _ response: Response, _ request: Request, _ draft: RequestDraft
    ) async throws -> Reply {
        var response = response
        let body: Bytes
        do {
            body = try await response.body.collect(
                upTo: settings.limits.collectedBytes,
                reportingTo: response.body.whole == nil ? request.state.course.reading?.progress : nil)
            request.recorder?.decoded(body.count)
            response.body = ResponseBody(body, trailers: response.body.trailers)
            if isLargeError(response, body, to: draft) {
                try await ConcurrentWork.run { [response] () throws(SternaError) in
                    _ = try self.reply(response, body, to: draft)
                }
            }
        } catch {
            // The error retains the response, so its body is cancelled explicitly.
            response.body.cancel()
            throw describe(error, request, answeredBy: response)
        }
        return try finish(response, body, request, draft)
    }

    @inline(never)
    private func finish(
        _ response: Response, _ body: Bytes, _ request: Request, _ draft: RequestDraft
    ) throws -> Reply {
        request.recorder?.context?.received(response, body: body)
        do throws(SternaError) {
            let reply = try reply(response, body, to: draft)
            request.recorder?.requestEnded()
            return reply
        } catch {
            throw describe(error, request, answeredBy: response)
        }
    }

    /// Returns the reply to a response with a complete body, or throws the error that the response serializer finds in it.
    func reply(_ response: Response, _ body: Bytes, to draft: RequestDraft) throws(SternaError) -> Reply {
        let serializer = serializer(for: draft)
        if acceptsStatus(of: response, to: draft) {
            try serializer.judgeFurther(response, body: body)
        } else {
            try serializer.judge(response, body: body)
        }
        return Reply(response, body: body, plan: self, ownSerializer: draft.settings.ownResponseSerializer)
    }

    /// The serializer that judges the response to a draft's request.
    func serializer(for draft: RequestDraft) -> any ResponseSerializer {
        // A pattern, since an optional serializer is copied with each `??`.
        if case nil = draft.settings.ownResponseSerializer { return settings.responseSerializer }
        return SerializerChoice(request: draft.settings.ownResponseSerializer, session: settings.responseSerializer)
            .serializer
    }

    /// Whether a response is accepted regardless of the serializer's statuses: the caller accepts any status, or the response is a
    /// redirect that a policy or a closure chose not to follow.
    private func acceptsStatus(of response: Response, to draft: RequestDraft) -> Bool {
        if acceptsAnyStatus(draft) { return true }
        guard RedirectRule.isRedirect(response.status.code) else { return false }
        if response.isKeptRedirect { return true }
        return !draft.settings.ownOptions.value(of: RedirectPolicyKey.self, over: requestOptions).follows
    }

    /// Whether the response to a draft's request may have any status.
    func acceptsAnyStatus(_ draft: RequestDraft) -> Bool {
        draft.settings.ownOptions[ifSet: AnyStatusKey.self] ?? settings.acceptsAnyStatus
    }

    /// Whether a response is an error whose body takes long to parse.
    func isLargeError(_ response: Response, _ body: Bytes, to draft: RequestDraft) -> Bool {
        guard body.count > Self.largeErrorBody, !acceptsStatus(of: response, to: draft) else { return false }
        return !serializer(for: draft).validation.accepts(status: response.status.code)
    }

    /// The body of an error is parsed in place up to this size.
    private static let largeErrorBody = 64 << 10

    // MARK: Failures

    /// Converts any error of the chain into a `SternaError` with the request's details.
    @inline(never)
    func describe(_ error: any Error, _ request: Request, answeredBy response: Response? = nil) -> SternaError {
        var known = ErrorDescription.describe(
            error, of: request, answeredBy: response, at: request.call?.trace?.point)
        known.response?.sessionDecoding = decoding
        if let logging = settings.events.logging { logging.failed(known, request) }
        if let recorder = request.recorder {
            // A download that continues with the response ends the request itself.
            if known.downloadTask == nil { recorder.requestEnded(known) }
            known.metrics = recorder.snapshot
        }
        return known
    }
}
