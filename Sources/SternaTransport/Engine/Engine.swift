public import NIOCore
import NIOPosix
package import SternaCore
package import SternaSecurity
import Synchronization

/// The network engine: connections over all event loops of a group, shared by any number of sessions.
///
/// It starts no thread of its own and needs no shutdown: it goes away with its last session, and idle connections close by
/// themselves.
public final class Engine: Sendable {
    /// The engine that sessions share, on SwiftNIO's singleton event loops.
    public static let shared = Engine()

    let shards: [Shard]
    let options: EngineOptions
    let dialer: Dialer

    /// The clock of the engine, and of the calls of its sessions.
    package var clock: NetworkClock { options.clock }
    let permits: Permits
    let tunnelShards = TunnelShards()
    let proxyAuthentications = ProxyAuthentications()
    let grace: Grace
    private let transports = Mutex(KnownTransports())

    /// Makes an engine with connections of its own, on SwiftNIO's singleton event loops.
    public convenience init(options: EngineOptions = EngineOptions()) {
        self.init(options: options, group: MultiThreadedEventLoopGroup.singleton)
    }

    /// Makes an engine with connections of its own on the event loops given, which must outlive it.
    public init(options: EngineOptions = EngineOptions(), group: any EventLoopGroup) {
        self.options = options
        let dialer = Dialer(options: options, timers: group.any())
        self.dialer = dialer
        permits = Permits(limit: max(1, options.maximumConnections))
        let grace = Grace()
        self.grace = grace
        let shards = group.makeIterator().enumerated().map { index, loop in
            Shard(index: index, loop: loop, dialer: dialer, options: options, grace: grace)
        }
        self.shards = shards
        grace.onRelease { [weak self] in
            for shard in self?.shards ?? [] { shard.loop.execute { shard.checkDrained() } }
        }
    }

    /// A transport whose connections trust what the policies trust; the same one for equal policies.
    ///
    /// - Parameters:
    ///   - hosts: policies of single hosts, which count before the other one.
    ///   - identityOrigin: where the policy's identity is shown; nil for every server that asks.
    ///   - routing: what lies between this side and the servers.
    package func transport(
        _ policy: SecurityPolicy = .system, hosts: HostPolicies = [:], identityOrigin: Origin? = nil,
        routing: Routing = Routing()
    ) -> EngineTransport {
        let origin = policy.hasIdentity ? identityOrigin : nil
        let configuration = EngineTransport.Configuration(
            policy: policy, hosts: hosts, identityOrigin: origin, routing: routing)
        return transports.withLock { $0.transport(configuration, of: self) }
    }

    /// The shard of the event loop that the caller runs on, or nil outside the loops.
    var currentShard: Shard? {
        guard let current = MultiThreadedEventLoopGroup.currentEventLoop else { return nil }
        return shards.first { $0.loop === current }
    }

    /// Runs work with the engine's event loops as the place where its tasks run, which saves the hops between them and the
    /// network. The work must not block: no long computations, no waiting calls.
    public func onEventLoop<R: Sendable>(_ work: @Sendable () async throws -> R) async rethrows -> R {
        let turn = nextLoop.wrappingAdd(1, ordering: .relaxed).oldValue
        let shard = currentShard ?? shards[Int(UInt(bitPattern: turn) % UInt(shards.count))]
        return try await withTaskExecutorPreference(shard.executor) { try await work() }
    }

    /// Closes the connections that nobody uses at the moment; new ones are opened as they are needed.
    public func closeIdleConnections() {
        for shard in shards { shard.loop.execute { shard.closeIdle() } }
    }

    private let nextLoop = Atomic<Int>(0)

    /// Forgets the origins that are kept for sessions to come.
    func forgetTransports() { transports.withLock { $0.forget() } }
}
