import NIOCore
import SternaCore
import Synchronization

/// Connections that carry many exchanges at a time.
extension Shard {
    /// Sends a request on such a connection, if one takes it.
    func startOnStream(_ exchange: Exchange) -> Bool {
        for connection in exchange.endpoint.pools[index].streams where connection.takes(exchange) {
            connection.start(exchange)
            return true
        }
        return false
    }

    /// A dial has brought such a connection: it takes whoever waits.
    func opened(_ connection: HTTP2Connection, by dial: Dial) {
        let endpoint = dial.endpoint
        let pool = endpoint.pools[index]
        guard connection.establish() else { return failedAtOnce(dial) }
        connection.opening = dial.timeline
        connection.tlsVersion = dial.timeline.tlsVersion
        endpoint.speaksHTTP2(on: index)
        pool.streams.append(connection)
        list(pool)
        let first = pool.state.opened()
        disown(dial)
        connection.isServing = true
        if let first { give(connection, to: first) }
        // Also those who want what nobody has used: it is as good as that.
        while connection.freeStreams > 0, let next = pool.state.popFirst() { give(connection, to: next) }
        connection.isServing = false
        if connection.streams.isEmpty, !connection.isClosing { becameIdle(connection) }
        dialIfNeeded(endpoint)
    }

    private func give(_ connection: HTTP2Connection, to exchange: Exchange) {
        leaveLine(exchange.endpoint)
        let own = exchange.dial
        connection.start(exchange)
        if let own { handOn(own) }
    }

    /// A stream has ended, or the peer allows another number of them: whoever waits takes what is free.
    func streamsChanged(on connection: HTTP2Connection, hasEnded: Bool = false) {
        guard !connection.isServing else { return }
        connection.isServing = true
        if hasEnded, mustYield(connection) { connection.isRetired = true }
        for endpoint in connection.endpoints {
            let pool = endpoint.pools[index]
            while connection.freeStreams > 0, !pool.state.line.isEmpty, let exchange = pool.state.released() {
                give(connection, to: exchange)
            }
            if !pool.state.line.isEmpty { dialIfNeeded(endpoint) }
        }
        connection.isServing = false
        guard connection.streams.isEmpty, !connection.isClosing else { return }
        // At once: TLS closed in order would hold the permit for as long as the peer likes.
        if connection.isRetired, connection.usesWhileWaitedFor > 4 { return connection.abort() }
        becameIdle(connection)
    }

    // Where others wait for its permit who have no connection at all, it takes nobody any more after a few more requests.
    private func mustYield(_ connection: HTTP2Connection) -> Bool {
        guard connection.endpoint.permits.isNeedy || connection.endpoint.isNeeded.load(ordering: .relaxed) else {
            connection.usesWhileWaitedFor = 0
            return false
        }
        connection.usesWhileWaitedFor += 1
        return connection.usesWhileWaitedFor > 4
    }

    private func becameIdle(_ connection: HTTP2Connection) {
        connection.hasStoodIdle = true
        if isShutDown { return connection.close() }
        if !spareIdle(of: connection.endpoint) { tickNoLater(than: connection.idleLimit) }
    }

    /// Such a connection is gone.
    func closed(_ connection: HTTP2Connection) {
        for endpoint in connection.endpoints { endpoint.pools[index].streams.removeAll { $0 === connection } }
        counts.open -= 1
        connection.endpoint.permits.give(connection.endpoint, shard: index)
        for endpoint in connection.endpoints { dialIfNeeded(endpoint) }
        checkDrained()
    }

    /// Looks after the connections of a pool; returns when to look again.
    func lookAtStreams(of pool: EndpointPool, at now: NIODeadline) -> NIODeadline {
        var next = NIODeadline.distantFuture
        for connection in pool.streams {
            if !connection.streams.isEmpty {
                next = min(next, connection.lookAtHealth(at: now))
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
}
