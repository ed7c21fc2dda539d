import NIOCore
import Synchronization

/// One shard's connections to an endpoint.
// Invariant: the stored `var`s are touched on the shard's event loop only.
final class EndpointPool: @unchecked Sendable {
    let shard: Shard

    /// Connections that nothing uses, the one used last at the end.
    private(set) var idle: [HTTP1Connection] = []

    /// Connections that carry many exchanges at a time.
    var streams: [HTTP2Connection] = []

    /// Whether the shard knows that idle connections may be here.
    var isListed = false

    /// Whether connections are being given to those that wait, so that one that ends at once serves nothing within itself.
    var isServing = false
    var mustServeMore = false

    /// Whether a peer takes no streams at the moment.
    var isOnHold = false

    // Idle connections that no request on its way here counts on.
    private let unreserved = Atomic<Int>(0)

    init(shard: Shard) { self.shard = shard }

    // MARK: Seen from everywhere

    /// Sets an idle connection aside for a request that is about to come.
    func reserve() -> Bool {
        guard unreserved.load(ordering: .sequentiallyConsistent) > 0 else { return false }
        if unreserved.wrappingSubtract(1, ordering: .sequentiallyConsistent).oldValue > 0 { return true }
        unreserved.wrappingAdd(1, ordering: .sequentiallyConsistent)
        return false
    }

    /// A connection that was set aside is not needed.
    func giveBackReservation() { unreserved.wrappingAdd(1, ordering: .sequentiallyConsistent) }

    /// How many idle connections there are to be had; seen from outside the loop, so it may be past.
    var spareCount: Int { max(0, unreserved.load(ordering: .sequentiallyConsistent)) }

    // MARK: On the event loop

    /// Keeps a connection for later.
    func keep(_ connection: HTTP1Connection) {
        idle.append(connection)
        unreserved.wrappingAdd(1, ordering: .sequentiallyConsistent)
    }

    /// The idle connection that was used last, for one that has set one aside; nil where there is none any more.
    func takeReserved() -> HTTP1Connection? {
        while let connection = idle.popLast() {
            if connection.isUsable { return connection }
            connection.close()
            // The next one must not be what another request counts on.
            guard reserve() else { return nil }
        }
        giveBackReservation()
        return nil
    }

    /// The idle connection that nothing has used for longest.
    func takeOldest() -> HTTP1Connection? {
        guard !idle.isEmpty else { return nil }
        unreserved.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        return idle.removeFirst()
    }

    /// A connection is gone.
    func lost(_ connection: HTTP1Connection) {
        guard let position = idle.lastIndex(where: { $0 === connection }) else { return }
        idle.remove(at: position)
        unreserved.wrappingSubtract(1, ordering: .sequentiallyConsistent)
    }
}
