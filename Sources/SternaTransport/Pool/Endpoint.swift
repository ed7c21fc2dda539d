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

    /// When HTTP/2 is spoken here: never where a proxy forwards requests.
    let http2: HTTP2Use
    let dialPolicy: DialPolicy

    /// What a TLS proxy must show to be trusted.
    let proxyPolicy: SecurityPolicy

    /// What each request asks of the policy, worked out once.
    let isRefused: Bool
    let rotatingIdentity: RotatingIdentity?

    /// Whether requests are written to a proxy that forwards them, with these credentials for it.
    let forwarding: Forwarding?

    /// Which connections to a proxy may carry tunnels to it beside others; nil where each has one of its own.
    let tunnelKey: ProxyConnections.Key?
    let pools: [EndpointPool]
    let maximumConnections: Int
    let permits: Permits

    /// How many permits shards stand in line for.
    let inLine = Atomic<Int>(0)

    /// Whether a shard without a connection waits for one of the others.
    let isNeeded = Atomic<Bool>(false)
    private let nextShard = Atomic<Int>(0)

    /// The shard that all requests go to, since a connection there serves all event loops, or may turn out to; less than zero
    /// where each has connections of its own.
    private let home: Atomic<Int>

    /// Whether the server has asked for HTTP/1.1.
    let requiresHTTP1 = Atomic<Bool>(false)

    /// How many streams the server takes, as far as it has said.
    let knownStreams = Atomic<Int>(PeerSettings.assumedStreams)

    /// Whether the server has chosen HTTP/2 once.
    let hasSpokenHTTP2 = Atomic<Bool>(false)

    /// Whether connections of other origins have turned out not to serve this one.
    let refusesSharing = Atomic<Bool>(false)

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
        proxyPolicy: SecurityPolicy, routing: Routing, engine: Engine
    ) {
        self.origin = origin
        self.host = host
        self.hostIsAddress = hostIsAddress
        self.route = route
        self.policy = policy
        self.proxyPolicy = proxyPolicy
        dialPolicy = routing.dialPolicy
        permits = engine.permits
        id = permits.makeID()
        maximumConnections = max(1, engine.options.maximumConnectionsPerOrigin)
        isRefused = !origin.scheme.isSecure && policy.needsTLS
        rotatingIdentity = origin.scheme.isSecure ? policy.rotatingIdentity : nil
        let forwarding = origin.scheme.isSecure ? nil : route.forwarding
        self.forwarding = forwarding
        http2 =
            switch routing.http2 {
            case .negotiated: origin.scheme.isSecure && policy.tls.offersApplicationProtocols ? .negotiated : .off
            case .priorKnowledge: origin.scheme.isSecure ? .negotiated : forwarding == nil ? .priorKnowledge : .off
            case .off: .off
            }
        if case .proxy(let proxy) = route, proxy.kind == .https, forwarding == nil, routing.http2 != .off,
            proxyPolicy.tls.offersApplicationProtocols
        {
            tunnelKey = ProxyConnections.Key(proxy: proxy, policy: proxyPolicy)
        } else {
            tunnelKey = nil
        }
        home = Atomic(http2 == .off ? -1 : id % engine.shards.count)
        pools = engine.shards.map { EndpointPool(shard: $0) }
        permits.add(self)
    }

    deinit { permits.remove(id) }

    var isTLS: Bool { origin.scheme.isSecure }

    /// What is offered in the TLS handshake.
    var applicationProtocols: [String] {
        guard policy.tls.offersApplicationProtocols else { return [] }
        return offersHTTP2 ? ["h2", "http/1.1"] : ["http/1.1"]
    }

    var offersHTTP2: Bool { http2 != .off && !requiresHTTP1.load(ordering: .relaxed) }

    /// Whether a connection that was opened with a rotating identity may be used for new requests: one that has been replaced
    /// is not shown for them.
    func stillShows(_ rotation: ClientIdentity?) -> Bool {
        guard let rotatingIdentity else { return true }
        return rotatingIdentity.current == rotation
    }

    /// The shard that all requests go to; nil where each has connections of its own.
    var homeShard: Int? {
        let home = home.load(ordering: .relaxed)
        return home < 0 ? nil : home
    }

    func shard(_ index: Int) -> Shard? { pools.indices.contains(index) ? pools[index].shard : nil }

    /// A connection of HTTP/1 was opened: each shard opens its own from now on.
    func speaksHTTP1() { home.store(-1, ordering: .relaxed) }

    /// A connection that serves all shards was opened.
    func speaksHTTP2(on index: Int) {
        home.store(index, ordering: .relaxed)
        hasSpokenHTTP2.store(true, ordering: .relaxed)
    }

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

    /// Connections that carry many exchanges at a time.
    var streams: [HTTP2Connection] = []

    /// When the first of the dials under way began, and whether somebody waits for it to have taken long.
    var firstDialBegan = NIODeadline.distantPast
    var isImpatient = false

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
