import Sterna
import SternaRecorder
import SternaSigning

/// The cookies and credentials of a request, with what earlier commands have kept.
struct RequestSender: Sendable {
    let state: CommandState
    /// Those of the command line, or else of what `--session` keeps; nil for none, and for a request that is signed.
    let credentials: EnteredCredentials?
    let signing: AWSSigning?
}

/// A request that is ready to be sent: the session has the options of the command, and the draft the credentials.
struct PreparedRequest: Sendable {
    let session: Session
    let draft: RequestDraft
    /// When the request is sent again.
    let retries: RetryPolicy
}

extension RequestJob {
    /// Opens what earlier commands have left, adds its header fields to those of the request, and asks for a missing password.
    ///
    /// - Parameter keepsFiles: whether the command may change cookies, sessions and caches.
    func sender(
        for url: HTTPURL, _ content: inout RequestContent, keepsFiles: Bool
    ) async throws -> RequestSender {
        let given = request.sender.credentials
        let signing = try request.aws.signing(isAsked: given.authType == .awsSigv4, auth: given.auth, for: url)
        let entered = signing == nil ? try given.entered() : nil
        let state = try await CommandState.open(
            request.sender.state, cookieFiles: request.sender.cookieFiles,
            sharesCookies: request.sender.sharesCookies, urls: [url], credentials: entered,
            headers: content.headers, isKept: keepsFiles)
        try Self.check(state, connection)
        let kept = state.completed(content.headers, entered, for: url, isSigned: signing != nil)
        content.headers = kept.headers
        return RequestSender(state: state, credentials: kept.credentials, signing: signing)
    }

    /// Makes the session and the draft of a request.
    ///
    /// - Parameter log: the interceptor of each exchange with a server.
    func prepared(
        _ url: HTTPURL, _ content: RequestContent, _ sender: RequestSender, log: NetworkLog, collectsMetrics: Bool
    ) throws -> PreparedRequest {
        try dial?.check(url)
        var checks = try trust.policy(for: url)
        if let suites = try dial?.suites() { checks.tls.cipherSuites = suites }
        let connections = output.verbose ? ConnectionLog { printError($0) } : nil
        // A cache keeps the responses of policies with closures apart.
        let policy = connections != nil && sender.state.cache == nil ? ConnectionLog.watching(checks) : checks
        let engine = try dial?.engine(for: url, trust, routing) ?? trust.engine(routing.families)
        let (proxies, netrc) = (try routing.proxies(), try request.sender.credentials.netrcAccess())
        if routing.unixSocket == nil, routing.isProxied(url, proxies) { try dial?.checkProxy(for: url) }
        let method = try Self.method(target, content)
        let retries = connection.retries.policy(for: method, fails: output.statusCheck.fails)
        let session = try Session { [policy] settings in
            settings.trust.policy = policy
            settings.network.engine = engine
            settings.requestSerializer = .json
            connection.apply(to: &settings)
            if conditions?.refersAutomatically == true { settings.redirects.referrer = .strictOriginWhenCrossOrigin }
            settings.retry = retries
            if let connections {
                settings.events.observers = [
                    AttemptLog(limit: connection.retries.retry) { printError($0) }.observer, connections.observer,
                ]
            }
            routing.apply(to: &settings, proxies)
            settings.auth.netrc = netrc?.file
            settings.decodesContent = request.sender.fields.decodesContent
            settings.events.collectsMetrics = collectsMetrics
            settings.networkInterceptors = [log]
            sender.state.apply(to: &settings)
            if let recorder = HARRecording.recorder { settings.events.record(with: recorder) }
        }
        if connections != nil { ConnectionLog.keep(session, with: policy) }
        let sent = dial?.sent(url, typed: target.url, addedQuery: content.query) ?? url
        var draft = RequestDraft(method, sent, body: content.body, headers: content.headers)
        draft.settings.auth.secretHeaders = content.secretHeaders
        sender.credentials?.given.apply(to: &draft.settings)
        if sender.credentials == nil, sender.signing == nil, let netrc {
            let isRouted =
                routing.isProxied(url, proxies) || !trust.resolve.isEmpty || dial?.connectTo.isEmpty == false
            netrc.credentials(for: url, headers: content, isRouted: isRouted).apply(to: &draft.settings)
        }
        if let signing = sender.signing { draft.settings.auth.awsSigning = signing }
        // The limit is for all attempts together.
        if retries.limit > 0, let limit = connection.transport.maxTime {
            draft.settings.deadline = .now + .seconds(limit)
        }
        return PreparedRequest(session: session, draft: draft, retries: retries)
    }
}
