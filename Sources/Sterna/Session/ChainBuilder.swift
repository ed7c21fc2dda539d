import SternaCore
import SternaTransport
import Synchronization

/// The slots of a chain that only some sessions and requests need.
struct ChainSlots: OptionSet, Sendable {
    let rawValue: UInt8

    static let retry = ChainSlots(rawValue: 1 << 0)
    static let authentication = ChainSlots(rawValue: 1 << 1)
    static let bandwidth = ChainSlots(rawValue: 1 << 2)
    static let signing = ChainSlots(rawValue: 1 << 3)
    static let hedging = ChainSlots(rawValue: 1 << 4)
    static let coalescing = ChainSlots(rawValue: 1 << 5)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Returns the slots that all requests of a session need.
    init(of settings: SessionSettings) {
        self = []
        if settings.retries { insert(.retry) }
        if settings.authenticationSettings.isEnabled || settings.hooks?.challengeReceived != nil {
            insert(.authentication)
        }
        if settings.bandwidth != nil || settings.options[ifSet: TransferLinkKey.self] != nil { insert(.bandwidth) }
        if settings.hedging != nil { insert(.hedging) }
        if settings.coalescesRequests { insert(.coalescing) }
        if Self.isSigned(settings.options) { insert(.signing) }
    }

    /// Returns the slots that a request needs by options of its own.
    init(of request: Request) {
        self = []
        if request.asksForRetries { insert(.retry) }
        let options = request.options
        if options[ifSet: CallCredentialsKey.self] != nil || options[ifSet: ChallengeHandlerKey.self] != nil {
            insert(.authentication)
        }
        if options[ifSet: OwnBandwidthKey.self] != nil || options[ifSet: TransferLinkKey.self] != nil {
            insert(.bandwidth)
        }
        if options[ifSet: HedgingKey.self] != nil { insert(.hedging) }
        if options[CoalescingUseKey.self] { insert(.coalescing) }
        if Self.isSigned(options) { insert(.signing) }
    }

    private static func isSigned(_ options: RequestOptions) -> Bool {
        options[ifSet: AWSSigningKey.self] != nil || options[ifSet: MessageSigningOptionKey.self] != nil
    }
}

/// A session's chains with slots that only some requests need, each made when it is first needed.
final class KeptChains: Sendable {
    private let chains = Mutex<[UInt8: Chain]>([:])

    func chain(_ slots: ChainSlots, _ make: () -> Chain) -> Chain {
        if let known = chains.withLock({ $0[slots.rawValue] }) { return known }
        let made = make()
        return chains.withLock { chains in
            if let known = chains[slots.rawValue] { return known }
            chains[slots.rawValue] = made
            return made
        }
    }
}

/// Makes a session's chains: that of its plain requests, and those with slots that a request needs besides.
struct ChainBuilder: Sendable {
    let settings: SessionSettings
    let authentication: PlannedAuthentication
    let scope: SessionScope
    let sender: EngineSender
    let transport: any Transport

    /// The origin of the session's base URL.
    let base: Origin?
    private let clockOffsets = AWSClockOffsets()
    private let cache: CachePlan?
    private let kept = KeptChains()

    /// What holds requests while the network is away; nil in sessions that do not wait for it.
    let connectivity: ConnectivityGate?
    let coalescing: CoalescingPlan

    init(
        settings: SessionSettings, authentication: PlannedAuthentication, scope: SessionScope,
        sender: EngineSender, transport: any Transport, base: Origin?
    ) {
        self.settings = settings
        self.authentication = authentication
        self.scope = scope
        self.sender = sender
        self.transport = transport
        self.base = base
        cache = CachePlan(settings, calls: scope.calls)
        connectivity = settings.connectivityGate
        coalescing = CoalescingPlan(settings, calls: scope.calls)
    }

    /// Returns the chain with the given slots.
    func chain(_ slots: ChainSlots) -> Chain { kept.chain(slots) { makeChain(slots) } }

