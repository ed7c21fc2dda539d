import SternaCore

/// The links, addresses and routes of a machine: a value that messages change.
package struct NetworkTable: Sendable, Hashable {
    /// The maximum number of links, addresses and routes, each. Default routes may exceed it, up to twice that number.
    static let limit = 16_384

    package private(set) var links: [Int32: NetworkLink] = [:]
    package private(set) var addresses: Set<NetworkAddress> = []

    /// Routes by prefix, so that a search need not visit all.
    private(set) var routes: [IPPrefix: Set<NetworkRoute>] = [:]
    private var routeCount = 0

    package init() {}

    // MARK: Changes

    package mutating func add(_ link: NetworkLink) {
        guard links.count < Self.limit || links[link.index] != nil else { return }
        links[link.index] = link.completed(by: links[link.index])
    }

    package mutating func add(_ address: NetworkAddress) {
        guard addresses.count < Self.limit else { return }
        // The same address with other flags.
        if let known = addresses.first(where: { $0.link == address.link && $0.address == address.address }) {
            addresses.remove(known)
        }
        addresses.insert(address)
    }

    package mutating func add(_ route: NetworkRoute) {
        typealias Table = NetlinkNumbers.Table
        guard [Table.local, Table.main, Table.fallback].contains(route.table), route.kind != .other else { return }
        guard routeCount < Self.limit || isDefault(route) && routeCount < 2 * Self.limit else { return }
        if routes[route.prefix, default: []].insert(route).inserted { routeCount += 1 }
    }

    /// Removes a route; returns whether it was there.
    package mutating func remove(_ route: NetworkRoute) -> Bool {
        guard routes[route.prefix]?.remove(route) != nil else { return false }
        routeCount -= 1
        if routes[route.prefix]?.isEmpty == true { routes[route.prefix] = nil }
        return true
    }

    private func isDefault(_ route: NetworkRoute) -> Bool { route.prefix.length <= 3 }

    mutating func setWireless(_ isWireless: Bool, _ index: Int32) { links[index]?.isWireless = isWireless }

    /// Applies a message. Returns whether more may have changed than the message says, so that a new dump is needed.
    mutating func apply(_ message: NetlinkMessage) -> Bool {
        switch message.content {
        case .link(let link):
            let known = links[link.index]
            add(link)
            // The kernel drops the IPv4 routes over a link that goes down, and marks those over one without a carrier, without a
            // message.
            guard let known, let new = links[link.index] else { return false }
            return known.isUp != new.isUp || known.isRunning != new.isRunning
        case .linkGone(let index):
            links[index] = nil
            addresses = addresses.filter { $0.link != index }
            return true
        case .address(let address):
            add(address)
            return false
        case .addressGone(let gone):
            let before = addresses.count
            addresses = addresses.filter { $0.link != gone.link || $0.address != gone.address }
            // The kernel may have removed routes with it, without a message.
            return addresses.count != before
        case .route(let route):
            let flags = message.flags & (NetlinkNumbers.Flag.replace | NetlinkNumbers.Flag.append)
            if flags & NetlinkNumbers.Flag.replace != 0 {
                for known in routes[route.prefix] ?? [] where known.key == route.key { _ = remove(known) }
            }
            add(route)
            return flags != 0
        case .routeGone(let route):
            guard [NetlinkNumbers.Table.main, NetlinkNumbers.Table.fallback].contains(route.table) else {
                _ = remove(route)
                return false
            }
            return !remove(route)
        case .done, .error, .overrun, .other: return false
        }
    }

    /// Whether a running link other than the loopback has an address, so that hosts of a connected network may be reached without a
    /// default route.
    package var isConnected: Bool {
        addresses.contains { address in
            guard address.isUsable, let link = links[address.link] else { return false }
            return !link.isLoopback && link.isRunning
        }
    }

    /// The links that are not yet known to be Wi-Fi or not.
    var unclassified: [NetworkLink] { links.values.filter(\.mayBeWireless).sorted { $0.index < $1.index } }
}
