public import SternaCore
import SternaPlatform

#if Foundation
import Foundation
#endif

/// How the network reaches a destination: whether it does, over what, and by which families of addresses.
public struct NetworkPath: Sendable, Hashable {
    /// What the packets run over first.
    public enum Link: String, Sendable, Hashable, CaseIterable {
        /// A mobile network (WWAN).
        case cellular
        case wifi
        /// Ethernet, and whatever is not known to be another kind, such as a tunnel.
        case cable
    }

    /// Whether the destination can be reached, as the routes say.
    public enum Status: Sendable, Hashable {
        /// Nothing is known yet, or the system does not tell.
        case unknown
        case notReachable
        case reachable(Link)
    }

    /// What a probe has found; see ``ReachabilityProbe``.
    public enum Confirmation: String, Sendable, Hashable {
        /// There is no probe, or no path to send it on.
        case notAsked
        /// The probe had the expected answer.
        case confirmed
        /// Something else answers in place of the server, such as the page on which guests of a Wi-Fi sign in.
        case captivePortal
        /// The probe had no answer.
        case failed
    }

    /// Whether the destination can be reached, and over what. With a probe, only what was confirmed is reachable.
    public internal(set) var status: Status

    /// The families of addresses that have a path.
    public internal(set) var families: Set<IPAddress.Family> = []

    /// The name of the interface, such as `eth0`; nil without a path.
    public internal(set) var interface: String?

    /// Whether each byte costs; nil if the system does not say. Linux does not: see ``ReachabilityOptions/isMetered``.
    public internal(set) var isMetered: Bool?

    /// What the probe has found.
    public internal(set) var confirmation = Confirmation.notAsked

    package init(_ status: Status) { self.status = status }

    /// Whether the destination can be reached.
    public var isReachable: Bool { link != nil }

    /// What the packets run over; nil without a path.
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

    /// A text for users: that of the program's table `Sterna.strings` under ``description``, if it has one, else the English text.
    ///
    /// Without the trait `Foundation` it is always the English one.
    public var localizedDescription: String {
        #if Foundation
        Bundle.main.localizedString(forKey: description, value: description, table: "Sterna")
        #else
        description
        #endif
    }

    /// AFNetworking's number: -1 unknown, 0 not reachable, 1 by cellular, 2 by Wi-Fi or, as there on a Mac, by cable.
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
