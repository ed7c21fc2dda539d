import HTTPTypes
import NIOCore
public import SternaCore
import SternaSecurity
import Synchronization

/// Sends requests over an engine's connections under one trust configuration.
public final class EngineTransport: Transport {
    public let engine: Engine
    let configuration: Configuration
    private let endpoints = Mutex(Endpoints())
    private let sweepAt = Atomic<Int>(1_024)

    /// Whether URLs of one origin may have different proxies.
    private let asksForEachURL: Bool

    private struct Endpoints {
        private var first: (key: Key, endpoint: Endpoint)?
        private var others: [Key: Endpoint] = [:]

        /// The one that was asked for last, which is the next one as well where a client speaks to one server.
        private(set) var last: Endpoint?

        var count: Int { others.count + (first == nil ? 0 : 1) }

        mutating func find(_ key: Key) -> Endpoint? {
            let known = first?.key == key ? first?.endpoint : others.isEmpty ? nil : others[key]
            if let known { last = known }
            return known
        }

        mutating func add(_ endpoint: Endpoint, _ key: Key) {
            if first == nil { first = (key, endpoint) } else { others[key] = endpoint }
        }

        mutating func removeUnused() {
            others = others.filter { $0.value.isInUse }
            if first?.endpoint.isInUse == false { first = nil }
            // It may be one of those that are gone, and there must not be two of an origin.
            last = nil
        }
    }

    private struct Key: Hashable {
        let origin: Origin
        /// Where the rules give the same answer for all URLs of an origin it is not asked for.
        let proxy: Proxy?
    }

    /// What connections have in common that may be used for one another, but for the origin.
    struct Configuration: Hashable {
        let policy: SecurityPolicy
        let hosts: HostPolicies
        /// Where the policy's identity is shown; nil for everywhere. Hosts with policies of their own have their own identities.
        var identityOrigin: Origin?
        var routing = Routing()

        /// The policy of an origin.
        func policy(for origin: Origin, host: String) -> SecurityPolicy {
            if let own = hosts.policy(for: host) { return own }
            var policy = hosts.policy(for: host, otherwise: policy)
            if let identityOrigin, identityOrigin != origin {
                policy.identity = nil
                policy.rotatingIdentity = nil
            }
            return policy
        }

        /// The policy that a proxy is judged by, which is shown no identity but one of its own.
        func policy(for proxy: Proxy) -> SecurityPolicy {
            if let own = hosts.policy(for: proxy.host) { return own }
            var policy = hosts.policy(for: proxy.host, otherwise: policy)
            policy.identity = nil
            policy.rotatingIdentity = nil
            // Who answers challenges knows of servers, and might show a proxy what is theirs.
            policy.challengeHandler = nil
            policy.tls.serverName = nil
            return policy
        }

        /// Whether there will be no equal one but this itself.
        var isOwn: Bool { policy.hasClosures || hosts.all.contains(where: \.hasClosures) || routing.hasClosures }
    }

    init(engine: Engine, configuration: Configuration) {
        self.engine = engine
        self.configuration = configuration
        asksForEachURL = !configuration.routing.proxies.isByOrigin
    }

    nonisolated(nonsending) public func send(_ request: Request) async throws -> Response {
        let endpoint = try endpoint(for: request.url)
        guard !endpoint.isRefused else { throw Self.unprotected(endpoint) }
        let (shard, hasReservation) = choose(endpoint)
        let deadline = request.deadline?.instant ?? .now() + request.timeouts.amounts.total
        let exchange = Exchange(
            request, endpoint: endpoint, shard: shard, hasReservation: hasReservation, deadline: deadline)
        if let recorder = request.recorder { exchange.recorder = recorder.attemptBegan(request) }
        return try await perform(exchange)
    }

    nonisolated(nonsending) private func perform(_ exchange: Exchange) async throws -> Response {
        try await withTaskCancellationHandler {
            // The exchange resumes the continuation once, on every path.
            try await withUnsafeThrowingContinuation { exchange.begin($0) }
        } onCancel: {
            exchange.cancel()
        }
    }

    /// Opens connections to a URL's origin that its first requests find, as many of them as are not there yet.
    ///
    /// - Parameter count: how many, one by default; at most as many as may be open to one origin.
    ///
    /// Throws what opening a connection throws.
    public func warmUp(_ url: HTTPURL, connections count: Int = 1, timeouts: Timeouts = Timeouts()) async throws {
        let endpoint = try endpoint(for: url)
        guard !endpoint.isRefused else { throw Self.unprotected(endpoint) }
        var request = Request(.options, url)
        request.timeouts = timeouts
        let most = min(endpoint.maximumConnections, max(1, engine.options.maximumConnections))
        let wanted = min(count, most) - endpoint.permits.counts(of: endpoint).open
        guard wanted > 0 else { return }
        let deadline = NIODeadline.now() + timeouts.amounts.total
        try await withThrowingTaskGroup { group in
            for number in 0..<wanted {
                let exchange = Exchange(
                    request, endpoint: endpoint, shard: engine.shards[number % engine.shards.count],
                    hasReservation: false, deadline: deadline)
                exchange.isWarmUp = true
                exchange.needsFreshConnection = true
                group.addTask { _ = try await self.perform(exchange) }
            }
            try await group.waitForAll()
        }
    }

    private static func unprotected(_ endpoint: Endpoint) -> SternaError {
        let failure = TrustFailure(
            .policy, "\(endpoint.host) is asked without TLS, and its policy pins keys, or there is none for it",
            advice: "Write https, or give the host a policy without pins.")
        return SternaError(
            .certificateRejected, phase: .prepare, "Nothing was sent: \(failure)", underlying: failure)
    }

    private func choose(_ endpoint: Endpoint) -> (Shard, Bool) {
        if let home = endpoint.homeShard { return (engine.shards[home], false) }
        if let shard = engine.currentShard { return (shard, false) }
        let (index, hasReservation) = endpoint.chooseShard()
        return (engine.shards[index], hasReservation)
    }

    func endpoint(for url: HTTPURL) throws(SternaError) -> Endpoint {
        let origin = url.origin
        if !asksForEachURL, let last = endpoints.withLock({ $0.last }), last.origin == origin { return last }
        let proxy = asksForEachURL ? try configuration.routing.proxies.proxy(for: url) : nil
        let key = Key(origin: origin, proxy: proxy)
        if let known = endpoints.withLock({ $0.find(key) }) { return known }
        let route = try configuration.routing.route(for: url, proxy: key.proxy)
        return endpoints.withLock { endpoints in
            if let known = endpoints.find(key) { return known }
            if endpoints.count >= 1_024, endpoints.count >= sweepAt.load(ordering: .relaxed) {
                endpoints.removeUnused()
                // As many as are in use come once more before they are looked through again.
                sweepAt.store(2 * endpoints.count, ordering: .relaxed)
            }
            var proxyPolicy = SecurityPolicy.system
            if case .proxy(let proxy) = route { proxyPolicy = configuration.policy(for: proxy) }
            let made = Endpoint(
                origin: origin, host: url.hostWithoutBrackets, hostIsAddress: url.hostKind != .domain, route: route,
                policy: configuration.policy(for: origin, host: url.hostWithoutBrackets), proxyPolicy: proxyPolicy,
                routing: configuration.routing, engine: engine)
            endpoints.add(made, key)
            return made
        }
    }
}
