import SternaCore

/// The slots of a chain that only some sessions and requests need.
///
/// Those of a request follow from its options and its call state before its chain runs; an option that an interceptor sets adds no
/// slot.
struct ChainSlots: OptionSet, Sendable {
    let rawValue: UInt8

    static let retry = ChainSlots(rawValue: 1 << 0)
    static let authentication = ChainSlots(rawValue: 1 << 1)
    static let bandwidth = ChainSlots(rawValue: 1 << 2)
    static let signing = ChainSlots(rawValue: 1 << 3)
    static let hedging = ChainSlots(rawValue: 1 << 4)
    static let coalescing = ChainSlots(rawValue: 1 << 5)
    /// For the events of a task about what application interceptors do.
    static let adaptation = ChainSlots(rawValue: 1 << 6)
    static let digests = ChainSlots(rawValue: 1 << 7)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Returns the slots that all requests of a session need.
    init(of settings: SessionSettings) {
        self = []
        if settings.retries { insert(.retry) }
        if settings.auth.challenges.isEnabled || settings.tasks.decisions?.challengeReceived != nil {
            insert(.authentication)
        }
        if settings.limits.bandwidth != nil || settings.transferLink != nil { insert(.bandwidth) }
        if settings.network.hedging != nil { insert(.hedging) }
        if settings.network.coalescesRequests { insert(.coalescing) }
        if settings.auth.signing.sign { insert(.signing) }
        if !settings.options[DigestOptionsKey.self].isEmpty { insert(.digests) }
    }

    /// Returns the slots that a request needs by options of its own.
    init(of request: Request) {
        self = []
        if request.asksForRetries { insert(.retry) }
        if request.state.course.events != nil { insert(.adaptation) }
        let options = request.options
        if request.state.access.credentials != nil || request.state.choices.ownChallengeHandler != nil {
            insert(.authentication)
        }
        if request.state.choices.bandwidth.flattened() != nil || request.state.course.link != nil { insert(.bandwidth) }
        if options[HedgingKey.self] != nil { insert(.hedging) }
        if options[CoalescingUseKey.self] { insert(.coalescing) }
        if request.isSigned { insert(.signing) }
        if !options[DigestOptionsKey.self].isEmpty { insert(.digests) }
    }
}

/// The positions of a chain, outermost first. `docs/Architecture.md` shows them.
///
/// Interceptors above ``redirect`` run once for each call, ``retry`` once for each hop of a redirect, and those below it at least
/// once for each attempt.
enum ChainPosition: String, CaseIterable {
    case callSpan
    case adaptationBegin, application, adaptationEnd
    case signingOrigin
    case redirect
    case retry
    case hedging
    case circuitBreaker, rateLimit
    case token
    case contentDecoding
    case authentication
    case proxyAuthentication
    case signedCookies
    case adaptiveConcurrency
    case coalescing
    case cache
    case connectivity
    case digests
    case signing
    case circuitReport, hedgeReport
    case networkState
    case network
    case requestSpan
    case bandwidth

    /// The slot without which the position is empty; nil if only the session's settings decide, and for ``retry``, which reads
    /// bodies even without its slot.
    var slot: ChainSlots? {
        switch self {
        case .adaptationBegin, .adaptationEnd: .adaptation
        case .hedging, .hedgeReport: .hedging
        case .authentication: .authentication
        case .signingOrigin, .signedCookies, .signing: .signing
        case .coalescing: .coalescing
        case .bandwidth: .bandwidth
        case .digests: .digests
        case .callSpan, .application, .redirect, .retry, .circuitBreaker, .rateLimit, .token,
            .contentDecoding, .proxyAuthentication, .adaptiveConcurrency, .cache, .connectivity, .circuitReport,
            .networkState, .network, .requestSpan:
            nil
        }
    }
}

