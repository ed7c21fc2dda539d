import NIOCore
public import SternaCore

/// A snapshot of an engine's connections and its counters so far: the figures of its connection pool, in all and by origin.
public struct EngineStatistics: Sendable, Hashable {
    /// The connections to one origin with one trust configuration and one route.
    public struct OriginCounts: Sendable, Hashable {
        public let origin: Origin

        /// Connections that are open or being opened.
        public internal(set) var open = 0

        /// Open connections without a request.
        public internal(set) var idle = 0

        /// Connections that are being opened.
        public internal(set) var dialling = 0

        /// Requests that wait for a connection.
        public internal(set) var waiting = 0

        /// Open connections with at least one request, or with the rest of a response that is discarded.
        public var busy: Int { max(0, open - idle - dialling) }
    }

    /// Origins with open connections or waiting requests.
    public internal(set) var origins: [OriginCounts] = []

    /// Requests in progress, including those that wait for a connection.
    public internal(set) var activeRequests = 0

    /// Requests sent; each attempt counts.
    public internal(set) var requests = 0

    /// Requests sent on a connection that had been used before.
    public internal(set) var reuses = 0

    /// Attempts to open a connection.
    public internal(set) var dials = 0

    /// Attempts to open a connection that failed.
    public internal(set) var failedDials = 0

    /// Connections that are open or being opened.
    public var openConnections: Int { origins.reduce(0) { $0 + $1.open } }

    /// Open connections without a request.
    public var idle: Int { origins.reduce(0) { $0 + $1.idle } }

    /// Open connections with a request.
    public var busy: Int { origins.reduce(0) { $0 + $1.busy } }

    /// Connections that are being opened.
    public var dialling: Int { origins.reduce(0) { $0 + $1.dialling } }

    /// Requests that wait for a connection.
    public var waiting: Int { origins.reduce(0) { $0 + $1.waiting } }
}

extension Engine {
    /// Returns the current statistics. The event loops are asked one after another, so the numbers are not from a single moment.
    public func statistics() async -> EngineStatistics {
        var statistics = EngineStatistics()
        let endpoints = permits.endpoints
        for shard in shards {
            let (counts, active) =
                (try? await shard.loop.submit { (shard.counts, shard.active.count) }.get()) ?? (ShardCounts(), 0)
            statistics.activeRequests += active
            statistics.requests += counts.requests
            statistics.reuses += counts.reuses
            statistics.dials += counts.dials
            statistics.failedDials += counts.failedDials
        }
        for endpoint in endpoints {
            var counts = EngineStatistics.OriginCounts(origin: endpoint.origin)
            counts.open = endpoint.permits.open(of: endpoint)
            (counts.dialling, counts.waiting) = endpoint.change { ($0.dials.count, $0.waiters.count) }
            statistics.activeRequests += counts.waiting
            for pool in endpoint.pools {
                let idle = try? await pool.shard.loop.submit {
                    pool.idle.count + pool.resting.count + pool.streams.count { $0.streams.isEmpty }
                }.get()
                counts.idle += idle ?? 0
            }
            if counts.open > 0 || counts.waiting > 0 { statistics.origins.append(counts) }
        }
        return statistics
    }
}
