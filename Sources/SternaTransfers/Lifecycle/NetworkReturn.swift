import SternaReachability
import Synchronization

/// Notifies a store that the network has returned, while it has transfers.
final class NetworkReturn: Sendable {
    private let watch = Mutex<Task<Void, Never>?>(nil)

    deinit { end() }

    /// Begins to watch. Has no effect if it watches already, or without `reachability`.
    func begin(_ reachability: NetworkReachability?, _ returned: @escaping @Sendable () async -> Void) {
        guard let reachability else { return }
        watch.withLock { watch in
            guard watch == nil else { return }
            watch = Task { [updates = reachability.updates] in
                var isAway = false
                var interface: String?
                for await path in updates {
                    // A waiting transfer may have failed over the previous interface.
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
