import NIOCore
import Synchronization

/// One shard's connections to an endpoint.
// Invariant: the stored `var`s are touched on the shard's event loop only.
final class EndpointPool: @unchecked Sendable {
    let shard: Shard

    /// Idle connections; the most recently used one is last.
    // Invariant: accesses never overlap, since none of them calls other code.
    @exclusivity(unchecked) private(set) var idle: [HTTP1Connection] = []

    /// Connections that carry concurrent exchanges.
    // Invariant: accesses never overlap, since searches call no code that changes it.
    @exclusivity(unchecked) var streams: [HTTP2Connection] = []

    /// Whether the shard lists this pool among those that may have idle connections.
    var isListed = false

    /// Whether connections are being assigned to waiters. Prevents a connection that ends at once from serving others
    /// re-entrantly.
    var isServing = false
    var mustServeMore = false

    /// Whether a peer takes no streams at the moment.
    var isOnHold = false

    /// Connections that are about to be idle, after a HEAD.
    private(set) var resting: [HTTP1Connection] = []

    // Connections that are about to be free: as many waiters need no dial.
    private let expected = Atomic<Int>(0)

    // Idle connections that no arriving request has reserved.
    private let unreserved = Atomic<Int>(0)

    init(shard: Shard) { self.shard = shard }

    // MARK: From any thread

    /// Reserves an idle connection for a request that is about to arrive. Returns whether there was one.
    func reserve() -> Bool {
        guard unreserved.load(ordering: .sequentiallyConsistent) > 0 else { return false }
        if unreserved.wrappingSubtract(1, ordering: .sequentiallyConsistent).oldValue > 0 { return true }
        unreserved.wrappingAdd(1, ordering: .sequentiallyConsistent)
        return false
    }

    /// Gives back a reservation that is not needed.
    func giveBackReservation() { unreserved.wrappingAdd(1, ordering: .sequentiallyConsistent) }

    /// The number of unreserved idle connections; possibly out of date outside the event loop.
    var spareCount: Int { max(0, unreserved.load(ordering: .sequentiallyConsistent)) }

    /// Announces a connection that is about to be free, before a request looks for one.
    func expectConnection() { expected.wrappingAdd(1, ordering: .sequentiallyConsistent) }

    /// Takes an announcement back; ``Endpoint/endExpectation(on:)`` also serves the waiters.
    func endExpectation() { expected.wrappingSubtract(1, ordering: .sequentiallyConsistent) }

    /// The number of connections that are about to be free.
    var expectedCount: Int { max(0, expected.load(ordering: .sequentiallyConsistent)) }

    // MARK: On the event loop

    /// Adds a connection that is about to be idle.
    func rest(_ connection: HTTP1Connection) {
        shard.loop.assertInEventLoop()
        resting.append(connection)
    }

    /// Removes a connection from those that are about to be idle, if it is one.
    func hasRested(_ connection: HTTP1Connection) {
        shard.loop.assertInEventLoop()
        resting.removeAll { $0 === connection }
    }

    /// Adds a connection to the idle ones.
    func keep(_ connection: HTTP1Connection) {
        shard.loop.assertInEventLoop()
        idle.append(connection)
        unreserved.wrappingAdd(1, ordering: .sequentiallyConsistent)
    }

    /// Takes the most recently used idle connection for a reservation; nil if none is left.
    func takeReserved() -> HTTP1Connection? {
        shard.loop.assertInEventLoop()
        while let connection = idle.popLast() {
            if connection.isUsable { return connection }
            connection.close()
            // The next connection may be reserved for another request.
            guard reserve() else { return nil }
        }
        giveBackReservation()
        return nil
    }

    // Takes the idle connection that has been unused for longest.
    private func takeOldest() -> HTTP1Connection? {
        guard !idle.isEmpty else { return nil }
        unreserved.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        return idle.removeFirst()
    }

    /// Closes an idle connection, or an unused one that carries concurrent exchanges. Returns false if there is none.
    @discardableResult
    func closeOldest() -> Bool {
        shard.loop.assertInEventLoop()
        // At once: an orderly TLS close would hold the permit until the peer agrees, for up to half a second.
        if let connection = takeOldest() {
            connection.abort(evenIfClosing: true)
            return true
        }
        guard let unused = streams.first(where: { $0.isUnused && $0.takesWrites }) else { return false }
        unused.abort()
        return true
    }

    /// Closes the connections without exchanges.
    func closeIdle() {
        for connection in idle + resting { connection.close() }
        for connection in streams where connection.isUnused { connection.close() }
    }

    /// Closes all connections at once, except those that carry an HTTP/1 exchange.
    func abandonAll() {
        for connection in idle + resting { connection.abort(evenIfClosing: true) }
        for connection in streams { connection.abort(evenIfClosing: true) }
    }

    /// The number of connections whose limits are checked.
    var count: Int { idle.count + resting.count + streams.count }

    /// Checks the limits of the connections. Returns when to check again.
    func check(at now: NIODeadline) -> NIODeadline {
        shard.loop.assertInEventLoop()
        var next = NIODeadline.distantFuture
        for connection in idle {
            if connection.idleLimit <= now { connection.close() } else { next = min(next, connection.idleLimit) }
        }
        for connection in streams {
            if !connection.isUnused {
                next = min(next, connection.checkHealth(at: now))
            } else if connection.isOverdue {
                connection.abort()
            } else if connection.idleLimit <= now {
                connection.close()
            } else {
                next = min(next, connection.idleLimit)
            }
        }
        return next
    }

    /// Removes a closed connection.
    func lost(_ connection: HTTP1Connection) {
        shard.loop.assertInEventLoop()
        guard let position = idle.lastIndex(where: { $0 === connection }) else { return }
        idle.remove(at: position)
        unreserved.wrappingSubtract(1, ordering: .sequentiallyConsistent)
    }
}
