import Sterna
import Synchronization

/// Tells a store that the network has returned, while there are transfers.
final class NetworkReturn: Sendable {
    private let watch = Mutex<Task<Void, Never>?>(nil)

    deinit { end() }

    /// Begins to watch, unless that was done before. Without `reachability` it watches nothing.
    func begin(_ reachability: NetworkReachability?, _ returned: @escaping @Sendable () async -> Void) {
        guard let reachability else { return }
        watch.withLock { watch in
            guard watch == nil else { return }
            watch = Task { [updates = reachability.updates] in
                var isAway = false
                var interface: String?
                for await path in updates {
                    // What waits for another attempt may have failed over the interface before.
                    let hasMoved = interface != nil && path.interface != interface
                    if path.isReachable, isAway || hasMoved { await returned() }
                    isAway = path.status == .notReachable
                    if path.isReachable { interface = path.interface }
                }
            }
        }
    }

    func end() { watch.withLock { $0.take() }?.cancel() }
}
