import NIOCore
import SternaCore
import Synchronization

/// Connections that carry concurrent exchanges.
extension Shard {
    /// Adds a connection that a dial has opened, and starts waiting requests on it.
    func opened(_ connection: HTTP2Connection, by dial: Dial) {
        loop.assertInEventLoop()
        let endpoint = dial.endpoint
        let pool = endpoint.pools[index]
        guard connection.establish() else { return failedAtOnce(dial) }
        connection.opening = dial.timeline
        connection.tlsVersion = dial.timeline.tlsVersion
        endpoint.speaksHTTP2(on: index)
        endpoint.avoidsSharing.store(false, ordering: .relaxed)
        pool.streams.append(connection)
        list(pool)
        connection.isServing = true
        // Includes requests that need an unused connection: this one is unused.
        while connection.freeStreams > 0, let exchange = endpoint.takeWaiter(for: self, isUsed: false) {
            if takeIn(exchange) { connection.start(exchange) }
        }
        connection.isServing = false
        if connection.streams.isEmpty, !connection.isClosing { becameIdle(connection) }
        // Only now, so that no other connection is opened meanwhile for requests that this one serves.
        endpoint.change { $0.opened(dial) }
        endpoint.arrange()
    }

    /// Starts waiting requests on free streams, after a stream has ended or the peer has changed the limit.
    func streamsChanged(on connection: HTTP2Connection, hasEnded: Bool = false) {
        loop.assertInEventLoop()
        guard !connection.isServing else { return }
        connection.isServing = true
        if hasEnded, mustYield(connection) { connection.state.retire() }
        for endpoint in connection.endpoints {
            if !hasEnded { holdChanged(endpoint) }
            while endpoint.hasWaiters, connection.freeStreams > 0,
                let exchange = endpoint.takeWaiter(for: self, isUsed: true, unless: { connection.takes($0) })
            {
                if takeIn(exchange) { connection.start(exchange) }
            }
            if endpoint.hasWaiters { endpoint.arrange() }
        }
        connection.isServing = false
        guard connection.streams.isEmpty, !connection.isClosing else { return }
        // At once: an orderly TLS close would hold the permit until the peer agrees, for up to half a second.
        if connection.isRetired, connection.usesWhileWaitedFor > 4 { return connection.abort() }
        becameIdle(connection)
    }

    /// Records whether a peer here takes no streams at the moment: more connections would not change that.
    func holdChanged(_ endpoint: Endpoint) {
        loop.assertInEventLoop()
        let pool = endpoint.pools[index]
        let isOnHold = pool.streams.contains(where: \.isOnHold)
        guard isOnHold != pool.isOnHold else { return }
        pool.isOnHold = isOnHold
        endpoint.holds.wrappingAdd(isOnHold ? 1 : -1, ordering: .relaxed)
    }

    // The connection takes only a few more requests once an endpoint without any connection waits for its permit.
    private func mustYield(_ connection: HTTP2Connection) -> Bool {
        guard connection.endpoint.permits.isNeedy else {
            connection.usesWhileWaitedFor = 0
            return false
        }
        connection.usesWhileWaitedFor += 1
        return connection.usesWhileWaitedFor > 4
    }

    private func becameIdle(_ connection: HTTP2Connection) {
        connection.hasStoodIdle = true
        if keepsNone { return connection.close() }
        let endpoint = connection.endpoint
        if endpoint.permits.isStarving || endpoint.lacksFreshConnection {
            endpoint.pools[index].closeOldest()
        } else {
            tickNoLater(than: connection.idleLimit)
        }
    }

    /// Removes a closed connection.
    func closed(_ connection: HTTP2Connection) {
        loop.assertInEventLoop()
        for endpoint in connection.endpoints {
            endpoint.pools[index].streams.removeAll { $0 === connection }
            holdChanged(endpoint)
        }
        counts.open -= 1
        connection.endpoint.lost(on: index)
        for endpoint in connection.endpoints { endpoint.arrange() }
        checkDrained()
    }

    /// Ends a dial that has found another origin's connection, and starts the waiting requests there.
    func shares(_ connection: HTTP2Connection, by dial: Dial) {
        let endpoint = dial.endpoint
        connection.shard.loop.execute {
            let isThere = connection.serve(endpoint)
            endpoint.avoidsSharing.store(!isThere, ordering: .relaxed)
            endpoint.change { _ = $0.gaveUp(dial) }
            endpoint.lost(on: dial.shard.index)
            if isThere { connection.shard.streamsChanged(on: connection) }
            endpoint.arrange()
            self.loop.execute { self.checkDrained() }
        }
    }
}
