import HTTPTypes
import NIOCore
import SternaCore
import SternaSecurity
import Synchronization

/// A destination whose connections are interchangeable: an origin by one route under one trust configuration.
final class Endpoint: Sendable {
    let id: Int
    let origin: Origin
    let host: String
    let hostIsAddress: Bool
    let policy: SecurityPolicy
    let route: Route

    /// When HTTP/2 is used; never if a proxy forwards requests.
    let http2: HTTP2Mode
    let dialPolicy: DialPolicy

    /// The trust policy for a TLS proxy.
    let proxyPolicy: SecurityPolicy

    /// Properties of the policy that each request needs, computed once.
    let isRefused: Bool
    let rotatingIdentity: RotatingIdentity?

    /// Set where a proxy forwards requests, with the credentials for it.
    let forwarding: Forwarding?

    /// Answers the challenges of the route's proxy; nil for a proxy without credentials and without an authenticator.
    let proxyAuthentication: ProxyAuthentication?

    /// Whether another URL of the origin may have another route.
    let isChosenForEachURL: Bool

    /// The key of proxy connections that may carry several tunnels; nil where each tunnel has a connection of its own.
    let tunnelKey: ProxyConnections.Key?
    let tunnelShards: TunnelShards
    let pools: [EndpointPool]
    let maximumConnections: Int
    let permits: Permits

    /// Whether the number of waiting requests is limited.
    let limitsWaiting: Bool

    let grace: ShutdownGrace

    /// The waiters and their dials. The lock is held briefly, and never while the endpoint asks for permits.
    private let queue: Mutex<Queue>

    /// The timer of the waiting requests' limits, which is stopped when the endpoint is released. Limits may be days away, and a
    /// timer that is left behind would slow down all other timers of its event loop.
    let checkTimer = Mutex(EarliestTimer())

    /// The number of waiting requests, and of those among them that accept a used connection. Requests that need not wait read
    /// both without the lock.
    private let waiting = Atomic<Int>(0)
    private let waitingForAny = Atomic<Int>(0)
    private let lacksFresh = Atomic<Bool>(false)

    /// The shard that all requests go to, since a connection there serves all event loops, or may turn out to. Negative if each
    /// shard has connections of its own.
    private let home: Atomic<Int>

    /// Whether the server has asked for HTTP/1.1.
    let requiresHTTP1 = Atomic<Bool>(false)

    /// The server's limit of streams, as far as it has announced one.
    let knownStreams = Atomic<Int>(PeerSettings.assumedStreams)

    /// Whether the server has ever chosen HTTP/2.
    let hasSpokenHTTP2 = Atomic<Bool>(false)

    /// Whether connections of other origins have turned out not to serve this one.
    let refusesSharing = Atomic<Bool>(false)

    /// Whether a connection of another origin was full, so that the endpoint opens one of its own.
    let avoidsSharing = Atomic<Bool>(false)

    /// What the origin has sent after its responses to HEAD over HTTP/1.
    let headConduct = Mutex(HeadConduct())

    /// The number of shards with a peer that takes no streams at the moment.
    let holds = Atomic<Int>(0)

    /// Whether paused calls are being asked for their connections: 0 if not, 1 if so, 2 if they are to be asked once more.
    private let askingPausedCalls = Atomic<Int>(0)

    /// Begins to ask paused calls; returns false if they are being asked, and will be once more.
    func beginAskingPausedCalls() -> Bool {
        while true {
            if askingPausedCalls.compareExchange(expected: 0, desired: 1, ordering: .relaxed).exchanged { return true }
            let (wasOnce, state) = askingPausedCalls.compareExchange(expected: 1, desired: 2, ordering: .relaxed)
            if wasOnce || state == 2 { return false }
        }
    }

    /// Ends a round of asking paused calls; returns whether to ask once more.
    func endAskingPausedCalls() -> Bool { askingPausedCalls.exchange(0, ordering: .relaxed) == 2 }

