import HTTPTypes
import NIOCore
package import SternaCore
import SternaSecurity

/// Sends requests over an engine's connections under one trust configuration.
package final class EngineTransport: Transport {
    package var engine: Engine { sender.engine }

    /// What requests go through.
    package let sender: EngineSender

    var origins: OriginTable { sender.origins }
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

    init(engine: Engine, origins: OriginTable) { sender = EngineSender(engine: engine, origins: origins) }

    nonisolated(nonsending) public func send(_ request: Request) async throws -> Response {
        try await sender.send(request)
    }

    /// Opens connections to a URL's origin that its first requests find, as many of them as are not there yet.
    ///
    /// - Parameter count: how many, one by default; at most as many as may be open to one origin.
    ///
    /// Throws what opening a connection throws.
    package func warmUp(_ url: HTTPURL, connections count: Int = 1, timeouts: Timeouts = Timeouts()) async throws {
        let endpoint = try endpoint(for: url)
        guard !endpoint.isRefused else { throw EngineSender.unprotected(endpoint) }
        var request = Request(.options, url)
        request.timeouts = timeouts
        let most = min(endpoint.maximumConnections, max(1, engine.options.maximumConnections))
        let wanted = max(0, min(count, most)) - endpoint.permits.open(of: endpoint)
        guard wanted > 0 else { return }
        let now = engine.options.clock.now
        let deadline = now + timeouts.amounts.total
        guard deadline > now else { throw Exchange.deadlinePassed(in: .prepare).at(request) }
        try await withThrowingTaskGroup { group in
            for _ in 0..<wanted {
                let exchange = Exchange(
                    request, endpoint: endpoint, shard: engine.shards[0], hasReservation: false, deadline: deadline)
                exchange.startsInQueue = true
                exchange.isWarmUp = true
                exchange.needsFreshConnection = true
                group.addTask { _ = try await self.sender.perform(exchange) }
            }
            try await group.waitForAll()
        }
    }

    func endpoint(for url: HTTPURL) throws(SternaError) -> Endpoint { try origins.endpoint(for: url, of: engine) }
}
