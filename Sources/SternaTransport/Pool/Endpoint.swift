import NIOCore
import SternaCore
import SternaSecurity
import Synchronization

/// Where connections go that may be used for one another: an origin by one route under one trust configuration.
final class Endpoint: Sendable {
    let id: Int
    let origin: Origin
    let host: String
    let hostIsAddress: Bool
    let policy: SecurityPolicy
    let route: Route
    let dialPolicy: DialPolicy

    /// What a TLS proxy must show to be trusted.
    let proxyPolicy: SecurityPolicy

    /// What each request asks of the policy, worked out once.
    let isRefused: Bool
    let rotatingIdentity: RotatingIdentity?

    /// Whether requests are written to a proxy that forwards them, with these credentials for it.
    let forwarding: Forwarding?
    let pools: [EndpointPool]
    let maximumConnections: Int
    let permits: Permits

    /// How many permits shards stand in line for.
    let inLine = Atomic<Int>(0)

    /// Whether a shard without a connection waits for one of the others.
    let isNeeded = Atomic<Bool>(false)
    private let nextShard = Atomic<Int>(0)

    /// On how many shards a pause keeps dials back.
    let pauses = Atomic<Int>(0)

    /// What a request carries for the proxy that forwards it.
    struct Forwarding: Sendable, CustomReflectable {
        let authorization: String?

        /// Without the credentials.
        var customMirror: Mirror { Mirror(self, children: ["hasAuthorization": authorization != nil]) }
    }

    init(
        origin: Origin, host: String, hostIsAddress: Bool, route: Route, policy: SecurityPolicy,
        proxyPolicy: SecurityPolicy, dialPolicy: DialPolicy, engine: Engine
    ) {
        self.origin = origin
        self.host = host
        self.hostIsAddress = hostIsAddress
        self.route = route
        self.policy = policy
        self.proxyPolicy = proxyPolicy
        self.dialPolicy = dialPolicy
        permits = engine.permits
        id = permits.makeID()
        maximumConnections = max(1, engine.options.maximumConnectionsPerOrigin)
        isRefused = !origin.scheme.isSecure && policy.needsTLS
        rotatingIdentity = origin.scheme.isSecure ? policy.rotatingIdentity : nil
        forwarding = origin.scheme.isSecure ? nil : route.forwarding
        pools = engine.shards.map { EndpointPool(shard: $0) }
        permits.add(self)
    }

    deinit { permits.remove(id) }

    var isTLS: Bool { origin.scheme.isSecure }

    /// The name for the TLS handshake: none for an address, and without a trailing dot (RFC 6066, 3).
    var serverName: String? {
        if let name = policy.tls.serverName { return name }
        if hostIsAddress { return nil }
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        return name.isEmpty ? nil : name
    }

    /// Chooses the shard for a request that comes from outside the event loops: one with an idle connection, which is then
    /// set aside, else each in turn.
    func chooseShard() -> (index: Int, hasReservation: Bool) {
        guard pools.count > 1 else { return (0, pools[0].reserve()) }
        for index in pools.indices where pools[index].reserve() { return (index, true) }
        let turn = nextShard.wrappingAdd(1, ordering: .relaxed).oldValue
        return (Int(UInt(bitPattern: turn) % UInt(pools.count)), false)
    }

    /// A permit that a shard stood in line for is there.
    func granted(to index: Int) {
        inLine.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        let shard = pools[index].shard
        shard.loop.execute { shard.permitGranted(self) }
    }

    /// Whether a connection is open or about to be, or requests wait for the end of a pause.
    var isInUse: Bool { permits.counts(of: self) != (0, 0) || pauses.load(ordering: .relaxed) > 0 }

    /// Whether a shard waits for a permit.
    var isWaitedFor: Bool { inLine.load(ordering: .sequentiallyConsistent) > 0 }
}

/// One shard's connections to an endpoint.
// Invariant: the stored `var`s are touched on the shard's event loop only.
final class EndpointPool: @unchecked Sendable {
    let shard: Shard
    var state = PoolState<HTTP1Connection, Exchange>()

    /// Whether dials are being begun, so that one that fails at once does not begin the next within itself.
    var isBeginning = false
    var mustBeginMore = false

    /// Whether the shard knows that idle connections may be here.
    var isListed = false

    /// The end of a pause between dials.
    var pause: Scheduled<Void>?
    private let unreserved = Atomic<Int>(0)

    init(shard: Shard) { self.shard = shard }

    /// Sets an idle connection aside for a request that is about to come.
    func reserve() -> Bool {
        guard unreserved.load(ordering: .relaxed) > 0 else { return false }
        if unreserved.wrappingSubtract(1, ordering: .relaxed).oldValue > 0 { return true }
        unreserved.wrappingAdd(1, ordering: .relaxed)
        return false
    }

    /// Whether a connection stands idle; seen from outside the loop, so it may be past.
    var hasIdle: Bool { unreserved.load(ordering: .sequentiallyConsistent) > 0 }

    func countIdle(_ change: Int) { unreserved.wrappingAdd(change, ordering: .sequentiallyConsistent) }
}
