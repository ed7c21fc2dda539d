import HTTPTypes
import NIOCore
package import SternaCore
import SternaSecurity

/// Sends requests over an engine's connections under one trust configuration.
package final class EngineTransport: Transport {
    package var engine: Engine { sender.engine }

    /// The sender of the transport's requests.
    package let sender: EngineSender

    var origins: OriginTable { sender.origins }
    var configuration: Configuration { origins.configuration }

    /// The properties that connections must share to be interchangeable, apart from the origin.
    struct Configuration: Hashable {
        let policy: SecurityPolicy
        let hosts: HostPolicies
        /// The origin that receives the policy's identity; nil for every origin. Hosts with their own policies have their own
        /// identities.
        var identityOrigin: Origin?
        var routing = RouteConfiguration()

        /// Returns the policy of an origin.
        func policy(for origin: Origin, host: String) -> SecurityPolicy {
            if let own = hosts.policy(for: host) { return own }
            var policy = hosts.policy(for: host, otherwise: policy)
            if let identityOrigin, identityOrigin != origin {
                policy.identity = nil
                policy.rotatingIdentity = nil
            }
            return policy
        }

        /// Returns the policy for a proxy, which receives no identity except one of its own.
        func policy(for proxy: Proxy) -> SecurityPolicy {
            if let own = hosts.policy(for: proxy.host) { return own }
            var policy = hosts.policy(for: proxy.host, otherwise: policy)
            policy.identity = nil
            policy.rotatingIdentity = nil
            // A challenge handler is written for servers and might send their credentials to a proxy.
            policy.challengeHandler = nil
            policy.tls.serverName = nil
            return policy
        }

        /// Whether no other configuration can equal this one, since it holds closures.
        var isOwn: Bool { policy.hasClosures || hosts.all.contains(where: \.hasClosures) || routing.hasClosures }
    }

    init(engine: Engine, origins: OriginTable) { sender = EngineSender(engine: engine, origins: origins) }

    nonisolated(nonsending) package func send(_ request: Request) async throws -> Response {
        try await sender.send(request)
    }

    /// Opens connections to a URL's origin ahead of its first requests, up to the given number including open ones.
    ///
    /// - Parameter count: the number of connections, one by default; at most the limit per origin.
    ///
    /// Throws the errors of opening a connection.
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
