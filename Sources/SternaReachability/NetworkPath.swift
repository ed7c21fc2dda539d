package import Sterna
public import SternaCore

#if Foundation
import Foundation
#endif

/// The path to a destination: whether it can be reached, over which kind of link, and with which families of addresses.
public struct NetworkPath: Sendable, Hashable {
    /// The kind of the first link of a path.
    public enum Link: String, Sendable, Hashable, CaseIterable {
        /// A mobile network (WWAN).
        case cellular
        /// Wi-Fi (IEEE 802.11).
        case wifi
        /// Ethernet, and any link of an unknown kind, such as a tunnel.
        case cable
    }

    /// Whether the destination can be reached, according to the routes.
    public enum Status: Sendable, Hashable {
        /// Not known yet, or not provided by the system.
        case unknown
        /// The destination cannot be reached.
        case notReachable
        /// The destination can be reached, over this kind of link.
        case reachable(Link)
    }

    /// The result of a probe; see ``ReachabilityProbe``.
    public enum Confirmation: String, Sendable, Hashable {
        /// No probe is set, or there is no path for it.
        case notAsked
        /// The probe received the expected response.
        case confirmed
        /// Another party responds in place of the server, such as the sign-in page of a Wi-Fi for guests.
        case captivePortal
        /// The probe received no response.
        case failed
    }

    /// Whether the destination can be reached, and over which kind of link. With a probe, only a confirmed path counts as
    /// reachable.
    public internal(set) var status: Status

    /// The families of addresses that have a path.
    public internal(set) var families: Set<IPAddress.Family> = []

    /// The name of the interface, such as `eth0`; nil without a path.
    public internal(set) var interface: String?

    /// Whether traffic is paid for by volume; nil if the system does not say. Linux does not: see
    /// ``ReachabilityOptions/isMetered``.
    public internal(set) var isMetered: Bool?

    /// The result of the probe.
    public internal(set) var confirmation = Confirmation.notAsked

    init(_ status: Status) { self.status = status }

    /// Whether the destination can be reached.
    public var isReachable: Bool { link != nil }

    /// The kind of the first link; nil unless the destination can be reached.
    public var link: Link? {
        guard case .reachable(let link) = status else { return nil }
        return link
    }
}

extension NetworkPath.Status: CustomStringConvertible {
    /// A short text in English.
    public var description: String {
        switch self {
        case .unknown: "unknown"
        case .notReachable: "not reachable"
        case .reachable(.cellular): "reachable by cellular"
        case .reachable(.wifi): "reachable by Wi-Fi"
        case .reachable(.cable): "reachable by cable"
        }
    }

    /// A text for users: the entry for ``description`` in the program's table `Sterna.strings`, if it has one, else the English
    /// text.
    ///
    /// Without the trait `Foundation` it is always the English one.
    public var localizedDescription: String {
        #if Foundation
        Bundle.main.localizedString(forKey: description, value: description, table: "Sterna")
        #else
        description
        #endif
    }

    /// AFNetworking's number: -1 unknown, 0 not reachable, 1 reachable by cellular, 2 reachable by Wi-Fi or cable.
    public var number: Int {
        switch self {
        case .unknown: -1
        case .notReachable: 0
        case .reachable(.cellular): 1
        case .reachable(.wifi), .reachable(.cable): 2
        }
    }
}

extension NetworkPath: CustomStringConvertible {
    /// Such as `reachable by cable (eth0), IPv4 and IPv6`.
    public var description: String {
        var text = "\(status)"
        if let interface { text += " (\(interface))" }
        let names = families.map { $0 == .v4 ? "IPv4" : "IPv6" }.sorted()
        if !names.isEmpty { text += ", " + names.joined(separator: " and ") }
        if let isMetered { text += isMetered ? ", metered" : ", not metered" }
        switch confirmation {
        case .notAsked: break
        case .confirmed: text += ", confirmed"
        case .captivePortal: text += ", captive portal"
        case .failed: text += ", probe failed"
        }
        return text
    }
}

extension NetworkPath {
    /// Makes the path that the routes give.
    package init(_ route: RoutePath) {
        switch route.status {
        case .unknown: status = .unknown
        case .notReachable: status = .notReachable
        case .reachable(let link): status = .reachable(Link(link))
        }
        (families, interface, isMetered) = (route.families, route.interface, route.isMetered)
    }
}

extension NetworkPath.Link {
    package init(_ link: RoutePath.Link) {
        switch link {
        case .cellular: self = .cellular
        case .wifi: self = .wifi
        case .cable: self = .cable
        }
    }

    /// The link as the rules of routes know it.
    package var ofRoute: RoutePath.Link {
        switch self {
        case .cellular: .cellular
        case .wifi: .wifi
        case .cable: .cable
        }
    }
}