extension ChainBuilder {
    /// Makes the interceptors of a position in a chain with the given slots; none if nothing needs them.
    func interceptors(at position: ChainPosition, _ slots: ChainSlots) -> [any Interceptor] {
        if let slot = position.slot, !slots.contains(slot) { return [] }
        let time = settings.network.engine.loopClock
        let watches = !settings.interceptors.isEmpty
        switch position {
        case .callSpan: return [settings.events.spans?.calls].compactMap(\.self)
        case .adaptationBegin: return watches ? [AdaptationInterceptor(isAbove: true)] : []
        case .application:
            return TraceInterceptor.traced(
                settings.interceptors, isLast: settings.networkInterceptors.isEmpty)
        case .adaptationEnd: return watches ? [AdaptationInterceptor(isAbove: false)] : []
        case .signingOrigin: return [SigningOriginInterceptor(base: base)]
        case .redirect:
            return [
                RedirectInterceptor(
                    hsts: settings.trust.hsts, tokens: settings.auth.tokens,
                    collectedBytes: settings.limits.collectedBytes)
            ]
        case .retry:
            if slots.contains(.retry) {
                return [
                    RetryInterceptor(
                        time: time, ledger: scope.retries, collectedBytes: settings.limits.collectedBytes,
                        gate: connectivity, handlers: settings.retryHandlers)
                ]
            }
            return [BodyReadingInterceptor(collectedBytes: settings.limits.collectedBytes)]
        // Above traffic control, which counts each copy.
        case .hedging: return [HedgingInterceptor(time: time)]
        case .circuitBreaker:
            return settings.limits.circuitBreaker.map { [CircuitBreakerInterceptor(breaker: $0, clock: time.clock)] }
                ?? []
        case .rateLimit: return settings.limits.rate.map { [RateLimitInterceptor(limit: $0, time: time)] } ?? []
        case .token:
            return settings.auth.tokens.map { [TokenAuthenticationInterceptor(tokens: $0, time: time)] } ?? []
        case .contentDecoding: return [ContentDecodingInterceptor(limits: settings.limits.decompression)]
        // Below content decoding: Digest with auth-int covers the body as it was sent.
        case .authentication: return [authentication.interceptor]
        case .proxyAuthentication:
            guard settings.network.transport == nil, settings.network.proxies.mayAnswerChallenges else { return [] }
            return [ProxyAuthenticationInterceptor(sender: sender)]
        // Signatures cover the cookies, so they are added here. A cache adds them itself; without signatures and cache the network
        // state does.
        case .signedCookies:
            guard cache == nil, let jar = settings.cookies.jar else { return [] }
            return [CookieInterceptor(jar: jar, security: CookieSecurity(settings))]
        // Below the interceptors that obtain tokens and credentials, since these may send requests to the same origin.
        case .adaptiveConcurrency:
            return settings.limits.concurrency.map { [AdaptiveConcurrencyInterceptor(limit: $0, time: time)] }
                ?? []
        case .coalescing: return [CoalescingInterceptor(plan: coalescing)]
        case .cache: return cache.map { [CacheInterceptor($0)] } ?? []
        case .connectivity: return connectivity.map { [ConnectivityInterceptor(gate: $0, time: time)] } ?? []
        // Below the cache, which discards what does not match; signatures may cover the digests that are sent.
        case .digests: return [DigestInterceptor(time: time)]
        case .signing:
            return SigningStage.allCases.map { SigningInterceptor(stage: $0, offsets: clockOffsets, time: time) }
        case .circuitReport: return settings.limits.circuitBreaker == nil ? [] : [CircuitReportInterceptor()]
        case .hedgeReport: return [HedgeReportInterceptor()]
        case .networkState:
            guard var state = networkState else { return [] }
            state.sendsCookies = !slots.contains(.signing) && cache == nil
            return [NetworkStateInterceptor(state: state)]
        case .network:
            guard !settings.networkInterceptors.isEmpty else { return [] }
            // The trace begins anew with each request, since a redirect passes only these interceptors.
            return [TraceInterceptor()] + TraceInterceptor.traced(settings.networkInterceptors, isLast: true)
        // Below signing, whose second attempt has a span of its own. Signatures do not cover the context, so that proxies may replace it.
        // The recorder is below the span, so that it sees the context that is sent.
        case .requestSpan:
            return [settings.events.spans?.requests, settings.events.recorder?.requests].compactMap(\.self)
        case .bandwidth: return [BandwidthInterceptor(time: time, bandwidth: settings.limits.bandwidth)]
        }
    }
}
