public import NIOCore
import NIOPosix
package import SternaCore
package import SternaSecurity
import Synchronization

/// The network engine: a pool of connections over all event loops of a group, shared by any number of sessions.
///
/// An engine starts no thread of its own and needs no shutdown. It is released with its last session, and then closes its
/// connections: idle ones at once, others when their responses end.
public final class Engine: Sendable {
    /// The engine that sessions share, on SwiftNIO's singleton event loops.
    public static let shared = Engine()

    let shards: [Shard]
    let options: EngineOptions
    let dialer: Dialer

    /// The clock of the engine and of its sessions' calls.
    package var clock: NetworkClock { options.clock }

    /// The clock, with an event loop for timers that belong to no connection.
    package var loopClock: LoopClock { LoopClock(options.clock, on: dialer.timers) }

    /// The engine's transfers, of which those in the background yield to those in the foreground.
    package let traffic = TransferTraffic()
    let permits: Permits
    let tunnelShards = TunnelShards()
    let proxyAuthentications = ProxyAuthentications()
    let grace: ShutdownGrace
    private let transports = Mutex(KnownTransports())

    /// Creates an engine with its own connections.
    ///
    /// - Parameter group: the event loops, which must outlive the engine; nil, the default, for SwiftNIO's singleton.
    public init(options: EngineOptions = EngineOptions(), group: (any EventLoopGroup)? = nil) {
        let group = group ?? MultiThreadedEventLoopGroup.singleton
        self.options = options
        let dialer = Dialer(options: options, timers: group.any())
        self.dialer = dialer
        permits = Permits(limit: max(1, options.maximumConnections))
        let grace = ShutdownGrace()
        self.grace = grace
        let shards = group.makeIterator().enumerated().map { index, loop in
            Shard(index: index, loop: loop, dialer: dialer, options: options, grace: grace)
        }
        self.shards = shards
        grace.onRelease { [weak self] in
            for shard in self?.shards ?? [] { shard.loop.execute { shard.checkDrained() } }
        }
    }

    /// Keeps the certificates of servers from now on, for the metrics of requests on new connections.
    package func keepCertificates() { dialer.keepsCertificates.store(true, ordering: .relaxed) }

    deinit {
        // Event loops may have been shut down before the engine, with all connections.
        guard permits.areInUse else { return }
        for shard in shards { shard.loop.execute { shard.engineIsGone() } }
    }

    /// Returns the transport for a trust configuration; equal policies share one transport.
    ///
    /// - Parameters:
    ///   - hosts: policies of single hosts, which take precedence over `policy`.
    ///   - identityOrigin: the origin that receives the policy's identity; nil for every server that asks.
    ///   - routing: proxies, dial policy, Unix domain socket and use of HTTP/2.
    package func transport(
        _ policy: SecurityPolicy = .system, hosts: HostPolicies = [:], identityOrigin: Origin? = nil,
        routing: RouteConfiguration = RouteConfiguration()
    ) -> EngineTransport {
        let origin = policy.hasIdentity ? identityOrigin : nil
        let configuration = EngineTransport.Configuration(
            policy: policy, hosts: hosts, identityOrigin: origin, routing: routing)
        return transports.withLock { $0.transport(configuration, of: self) }
    }

    /// Whether the current thread runs an event loop of any group.
    package static var isOnEventLoop: Bool { MultiThreadedEventLoopGroup.currentEventLoop != nil }

    /// The shard of the caller's event loop; nil outside the loops.
    var currentShard: Shard? {
        guard let current = MultiThreadedEventLoopGroup.currentEventLoop else { return nil }
        return shards.first { $0.loop === current }
    }

    /// Runs work whose tasks prefer the engine's event loops, which saves the hops between them and the network. The work must not
    /// block: no long computations, no blocking calls.
    public func onEventLoop<R: Sendable>(_ work: @Sendable () async throws -> R) async rethrows -> R {
        let turn = nextLoop.wrappingAdd(1, ordering: .relaxed).oldValue
        let shard = currentShard ?? shards[Int(UInt(bitPattern: turn) % UInt(shards.count))]
        return try await withTaskExecutorPreference(shard.executor) { try await work() }
    }

    /// Closes idle connections. The engine opens new ones as needed.
    public func closeIdleConnections() {
        for shard in shards { shard.loop.execute { shard.closeIdle() } }
    }

    private let nextLoop = Atomic<Int>(0)

    /// Forgets the origins kept for future sessions.
    private func forgetTransports() { transports.withLock { $0.forget() } }
}

/// The cancellation of many calls at once.
extension Engine {
    /// Cancels the calls under way whose scopes were cancelled.
    ///
    /// An attempt that is moving from the queue to a connection meanwhile notices the cancellation when it arrives.
    package func endCancelledCalls() {
        for endpoint in permits.endpoints { endpoint.endCancelledCalls() }
        for shard in shards {
            shard.loop.execute {
                for exchange in shard.active.members where exchange.call?.isScopeCancelled == true {
                    exchange.call?.cancel()
                }
            }
        }
    }
}

extension Endpoint {
    // Exchanges are collected first: a cancelled one removes itself from the queue, which must not happen while the queue is
    // locked.
    func endCancelledCalls() {
        let waiting: [Exchange] = change { queue in
            var found: [Exchange] = []
            queue.waiters.forEach { exchange, _ in
                if exchange.call?.isScopeCancelled == true { found.append(exchange) }
            }
            return found
        }
        for exchange in waiting { exchange.callCancelled() }
    }
}

// Descriptions and dumps stop here: an engine's connections belong to other threads, and their buffers hold requests with credentials.

extension Engine: CustomReflectable {
    /// Only the options.
    public var customMirror: Mirror { Mirror(self, children: ["options": options]) }
}

extension EngineTransport: CustomReflectable {
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension EngineSender: CustomReflectable {
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Shutdown of an engine that is not shared.
extension Engine {
    /// Waits until each event loop has run the work submitted so far, and the calls of user code that it posted.
    package func settle() async {
        // Posted calls run in a turn of their own, so one round would not see them.
        for _ in 0..<2 {
            for shard in shards { try? await shard.loop.submit {}.get() }
        }
    }

    /// Stops accepting requests and waits for those that have a connection, for at most the grace period.
    ///
    /// Requests that wait for a connection fail with `shutDown`, as do those still running at the end of the grace period.
    /// Cancelling the task ends the grace period at once.
    ///
    /// The event loops keep running. The shared engine is never shut down; this call only closes its idle connections.
    ///
    /// - Parameter grace: how long running requests may take; 30 s by default.
    public func shutDown(within grace: Duration = .seconds(30)) async {
        guard self !== Engine.shared else { return closeIdleConnections() }
        let drained = beginShutdown(within: grace)
        await withTaskCancellationHandler {
            for future in drained { try? await future.get() }
        } onCancel: {
            _ = beginShutdown(within: .zero)
        }
        self.grace.end()
        for endpoint in permits.endpoints { endpoint.endWaiting(isOver: true) }
        for shard in shards { shard.loop.execute { shard.graceIsOver() } }
        forgetTransports()
    }

    private func beginShutdown(within grace: Duration) -> [EventLoopFuture<Void>] {
        self.grace.begin()
        for endpoint in permits.endpoints { endpoint.endWaiting(isOver: false) }
        return shards.map { shard in
            let promise = shard.loop.makePromise(of: Void.self)
            shard.loop.execute { shard.shutDown(promise, grace: TimeAmount(clamping: grace)) }
            return promise.futureResult
        }
    }
}