    /// Makes a chain with the given slots, outermost interceptor first; docs/Architecture.md says where a future policy belongs.
    private func makeChain(_ slots: ChainSlots) -> Chain {
        let hasApplicationInterceptors = !settings.interceptors.isEmpty
        let watchesInterceptors = hasApplicationInterceptors && settings.hasTaskEvents
        var policies: [any Interceptor] = []
        if watchesInterceptors { policies.append(AdaptationInterceptor(isAbove: false)) }
        if slots.contains(.signing) {
            policies += [AWSOriginInterceptor(base: base), MessageOriginInterceptor(base: base)]
        }
        policies.append(RedirectInterceptor(hsts: settings.hsts))
        if slots.contains(.retry) {
            policies.append(
                RetryInterceptor(
                    time: settings.engine.loopClock, ledger: scope.retries, collectedBytes: settings.collectedBytes,
                    gate: connectivity))
        } else if hasApplicationInterceptors {
            policies.append(BodyReadingInterceptor(collectedBytes: settings.collectedBytes))
        }
        // Above traffic control, which counts each copy.
        if slots.contains(.hedging) { policies.append(HedgingInterceptor(time: settings.engine.loopClock)) }
        policies += SessionPlan.trafficControl(settings)
        if let tokens = settings.tokenAuthentication {
            policies.append(TokenAuthenticationInterceptor(tokens: tokens, time: settings.engine.loopClock))
        }
        policies.append(ContentDecodingInterceptor(limits: settings.decodingLimits))
        // Below content decoding: Digest with auth-int covers the body as it was sent.
        if slots.contains(.authentication) { policies.append(authentication.interceptor) }
        if settings.transport == nil, settings.proxies.mayAnswerChallenges {
            policies.append(ProxyAuthenticationInterceptor(sender: sender))
        }
        // Signatures cover the cookies. A cache adds them itself.
        let sendsCookiesBelow = !slots.contains(.signing) && cache == nil
        if cache == nil, let jar = settings.cookieJar, !sendsCookiesBelow {
            policies.append(CookieInterceptor(jar: jar, security: CookieSecurity(settings)))
        }
        // Below whatever asks for tokens and credentials, since that may send requests to the same origin.
        if let limit = settings.adaptiveConcurrencyLimit {
            policies.append(AdaptiveConcurrencyInterceptor(limit: limit, time: settings.engine.loopClock))
        }
        if slots.contains(.coalescing) { policies.append(CoalescingInterceptor(plan: coalescing)) }
        if let cache { policies.append(CacheInterceptor(cache)) }
        if let connectivity {
            policies.append(ConnectivityInterceptor(gate: connectivity, time: settings.engine.loopClock))
        }
        if slots.contains(.signing) {
            let time = settings.engine.loopClock
            policies += [
                AWSSigningInterceptor(offsets: clockOffsets, time: time), MessageSigningInterceptor(time: time),
            ]
        }
        if settings.circuitBreaker != nil { policies.append(CircuitReportInterceptor()) }
        if slots.contains(.hedging) { policies.append(HedgeReportInterceptor()) }
        if var state = networkState {
            state.sendsCookies = sendsCookiesBelow
            policies.append(NetworkStateInterceptor(state: state))
        }
        var all = TraceInterceptor.chain(
            application: settings.interceptors, policies: policies, network: settings.networkInterceptors)
        if watchesInterceptors { all.insert(AdaptationInterceptor(isAbove: true), at: 0) }
        if slots.contains(.bandwidth) { all.append(BandwidthInterceptor(time: settings.engine.loopClock)) }
        return Chain(all, transport: transport)
    }

    /// What the session remembers of its servers' responses; nil if it remembers nothing.
    private var networkState: NetworkState? {
        guard settings.cookieJar != nil || settings.hsts != nil || settings.cache != nil else { return nil }
        var state = NetworkState(
            cookieJar: settings.cookieJar, hsts: settings.hsts, alternatives: scope.alternatives,
            authentication: settings.authenticationSettings.memory
        ) { [hosts = settings.hostPolicies, policy = settings.securityPolicy] url in
            (hosts.policy(for: url.hostWithoutBrackets) ?? policy).makesNoExceptions
        }
        state.cookieSecurity = CookieSecurity(settings)
        if let cache = settings.cache {
            state.removeStored = { origin in await cache.remove { origin.isOrigin(of: $0.url) } }
        }
        return state
    }
}

extension Origin {
    /// Whether a URL, as text in normal form, has this origin.
    fileprivate func isOrigin(of url: String) -> Bool { (try? HTTPURL(url))?.origin == self }
}
