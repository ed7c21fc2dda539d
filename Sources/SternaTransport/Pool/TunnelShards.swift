import Synchronization

/// Assigns tunnels through a proxy to shards: to the shard with the connection that they share, or to any shard if the proxy takes
/// one tunnel on a connection.
final class TunnelShards: Sendable {
    private enum Assignment {
        case shard(Int)
        case anywhere
    }

    private let assignments = Mutex<[ProxyConnections.Key: Assignment]>([:])
    private static let mostRemembered = 1_024

    /// Returns the shard for a tunnel.
    ///
    /// - Parameter other: the shard if nothing is known of the proxy; later tunnels follow it there.
    func shard(for key: ProxyConnections.Key, otherwise other: Int) -> Int {
        assignments.withLock { assignments in
            switch assignments[key] {
            case .shard(let shard): return shard
            case .anywhere: return other
            case nil:
                if assignments.count >= Self.mostRemembered { assignments = [:] }
                assignments[key] = .shard(other)
                return other
            }
        }
    }

    /// Notes that a proxy takes one tunnel on a connection.
    func spread(_ key: ProxyConnections.Key) { assignments.withLock { $0[key] = .anywhere } }
}
