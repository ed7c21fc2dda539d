import HTTPTypes
import NIOCore
import SternaCore
import SternaPlatform
import SternaSerialization
import SternaTransport

/// A session's settings, resolved once into what each request needs.
final class SessionPlan: Sendable {
    let urls: URLResolution
    let settings: SessionSettings
    let chain: Chain

    /// The register of the session's tasks, and whether the session was invalidated.
    let scope: SessionScope

    /// The slots of the session's own chain.
    private let slots: ChainSlots
    let builder: ChainBuilder
    private let authentication: PlannedAuthentication

    /// The transport of the session's requests, unless the session has one of its own.
    let engineTransport: EngineTransport

    var hasApplicationInterceptors: Bool { !settings.interceptors.isEmpty }

    /// Whether interceptors of the user see the session's requests.
    var hasInterceptors: Bool { !settings.interceptors.isEmpty || !settings.networkInterceptors.isEmpty }

    /// Whether all requests pass interceptors that see bodies, so that the chain reads those that are collected.
    private let readsBodies: Bool
    private let headers: SessionHeaders

    /// Whether the session's serializer has nothing to prepare, since its fields are among the session's.
    private let isPrepared: Bool

    /// Whether the session's serializer has nothing to do for a GET request without parameters.
    private let leavesPlainGet: Bool

    /// The engine's clock.
    private let clock: NetworkClock
    private let failure: SternaError?

    /// The base URL, whose path ends in a slash; nil for none.
    var base: HTTPURL? { urls.base }

    /// Creates a plan; if some settings are invalid, it fails every request.
    init(base: HTTPURL?, settings: SessionSettings, scope: SessionScope = SessionScope()) {
        self.scope = scope
        urls = URLResolution(base: base, allowsOtherOrigins: settings.allowsOtherOrigins)
        var settings = settings
        authentication = PlannedAuthentication(&settings)
        self.settings = settings
        clock = settings.engine.clock
        scope.register.add(settings.engine)
        let serializer = settings.requestSerializer as? HTTPRequestSerializer
        isPrepared = serializer?.settings.addsOnlyFields ?? false
        leavesPlainGet = serializer?.settings.leavesPlainGet ?? false
        let (headers, failure) = Self.headers(of: settings)
        self.headers = headers
        self.failure = failure ?? Self.trustFailure(settings, base)
        engineTransport = settings.engine.transport(
            settings.securityPolicy, hosts: settings.hostPolicies, identityOrigin: base?.origin,
            routing: settings.routing)
        builder = ChainBuilder(
            settings: settings, authentication: authentication, scope: scope, sender: engineTransport.sender,
            transport: settings.transport.map { OwnTransport(base: $0) } ?? engineTransport.sender,
            base: base?.origin)
        slots = ChainSlots(of: settings)
        readsBodies = slots.contains(.retry) || !settings.interceptors.isEmpty
        chain = builder.chain(slots)
    }

    /// Returns the error of policies that could never work, whatever is sent.
    private static func trustFailure(_ settings: SessionSettings, _ base: HTTPURL?) -> SternaError? {
        do throws(SternaError) {
            let own = base.flatMap { settings.hostPolicies.policy(for: $0.hostWithoutBrackets) }
            try (own ?? settings.securityPolicy).check(scheme: base?.scheme)
            try settings.securityPolicy.check(scheme: nil)
            try settings.hostPolicies.check()
            for policy in settings.hostPolicies.all { try policy.check(scheme: nil) }
            return nil
        } catch {
            return error
        }
    }

    private static func headers(of settings: SessionSettings) -> (SessionHeaders, SternaError?) {
        do {
            let headers = try SessionHeaders(settings)
            if let authorization = settings.authorization {
                _ = try Headers.field("Authorization", authorization.fieldValue)
            }
            return (headers, nil)
        } catch {
            return (SessionHeaders(), error)
        }
    }

    /// Throws the error that would fail every request.
    static func make(base: HTTPURL?, settings: SessionSettings) throws(SternaError) -> SessionPlan {
        let plan = SessionPlan(base: base, settings: settings)
        if let failure = plan.failure { throw failure }
        return plan
    }

    // MARK: Requests

