import HTTPTypes
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

    /// What answers the challenges of the proxy on the route; nil where there is no authenticator.
    let proxyAuthentication: ProxyAuthentication?

    /// Which connections to a proxy may carry tunnels to it beside others; nil where each has one of its own.
    let tunnelKey: ProxyConnections.Key?
    let tunnelShards: TunnelShards
    let pools: [EndpointPool]
    let maximumConnections: Int
    let permits: Permits

    /// Whether only so many requests may wait.
    let limitsWaiting: Bool

    let grace: Grace

    /// What waits here, and what is dialled for it; held for moments, and never while the permits are asked.
    private let queue: Mutex<Queue>

    /// How many requests wait, and how many of them would take a connection that was used: what need not wait sees it without
    /// the lock.
    private let waiting = Atomic<Int>(0)
    private let waitingForAny = Atomic<Int>(0)
    private let lacksFresh = Atomic<Bool>(false)

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

    /// Whether a connection of another origin was found to be full: one of its own is to be opened.
    let avoidsSharing = Atomic<Bool>(false)

    /// On how many shards a peer takes no streams at the moment.
    let holds = Atomic<Int>(0)

    typealias Queue = WaitQueue<Exchange, Dial>

    /// What a request carries for the proxy that forwards it.
    struct Forwarding: Sendable, CustomReflectable {
        let authorization: String?

        /// Whether a request's own Proxy-Authorization goes before these credentials: it is an answer to a challenge.
        var answersChallenges = false

        /// The same for a request, without credentials where the request has its own.
        func credentials(for request: Request) -> Forwarding {
            answersChallenges && request.headers.contains(.proxyAuthorization) ? Forwarding(authorization: nil) : self
        }

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
        proxyAuthentication = engine.proxyAuthentications.authentication(
            on: route, by: routing.proxies.authenticator, policy: proxyPolicy)
        permits = engine.permits
        id = permits.makeID()
        maximumConnections = max(1, engine.options.maximumConnectionsPerOrigin)
        isRefused = !origin.scheme.isSecure && policy.needsTLS
        rotatingIdentity = origin.scheme.isSecure ? policy.rotatingIdentity : nil
        var forwarding = origin.scheme.isSecure ? nil : route.forwarding
        forwarding?.answersChallenges = proxyAuthentication != nil
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
        let count = engine.shards.count
        let own = id % count
        let first = tunnelKey.map { engine.tunnelShards.shard(for: $0, otherwise: own) } ?? own
        home = Atomic(http2 == .off ? -1 : first)
        tunnelShards = engine.tunnelShards
        pools = engine.shards.map { EndpointPool(shard: $0) }
        grace = engine.grace
        limitsWaiting = engine.options.maximumWaitingPerOrigin != nil
        queue = Mutex(Queue(loops: count, maximumWaiting: max(1, engine.options.maximumWaitingPerOrigin ?? .max)))
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

    // MARK: The queue

    /// Looks at the queue, or changes it, under its lock.
    func change<R: Sendable>(_ change: (inout Queue) -> R) -> R {
        queue.withLock { queue in
            let result = change(&queue)
            waiting.store(queue.line.count, ordering: .sequentiallyConsistent)
            waitingForAny.store(queue.line.count - queue.line.freshCount, ordering: .sequentiallyConsistent)
            lacksFresh.store(queue.lacksFreshConnection, ordering: .relaxed)
            return result
        }
    }

    /// Whether requests wait.
    var hasWaiters: Bool { waiting.load(ordering: .sequentiallyConsistent) > 0 }

    /// Whether one of them would take a connection that was used.
    var hasWaitersForAny: Bool { waitingForAny.load(ordering: .sequentiallyConsistent) > 0 }

    /// Whether one of them needs a connection that nothing has used, and none may be opened beside those that are there.
    var lacksFreshConnection: Bool { lacksFresh.load(ordering: .relaxed) }

    /// Whether a connection to be opened would find a use for a permit of this endpoint.
    var isPermitWanted: Bool { hasWaiters || permits.isStarving }

    /// Sets an idle connection aside for a request that comes from outside the event loops; nil where there is none, or others
    /// wait for it.
    func reserve() -> Shard? {
        guard !hasWaitersForAny else { return nil }
        return pools.first { $0.reserve() }?.shard
    }
}
