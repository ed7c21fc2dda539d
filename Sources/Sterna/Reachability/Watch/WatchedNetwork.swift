/// The network whose return the requests of a session wait for: the reachability of SternaReachability, or the system's.
package protocol WatchedNetwork: Sendable {
    /// Reports the network's state.
    var watch: NetworkWatch { get }

    /// The program's knowledge of links.
    var facts: LinkFacts { get }
}

/// The network of this machine, of whose links only the system's knowledge counts.
struct SystemNetwork: WatchedNetwork {
    var watch: NetworkWatch { .system }
    var facts: LinkFacts { LinkFacts() }
}
