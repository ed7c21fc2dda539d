import SternaCore
import Synchronization

/// The servers that dimensions name: the first ones that were seen, up to a limit.
final class ServerLabels: Sendable {
    /// A name that stands for all servers beyond the limit.
    static let other = "_OTHER"

    private struct Server: Hashable {
        let host: String
        let port: Int
    }

    private let most: Int
    private let known = Mutex<[Server: [(String, String)]]>([:])

    init(most: Int) { self.most = max(0, most) }

    /// Returns the dimensions of a server.
    func dimensions(host: String, port: Int) -> [(String, String)] {
        let server = Server(host: host, port: port)
        return known.withLock { known in
            if let dimensions = known[server] { return dimensions }
            guard known.count < most else { return [("server.address", Self.other)] }
            let dimensions = [("server.address", host), ("server.port", "\(port)")]
            known[server] = dimensions
            return dimensions
        }
    }
}
