import HTTPTypes
import SternaCore

/// Answers requests from the session's cache, and stores the responses of the network (RFC 9111).
///
/// It stands below whatever makes a request complete, credentials among it, and above signatures, which are made for what is sent. It
/// adds the cookies of the jar itself: they are no part of the identity that stored responses belong to, but `Vary: Cookie` sees them.
/// What it decides is in ``CacheRule``, what it does in ``CacheExchange``.
final class CacheInterceptor: Interceptor {
    private let plan: CachePlan

    init(_ plan: CachePlan) { self.plan = plan }

    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        let policy = plan.policy(of: request)
        guard request.method == .get || request.method == .head, request.body == nil else {
            return try await forward(request, next)
        }
        if policy == .ignored { return try await next(withCookies(request)) }
        return try await exchange(request, policy, next)
    }

    // Functions of their own, since their locals would otherwise occupy memory in every waiting request.

    @inline(never)
    nonisolated(nonsending) private func exchange(
        _ request: Request, _ policy: CachePolicy, _ next: Chain
    ) async throws -> Response {
        var secret = plan.cache.knownSecret
        if secret == nil { secret = await plan.cache.secret() }
        let signer = try await RequestIdentity.signer(of: request)
        let identity = plan.identity.partition(of: request, signer: signer, secret ?? IdentitySecret())
        let exchange = await CacheExchange(
            plan, withCookies(request), policy, partition: identity, secret: secret, next)
        return try await exchange.run()
    }

    /// Sends a request that nothing stored answers, and removes what it makes invalid (RFC 9111, 4.4).
    @inline(never)
    nonisolated(nonsending) private func forward(_ request: Request, _ next: Chain) async throws -> Response {
        guard !plan.isOffline else {
            return CacheExchange.unanswered(
                request, "the session is offline, and only GET and HEAD are answered from the cache")
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
        // A file that cannot be used is an error of `save()`, not of requests.
        if jar.isUnread { try? await jar.load() }
        return jar.added(to: request, plan.identity.cookieSecurity)
    }
}

/// What the requests of a session need of its cache.
struct CachePlan: Sendable {
    let cache: ResponseCache
    let identity: RequestIdentity
    let space: CacheSpace
    let isOffline: Bool
    let willCache: (@Sendable (Response, Request) -> Bool)?

    /// The calls that end with the session: those that refresh stale responses.
    let calls: CallScope

    init?(_ settings: SessionSettings, calls: CallScope) {
        guard let cache = settings.cache ?? (settings.isOffline ? ResponseCache.memory(bytes: 0) : nil) else {
            return nil
        }
        self.cache = cache
        identity = RequestIdentity(settings)
        space = CacheSpace(settings)
        isOffline = settings.isOffline
        willCache = settings.willCache
        self.calls = calls
    }

    /// Returns how a request uses the cache: offline nothing but stored responses, whatever it asks for.
    func policy(of request: Request) -> CachePolicy {
        guard isOffline else {
            return request.options.isEmpty ? .protocolRules : request.options[CachePolicyKey.self]
        }
        var policy = request.options[CachePolicyKey.self]
        policy.reading = .cachedOnly
        return policy
    }
}
