import HTTPTypes
import NIOCore
public import SternaCore
import SternaSecurity

/// Sends requests over an engine's connections under one trust configuration.
public final class EngineTransport: Transport {
    public let engine: Engine
    let origins: OriginTable

    var configuration: Configuration { origins.configuration }

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

    init(engine: Engine, origins: OriginTable) {
        self.engine = engine
        self.origins = origins
    }

    nonisolated(nonsending) public func send(_ request: Request) async throws -> Response {
        let endpoint = try endpoint(for: request.url)
        guard !endpoint.isRefused else { throw Self.unprotected(endpoint) }
        let now = NIODeadline.now()
        let deadline = request.deadline?.instant ?? now + request.timeouts.amounts.total
        guard deadline > now else { throw Exchange.deadlinePassed(in: .prepare).at(request) }
        let exchange = exchange(request, to: endpoint, deadline: deadline)
        if let recorder = request.recorder { exchange.recorder = recorder.attemptBegan(request) }
        return try await perform(exchange)
    }

    nonisolated(nonsending) private func perform(_ exchange: Exchange) async throws -> Response {
        defer { exchange.taken() }
        return try await withTaskCancellationHandler {
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
        let wanted = max(0, min(count, most)) - endpoint.permits.open(of: endpoint)
        guard wanted > 0 else { return }
        let now = NIODeadline.now()
        let deadline = now + timeouts.amounts.total
        guard deadline > now else { throw Exchange.deadlinePassed(in: .prepare).at(request) }
        try await withThrowingTaskGroup { group in
            for _ in 0..<wanted {
                let exchange = Exchange(
                    request, endpoint: endpoint, shard: engine.shards[0], hasReservation: false, deadline: deadline)
                exchange.startsInQueue = true
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

    // On the event loop that has the connection, or that the caller runs on, or that has an idle connection; else wherever one is
    // free first.
    private func exchange(_ request: Request, to endpoint: Endpoint, deadline: NIODeadline) -> Exchange {
        let shard = endpoint.homeShard.map { engine.shards[$0] } ?? engine.currentShard
        let reserved = shard == nil ? endpoint.reserve() : nil
        let exchange = Exchange(
            request, endpoint: endpoint, shard: shard ?? reserved ?? engine.shards[0],
            hasReservation: reserved != nil, deadline: deadline)
        exchange.startsInQueue = shard == nil && reserved == nil
        return exchange
    }

    func endpoint(for url: HTTPURL) throws(SternaError) -> Endpoint { try origins.endpoint(for: url, of: engine) }
}
