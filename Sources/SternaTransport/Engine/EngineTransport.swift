import NIOCore
public import SternaCore
import SternaSecurity
import Synchronization

/// Sends requests over an engine's connections under one trust configuration.
public final class EngineTransport: Transport {
    public let engine: Engine
    private let trust: Trust
    private let endpoints = Mutex<[Origin: Endpoint]>([:])

    /// Whom connections trust: a policy, and those of single hosts.
    struct Trust: Hashable {
        let policy: SecurityPolicy
        let hosts: HostPolicies
        /// Where the policy's identity is shown; nil for everywhere. Hosts with policies of their own have their own identities.
        var identityOrigin: Origin?

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

        /// Whether there will be no equal one but this itself.
        var isOwn: Bool { policy.hasClosures || hosts.all.contains(where: \.hasClosures) }
    }

    init(engine: Engine, trust: Trust) {
        self.engine = engine
        self.trust = trust
    }

    public func send(_ request: Request) async throws -> Response {
        let endpoint = endpoint(for: request.url)
        guard !endpoint.isRefused else { throw Self.unprotected(endpoint) }
        let (shard, hasReservation) = choose(endpoint)
        let deadline = request.deadline?.instant ?? .now() + request.timeouts.amounts.total
        let exchange = Exchange(
            request, endpoint: endpoint, shard: shard, hasReservation: hasReservation, deadline: deadline)
        return try await withTaskCancellationHandler {
            // The exchange resumes the continuation once, on every path.
            try await withUnsafeThrowingContinuation { exchange.begin($0) }
        } onCancel: {
            exchange.cancel()
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
        if let shard = engine.currentShard { return (shard, false) }
        let (index, hasReservation) = endpoint.chooseShard()
        return (engine.shards[index], hasReservation)
    }

    func endpoint(for url: HTTPURL) -> Endpoint {
        let origin = url.origin
        return endpoints.withLock { endpoints in
            if let known = endpoints[origin] { return known }
            if endpoints.count >= 1_024 { endpoints = endpoints.filter { $0.value.isInUse } }
            let made = Endpoint(
                origin: origin, host: url.hostWithoutBrackets, hostIsAddress: url.hostKind != .domain,
                policy: trust.policy(for: origin, host: url.hostWithoutBrackets), shards: engine.shards,
                maximumConnections: max(1, engine.options.maximumConnectionsPerOrigin))
            endpoints[origin] = made
            return made
        }
    }
}
