import DequeModule
import NIOCore
import SternaCore
import SternaSecurity
import Synchronization

/// Where connections go that may be used for one another: an origin under one trust configuration.
final class Endpoint: Sendable {
    let origin: Origin
    let host: String
    let hostIsAddress: Bool
    let policy: SecurityPolicy
    /// What each request asks of the policy, worked out once.
    let isRefused: Bool
    let rotatingIdentity: RotatingIdentity?
    let pools: [EndpointPool]
    private let maximumConnections: Int
    private let permits: Mutex<Permits>
    private let nextShard = Atomic<Int>(0)

    /// Open connections, and who waits to open one.
    private struct Permits {
        var free: Int
        var waiting: Deque<Int> = []
    }

    init(
        origin: Origin, host: String, hostIsAddress: Bool, policy: SecurityPolicy, shards: [Shard],
        maximumConnections: Int
    ) {
        self.origin = origin
        self.host = host
        self.hostIsAddress = hostIsAddress
        self.maximumConnections = maximumConnections
        self.policy = policy
        isRefused = !origin.scheme.isSecure && policy.needsTLS
        rotatingIdentity = origin.scheme.isSecure ? policy.rotatingIdentity : nil
        pools = shards.map { EndpointPool(shard: $0) }
        permits = Mutex(Permits(free: maximumConnections))
    }

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

    /// Takes a permit to open a connection, or puts the shard in line for one.
    func takePermit(for shard: Int) -> Bool {
        permits.withLock { permits in
            if permits.free > 0 {
                permits.free -= 1
                return true
            }
            permits.waiting.append(shard)
            return false
        }
    }

    /// Takes a shard out of the line for a permit once; whether it stood there.
    func leaveLine(_ shard: Int) -> Bool {
        permits.withLock { permits in
            guard let position = permits.waiting.lastIndex(of: shard) else { return false }
            permits.waiting.remove(at: position)
            return true
        }
    }

    /// Gives a permit back: to the shard that has waited longest, else to all.
    func returnPermit() {
        let next = permits.withLock { permits -> Int? in
            if let next = permits.waiting.popFirst() { return next }
            permits.free += 1
            return nil
        }
        guard let next else { return }
        let shard = pools[next].shard
        shard.loop.execute { shard.permitGranted(self) }
    }

    /// Whether a connection is open or about to be.
    var isInUse: Bool { permits.withLock { $0.free < maximumConnections } }

    /// Whether another shard waits for a permit.
    func othersWait(than shard: Int) -> Bool { permits.withLock { $0.waiting.contains { $0 != shard } } }
}

/// One shard's connections to an endpoint.
// Invariant: the stored `var`s are touched on the shard's event loop only.
final class EndpointPool: @unchecked Sendable {
    let shard: Shard
    var idle: [HTTP1Connection] = []
    var waiters: Deque<Exchange> = []
    var dials: [Dial] = []
    var dialling: Int { dials.count }

    /// How far the youngest dial has come; nil where there is none.
    var dialPhase: SternaError.Phase?

    /// How many times this shard stands in the endpoint's line for permits.
    var permitsAsked = 0
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
    var hasIdle: Bool { unreserved.load(ordering: .relaxed) > 0 }

    func countIdle(_ change: Int) { unreserved.wrappingAdd(change, ordering: .relaxed) }
}
