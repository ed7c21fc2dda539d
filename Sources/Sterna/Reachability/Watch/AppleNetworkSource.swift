#if canImport(Network)
import Dispatch
import Network

/// Reports the state of the network by Network.framework.
package struct SystemNetworkSource: NetworkSource {
    package func begin(_ report: @escaping @Sendable (NetworkTable?) -> Void) -> @Sendable () -> Void {
        let monitor = NWPathMonitor()
        monitor.pathUpdateHandler = { path in
            var families: Set<NetworkFamily> = []
            if path.supportsIPv4 { families.insert(.v4) }
            if path.supportsIPv6 { families.insert(.v6) }
            let links = path.availableInterfaces.map { interface -> (name: String, kind: RoutePath.Link) in
                switch interface.type {
                case .cellular: (interface.name, .cellular)
                case .wifi: (interface.name, .wifi)
                default: (interface.name, .cable)
                }
            }
            report(
                NetworkTable(
                    links: path.status == .satisfied ? links : [], families: families, isMetered: path.isExpensive))
        }
        monitor.start(queue: DispatchQueue(label: "sterna.network"))
        return { monitor.cancel() }
    }
}
#endif