    typealias Queue = WaitQueue<Exchange, Dial>

    /// The proxy credentials of a forwarded request.
    struct Forwarding: Sendable, CustomReflectable {
        let authorization: String?

        /// Whether a request's own Proxy-Authorization, which answers a challenge, replaces these credentials.
        var answersChallenges = false

        /// Returns the value for a request, without credentials if the request has its own.
        func credentials(for request: Request) -> Forwarding {
            answersChallenges && request.headers.contains(.proxyAuthorization) ? Forwarding(authorization: nil) : self
        }

        /// Leaves out the credentials.
        var customMirror: Mirror { Mirror(self, children: ["hasAuthorization": authorization != nil]) }
    }

    init(
        origin: Origin, host: String, hostIsAddress: Bool, route: Route, policy: SecurityPolicy,
        proxyPolicy: SecurityPolicy, routing: RouteConfiguration, engine: Engine
    ) {
        self.origin = origin
        self.host = host
        self.hostIsAddress = hostIsAddress
        self.route = route
        self.policy = policy
        self.proxyPolicy = proxyPolicy
        dialPolicy = routing.dialPolicy
        isChosenForEachURL = !routing.proxies.isByOrigin
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

    deinit {
        permits.remove(id)
        checkTimer.withLock { $0.stop() }
    }

    var isTLS: Bool { origin.scheme.isSecure }

    /// The protocols offered in the TLS handshake.
    var applicationProtocols: [String] {
        guard policy.tls.offersApplicationProtocols else { return [] }
        return offersHTTP2 ? ["h2", "http/1.1"] : ["http/1.1"]
    }

    var offersHTTP2: Bool { http2 != .off && !requiresHTTP1.load(ordering: .relaxed) }

    /// Returns whether a connection that was opened with a rotating identity may carry new requests. It may not once the
    /// identity has been replaced.
    func stillShows(_ rotation: ClientIdentity?) -> Bool {
        guard let rotatingIdentity else { return true }
        return rotatingIdentity.current == rotation
    }

    /// The shard that all requests go to; nil where each shard has connections of its own.
    var homeShard: Int? {
        let home = home.load(ordering: .relaxed)
        return home < 0 ? nil : home
    }

    func shard(_ index: Int) -> Shard? { pools.indices.contains(index) ? pools[index].shard : nil }

    /// Notes an open HTTP/1 connection: each shard opens its own from now on.
    func speaksHTTP1() { home.store(-1, ordering: .relaxed) }

    /// Notes an open connection that serves all shards.
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

    /// Reads or changes the queue under its lock.
    func change<R: Sendable>(_ change: (inout Queue) -> R) -> R {
        queue.withLock { queue in
            let result = change(&queue)
            waiting.store(queue.waiters.count, ordering: .sequentiallyConsistent)
            waitingForAny.store(queue.waiters.count - queue.waiters.freshCount, ordering: .sequentiallyConsistent)
            lacksFresh.store(queue.lacksFreshConnection, ordering: .relaxed)
            return result
        }
    }

    /// Whether requests wait.
    var hasWaiters: Bool { waiting.load(ordering: .sequentiallyConsistent) > 0 }

    /// Whether a waiting request accepts a used connection.
    var hasWaitersForAny: Bool { waitingForAny.load(ordering: .sequentiallyConsistent) > 0 }

    /// Whether a waiting request needs an unused connection, and no further one may be opened.
    var lacksFreshConnection: Bool { lacksFresh.load(ordering: .relaxed) }

    /// Whether a permit of this endpoint would be used if a connection closed.
    var isPermitWanted: Bool { hasWaiters || permits.isStarving }

    /// Reserves an idle connection for a request from outside the event loops. Returns its shard; nil if no connection is idle,
    /// or if other requests wait for one.
    func reserve() -> Shard? {
        guard !hasWaitersForAny else { return nil }
        return pools.first { $0.reserve() }?.shard
    }
}
