import HTTPTypes
import SternaCore

/// Serves requests from the session's cache, and stores responses of the network (RFC 9111).
///
/// Its place in the chain is below the interceptors that add credentials, and above signatures, which cover what is sent. It adds
/// the jar's cookies itself: they do not belong to the identity of stored responses, but `Vary: Cookie` must see them.
/// ``CacheRule`` decides, ``CacheTransaction`` carries it out.
final class CacheInterceptor: Interceptor {
    private let plan: CachePlan

    init(_ plan: CachePlan) { self.plan = plan }

    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        let policy = plan.policy(of: request)
        guard request.method == .get || request.method == .head, request.body == nil else {
            return try await forward(request, policy, next)
        }
        if policy == .ignored { return try await next(withCookies(request)) }
        return try await run(request, policy, next)
    }

    // Separate functions, whose locals would otherwise occupy memory in every waiting request.

    @inline(never)
    nonisolated(nonsending) private func run(
        _ request: Request, _ policy: CachePolicy, _ next: Chain
    ) async throws -> Response {
        var secret = plan.cache.knownSecret
        if secret == nil { secret = await plan.cache.secret() }
        let signer = try await RequestIdentity.signer(of: request)
        let identity = plan.identity.partition(of: request, signer: signer, secret ?? IdentitySecret())
        let transaction = await CacheTransaction(
            plan, withCookies(request), policy, partition: identity, secret: secret, next)
        let response = try await transaction.run()
        request.recorder?.answered(by: CacheResult(of: response))
        return response
    }

    /// Forwards a request that no stored response may satisfy, and invalidates stored responses because of it (RFC 9111, 4.4).
    ///
    /// Like ``CacheRule``, this does not forward a request with `only-if-cached`, unless the policy ignores stored responses.
    @inline(never)
    nonisolated(nonsending) private func forward(
        _ request: Request, _ policy: CachePolicy, _ next: Chain
    ) async throws -> Response {
        guard !plan.isOffline else {
            return CacheTransaction.unanswered(
                request, "the session is offline, and only GET and HEAD are answered from the cache")
        }
        if policy.reading != .reload, request.headers.contains(.cacheControl),
            CacheControl.Request(request.headers).onlyIfCached
        {
            return CacheTransaction.unanswered(
                request,
                "the request has only-if-cached, and only GET and HEAD without a body are answered from the cache")
        }
        let response = try await next(withCookies(request))
        let asked = CacheRequest(request)
        let head = CacheResponse(response.status.code, response.headers, requestTime: 0, responseTime: 0)
        let invalid = CacheRule.invalidated(by: head, to: asked)
        guard !invalid.isEmpty else { return response }
        let secret = await plan.cache.secret()
        let signer = try? await RequestIdentity.signer(of: request)
        let partition = plan.identity.partition(of: request, signer: signer ?? [], secret)
        let suffix = plan.space.suffix(for: request)
        for url in invalid { await plan.cache.invalidate(url, partition, suffix) }
        return response
    }

    nonisolated(nonsending) private func withCookies(_ request: Request) async -> Request {
        guard let jar = plan.identity.jar, !jar.isUnused else { return request }
        // An unusable file is an error of `save()`, not of requests.
        if jar.isUnread { try? await jar.load() }
        return jar.added(to: request, plan.identity.cookieSecurity)
    }
}

extension CacheResult {
    /// The result of a request that asked the cache.
    fileprivate init(of response: Response) {
        switch response.source {
        case .network: self = .miss
        case .revalidated: self = .revalidated
        // The 504 says that the cache has no usable response.
        case .cache: self = response.status == .gatewayTimeout ? .miss : .hit
        }
    }
}

/// The cache of a session, and the settings that its requests use it by.
struct CachePlan: Sendable {
    let cache: ResponseCache
    let identity: RequestIdentity
    let space: CacheSpace
    let isOffline: Bool
    let willStore: (@Sendable (Response, Request) -> Bool)?

    /// The scope of the calls that refresh stale responses, which ends with the session.
    let calls: CallScope

    init?(_ settings: SessionSettings, calls: CallScope) {
        let isOffline = settings.cache.isOffline
        guard let cache = settings.cache.store ?? (isOffline ? ResponseCache.memory(bytes: 0) : nil) else {
            return nil
        }
        self.cache = cache
        identity = RequestIdentity(settings)
        space = CacheSpace(settings)
        self.isOffline = isOffline
        willStore = settings.cache.willStore
        self.calls = calls
    }

    /// Returns the cache policy of a request. An offline session uses stored responses only, whatever the request asks for.
    func policy(of request: Request) -> CachePolicy {
        guard isOffline else {
            return request.options.isEmpty ? .protocolRules : request.options[CachePolicyKey.self]
        }
        var policy = request.options[CachePolicyKey.self]
        policy.reading = .cachedOnly
        return policy
    }
}
