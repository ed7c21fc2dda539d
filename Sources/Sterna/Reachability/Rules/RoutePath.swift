/// The path to a destination that the routes of this machine give.
package struct RoutePath: Sendable, Hashable {
    /// The kind of the first link of a path; an unknown kind counts as cable.
    package enum Link: String, Sendable, Hashable {
        case cellular, wifi, cable
    }

    package enum Status: Sendable, Hashable {
        /// Not known yet, or not provided by the system.
        case unknown
        case notReachable
        case reachable(Link)
    }

    package var status: Status

    /// The families of addresses that have a path.
    package var families: Set<NetworkFamily> = []

    /// The name of the interface; nil without a path.
    package var interface: String?

    /// Whether traffic is paid for by volume; nil if neither the system nor the program says.
    package var isMetered: Bool?

    package init(_ status: Status) { self.status = status }

    package var isReachable: Bool {
        if case .reachable = status { true } else { false }
    }
}