    /// Returns the URL of a reference, without user information, for operations that send no request.
    func url(of reference: some URLConvertible) throws(SternaError) -> HTTPURL {
        if let failure { throw failure }
        return try urls.url(of: reference).removingUserinfo()
    }

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
        let ownSerializer = isPlain ? nil : draft.settings.requestSerializer
        let fields = headers.fields(isOwnOrigin: isOwnOrigin, isComplete: ownSerializer == nil)
        var request = Request(draft.method, url, headers: fields, body: draft.body)
        request.timeouts = settings.timeouts
        if let progress = draft.settings.uploadProgress { request.uploadProgress = progress }
        if !settings.options.isEmpty { request.options = settings.options }
        if !draft.settings.options.isEmpty { request.options.merge(draft.settings.options) }
        if let state = draft.settings.carried { request.carried = state }
        if let link = settings.transferLink { request.state.link = link }
        if !isPlain {
            try serialize(
                draft, by: ownSerializer ?? settings.requestSerializer,
                isPrepared: isPrepared && ownSerializer == nil, into: &request)
        }
        if !isOwnOrigin { request.headers = SecretHeaders.removed(from: request.headers, settings.secretHeaders) }
        var namesCoding = headers.nameCoding || draft.headers["Accept-Encoding"] != nil
        if ownSerializer != nil {
            namesCoding = namesCoding || request.headers.contains(.acceptEncoding)
            SessionHeaders.addDefaults(to: &request.headers)
        }
        draft.settings.timeouts.apply(to: &request.timeouts)
        request.join(
            try call(for: request, ownDeadline: draft.settings.deadline?.instant, keepsRequests: draft.isOfTask))
        authentication.addCredentials(draft.settings.credential, isOwnOrigin: isOwnOrigin, to: &request)
        try addHeaders(draft, to: &request)
        // A part of encoded bytes cannot be decoded.
        if !namesCoding, request.headers.contains(.range) { request.headers[.acceptEncoding] = nil }
        request.priority = draft.settings.priority
        if !settings.secretHeaders.isEmpty || !draft.settings.secretHeaders.isEmpty {
            request.options[SecretHeadersKey.self] = settings.secretHeaders.union(draft.settings.secretHeaders)
        }
        return request
    }

    /// Returns a ready request with a call of its own. Only fields that describe its body are added, and options that it leaves to
    /// the session's.
    func request(ready: Request, isOfTask: Bool) throws(SternaError) -> Request {
        if let failure { throw failure }
        if scope.isInvalidated { throw Self.invalidated.at(ready) }
        var request = ready
        if !settings.options.isEmpty {
            request.options = settings.options
            request.options.merge(ready.options)
        }
        if let link = settings.transferLink { request.state.link = link }
        if !settings.secretHeaders.isEmpty {
            request.options[SecretHeadersKey.self] = settings.secretHeaders.union(ready.options[SecretHeadersKey.self])
        }
        authentication.addCredentials(
            request.state.credential, isOwnOrigin: urls.isOwnOrigin(request.url), to: &request)
        request.join(try call(for: request, ownDeadline: ready.ownDeadline?.instant, keepsRequests: isOfTask))
        try RequestHeaders.merge([:], authorization: nil, continueThreshold: nil, into: &request)
        return request
    }

    /// Creates the call of a request. Its deadline is the earlier of the caller's own and the end of the total limit; throws `timedOut`
    /// if it has passed.
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
            throw SternaError(.timedOut, phase: .prepare, "\(reason); nothing was sent.").at(request)
        }
        return Call(
            deadline: deadline, hasOwnDeadline: hasOwnDeadline,
            isTraced: hasInterceptors,
            recordsMetrics: settings.collectsMetrics, observer: settings.observer, clock: clock,
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
            if case .form(let form) = draft.content { request.body = try form.body(by: serializer) }
            let parameters = parameters(of: draft, serializer)
            if draft.body == nil {
                // A form without parts has no body at all, not an empty one from the serializer.
                switch draft.content {
                case .own, .form: if parameters == nil { return }
                case .bySerializer, .encoded: break
                }
                try serializer.serialize(parameters, into: &request)
            } else if let parameters {
                try serializer.appendQuery(parameters, to: &request)
            }
        } catch {
            throw SternaError.wrap(
                error, as: .encodingFailed, phase: .prepare,
                "The parameters cannot be encoded: \(CodingReason.text(error))"
            ).at(request)
        }
    }

    /// Returns the parameters encoded from a value, by the serializer of a request.
    func parameters(encoding value: some Encodable, _ settings: RequestSettings) throws(SternaError) -> Parameters {
        let keepsNils = Self.keepsNils(settings.requestSerializer ?? self.settings.requestSerializer)
        return try encodingErrors { try Parameters(encoding: value, keepingNils: keepsNils) }
    }

    /// Returns the parameters of a draft, in the form that a serializer takes.
    private func parameters(of draft: RequestDraft, _ serializer: any RequestSerializer) -> Parameters? {
        guard case .encoded(let encoded) = draft.content, Self.keepsNils(serializer) else { return draft.parameters }
        return encoded.keepingNils
    }

    private static func keepsNils(_ serializer: any RequestSerializer) -> Bool {
        SessionHeaders.settings(of: serializer)?.encoder.keepsNilMembers ?? false
    }

    /// Returns a form without parts that encodes parameters as the serializer of a request does.
    func emptyForm(_ settings: RequestSettings) -> MultipartForm {
        MultipartForm(
            encoder: SessionHeaders.settings(of: settings.requestSerializer ?? self.settings.requestSerializer)?.encoder
        )
    }

    private func addHeaders(_ draft: RequestDraft, to request: inout Request) throws(SternaError) {
        let allowsBasic = authentication.allowsBasic(request.url, draft.settings)
        let authorization = try Credentials.fieldValue(
            for: request.url, own: draft.settings.authorization, shared: settings.authorization, urls,
            allowsBasic: allowsBasic)
        try RequestHeaders.merge(
            draft.headers, authorization: authorization,
            continueThreshold: draft.settings.continueThreshold ?? settings.continueThreshold, into: &request)
        guard request.url.userinfo != nil else { return }
        request.url = request.url.removingUserinfo()
        if allowsBasic, draft.settings.authorization == nil { request.state.userinfoField = authorization }
    }

    // MARK: Responses

    /// Sends a request down the chain. The call makes no more attempts afterwards, so an engine that is shutting down need not wait
    /// for it.
    @inline(__always)
    nonisolated(nonsending) func send(_ request: Request) async throws -> Response {
        defer { request.call?.releaseLease() }
        if !request.isBare {
            let own = ChainSlots(of: request)
            if !slots.isSuperset(of: own) { return try await send(request, over: slots.union(own)) }
        }
        return try await chain(request)
    }

    // A session without a policy has no interceptor for the few requests that have their own.
    @inline(never)
    nonisolated(nonsending) private func send(_ request: Request, over slots: ChainSlots) async throws -> Response {
        try await builder.chain(slots)(request)
    }

    /// Whether the chain reads the body of a request that collects it.
    func readsBodyInChain(of request: Request) -> Bool { readsBodies || request.asksForRetries }

    /// Whether the chain has read a response, unless it was to be streamed.
    func hasRead(_ response: Response, to request: Request) -> Bool {
        readsBodyInChain(of: request) && !BodyReadingInterceptor.leaves(response, to: request)
    }

    /// Returns the reply to a response with a complete body, or throws the error that the response serializer finds in it.
    func reply(_ response: Response, _ body: Bytes, to draft: RequestDraft) throws(SternaError) -> Reply {
        let own = draft.settings.responseSerializer
        let serializer = own ?? settings.responseSerializer
        if isWanted(response, by: draft) {
            try serializer.judgeFurther(response, body: body)
        } else {
            try serializer.judge(response, body: body)
        }
        return Reply(response, body: body, plan: self, ownSerializer: own)
    }

    /// Whether a response is a redirect that the caller, or a closure, chose not to follow. It is then the result, whatever statuses the
    /// serializer accepts.
    private func isWanted(_ response: Response, by draft: RequestDraft) -> Bool {
        guard RedirectRule.isRedirect(response.status.code) else { return false }
        return response.isKeptRedirect || !(draft.settings.redirects ?? settings.redirects).follows
    }

    /// Whether a response is an error whose body takes long to parse.
    func isLargeError(_ response: Response, _ body: Bytes, to draft: RequestDraft) -> Bool {
        guard body.count > Self.largeErrorBody, !isWanted(response, by: draft) else { return false }
        let serializer = draft.settings.responseSerializer ?? settings.responseSerializer
        return !serializer.validation.statuses.contains(response.status.code)
    }

    /// The body of an error is parsed in place up to this size.
    private static let largeErrorBody = 64 << 10

    /// Converts any error of the chain into one of the library, with the request's details.
    @inline(never)
    func describe(_ error: any Error, _ request: Request, answeredBy response: Response? = nil) -> SternaError {
        var known = ErrorDescription.describe(
            error, of: request, answeredBy: response, at: request.call?.trace?.point)
        if let recorder = request.recorder {
            known.metrics = recorder.snapshot
            // A download that has taken the response over ends the request itself.
            if known.downloadTask == nil { recorder.requestEnded() }
        }
        return known
    }
}

extension SessionSettings {
    /// The session's proxies, dial policy, Unix domain socket and use of HTTP/2.
    var routing: RouteConfiguration {
        var routing = RouteConfiguration()
        routing.proxies = proxies
        routing.http2 = http2
        routing.dialPolicy = dialPolicy
        routing.unixSocket = unixSocket
        return routing
    }
}

extension Session {
    /// The version of this library.
    public static let libraryVersion = LibraryVersion.text
}
