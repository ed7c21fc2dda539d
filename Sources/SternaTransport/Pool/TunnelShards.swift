import Synchronization

/// Assigns tunnels through a proxy to shards: to the shard with the connection that they share, or to any shard if the proxy takes
/// one tunnel on a connection.
final class TunnelShards: Sendable {
    private enum Place {
        case shard(Int)
        case anywhere
    }

    private let places = Mutex<[ProxyConnections.Key: Place]>([:])
    private static let mostRemembered = 1_024

    /// Returns the shard for a tunnel.
    ///
    /// - Parameter other: the shard if nothing is known of the proxy; later tunnels follow it there.
    func shard(for key: ProxyConnections.Key, otherwise other: Int) -> Int {
        places.withLock { places in
            switch places[key] {
            case .shard(let shard): return shard
            case .anywhere: return other
            case nil:
                if places.count >= Self.mostRemembered { places = [:] }
                places[key] = .shard(other)
                return other
            }
        }
    }

    /// Notes that a proxy takes one tunnel on a connection.
    func spread(_ key: ProxyConnections.Key) { places.withLock { $0[key] = .anywhere } }
}
