/// Reports the state of the network: the system's, or a test's.
package protocol NetworkSource: Sendable {
    /// Begins to report the state and its changes, in order; nil if the system does not provide it. The first report may come at
    /// any time.
    ///
    /// The returned closure ends the reports; one that is under way may still come.
    func begin(_ report: @escaping @Sendable (NetworkTable?) -> Void) -> @Sendable () -> Void
}

extension NetworkSource where Self == SystemNetworkSource {
    static var system: SystemNetworkSource { SystemNetworkSource() }
}

#if !os(Linux) && !canImport(Network)
/// The source for a system that does not provide the state of its network.
package struct SystemNetworkSource: NetworkSource {
    package func begin(_ report: @escaping @Sendable (NetworkTable?) -> Void) -> @Sendable () -> Void {
        report(nil)
        return {}
    }
}
#endif

extension NetworkTable {
    /// Makes the table of a machine with links in the order in which the system prefers them, each with default routes.
    package init(
        links: [(name: String, kind: RoutePath.Link)], families: Set<NetworkFamily>, isMetered: Bool? = nil
    ) {
        self.init()
        var loopback = NetworkLink(
            index: 1,
            flags: NetlinkNumbers.LinkFlag.up | NetlinkNumbers.LinkFlag.running | NetlinkNumbers.LinkFlag.loopback,
            hardware: NetlinkNumbers.Hardware.loopback)
        loopback.name = "lo"
        add(loopback)
        for (number, entry) in links.prefix(64).enumerated() {
            let index = Int32(clamping: number + 2)
            var link = NetworkLink(
                index: index, flags: NetlinkNumbers.LinkFlag.up | NetlinkNumbers.LinkFlag.running,
                hardware: NetlinkNumbers.Hardware.ethernet)
            (link.name, link.knownKind, link.isMetered) = (entry.name, entry.kind, isMetered)
            add(link)
            for family in families {
                let (address, all) = family.documentation
                add(NetworkAddress(address: address, link: index))
                guard let prefix = all else { continue }
                add(NetworkRoute(prefix: prefix, metric: UInt32(clamping: number), hops: [.init(link: index)]))
            }
        }
    }
}
