package import SternaCore

/// Finds the path to a destination in a table, by pure functions.
package struct PathRule {
    let table: NetworkTable

    /// The program's knowledge of links, which the kernel does not have.
    let facts: LinkFacts

    package init(table: NetworkTable, facts: LinkFacts = LinkFacts()) { (self.table, self.facts) = (table, facts) }

    private enum Answer {
        case none
        case over(NetworkLink?)
    }

    /// Returns the path to the first of some addresses that has one.
    package func path(to addresses: [IPAddress]) -> RoutePath {
        path(addresses.map { address in (address.unmapped.family, answer(to: address.unmapped)) })
    }

    /// Returns the path to the Internet: by the default route of either family, or by two routes for one half each, as tunnels set
    /// them.
    package var defaultPath: RoutePath {
        let v6 = answer(to: IPAddress(v6: 0x2000 << 48, 0), longest: 3)
        let lower = answer(to: IPAddress(v4: 0), longest: 1)
        var v4 = lower
        if case .none = answer(to: IPAddress(v4: 1 << 31), longest: 1) { v4 = .none }
        return path([(.v4, v4), (.v6, v6)])
    }

    private func path(_ answers: [(IPAddress.Family, Answer)]) -> RoutePath {
        var path = RoutePath(.notReachable)
        for case (let family, .over(let link)) in answers {
            path.families.insert(family)
            guard !path.isReachable else { continue }
            path.status = .reachable(link.map { LinkRule(table: table, facts: facts).kind(of: $0) } ?? .cable)
            path.interface = link?.name
            path.isMetered = link.flatMap { facts.isMetered?($0.name) ?? $0.isMetered }
        }
        return path
    }

    /// Returns the link that the routes select for an address.
    ///
    /// - Parameter longest: the length in bits of the longest prefix to consider.
    private func answer(to address: IPAddress, longest: Int = 128) -> Answer {
        typealias Table = NetlinkNumbers.Table
        if longest == 128, let link = localLink(of: address) { return .over(link) }
        for number in [Table.local, Table.main, Table.fallback] {
            guard let routes = best(in: number, for: address, longest) else { continue }
            // Routes of one length and metric share the traffic.
            switch routes[0].kind {
            case .passedOn, .other: continue
            case .local: return .over(table.links.values.first(where: \.isLoopback))
            case .refused: return .none
            case .unicast:
                for route in routes where route.kind == .unicast {
                    if let answer = answer(of: route) { return answer }
                }
                return .none
            }
        }
        return .none
    }

    /// Returns the loopback link for a loopback address, which needs no route in the table.
    private func localLink(of address: IPAddress) -> NetworkLink?? {
        let isLoopback =
            address.family == .v4 ? address.bytes.first == 127 : address == IPAddress(v6: 0, 1)
        guard isLoopback, let link = table.links.values.first(where: \.isLoopback), link.isUp else { return nil }
        return .some(link)
    }

    /// Returns the routes of the longest prefix, and of these the lowest metric, that are not dead; nil for none.
    private func best(in number: UInt32, for address: IPAddress, _ longest: Int) -> [NetworkRoute]? {
        let width = address.family == .v4 ? 32 : 128
        for length in stride(from: min(width, longest), through: 0, by: -1) {
            guard let prefix = IPPrefix(address, length: length), let all = table.routes[prefix] else { continue }
            let alive = all.filter { route in
                route.table == number
                    && (route.kind != .unicast || route.hops.isEmpty || !route.hops.allSatisfy(\.isDead))
            }
            guard let metric = alive.map(\.metric).min() else { continue }
            // Sorted, so that the answer does not depend on the order of a set.
            return alive.filter { $0.metric == metric }.sorted {
                ($0.hops.first?.link ?? 0) < ($1.hops.first?.link ?? 0)
            }
        }
        return nil
    }

    /// Returns the link of a route; nil if none of its links can be used.
    private func answer(of route: NetworkRoute) -> Answer? {
        let family = route.prefix.address.family
        // A route by a nexthop object may name no link.
        guard !route.hops.isEmpty else { return route.hasSource || hasAddress(family, on: nil) ? .over(nil) : nil }
        for hop in route.hops where !hop.isDead {
            guard let link = table.links[hop.link], link.isRunning else { continue }
            guard route.hasSource || isLinkLocal(route.prefix) || hasAddress(family, on: link) else { continue }
            return .over(link)
        }
        return nil
    }

    private func isLinkLocal(_ prefix: IPPrefix) -> Bool {
        prefix.length >= 10 && prefix.address.bytes.starts(with: [0xFE, 0x80])
            || prefix.length >= 16 && prefix.address.bytes.starts(with: [169, 254])
    }

    /// Whether connections over a link have a source address: one of its own, or of any other link (RFC 6724, 5).
    private func hasAddress(_ family: IPAddress.Family, on link: NetworkLink?) -> Bool {
        table.addresses.contains { address in
            address.address.family == family && address.isUsable
                && (table.links[address.link].map { $0.isUp } ?? false)
        }
    }
}

/// A program's knowledge of its links, which the kernel does not have.
package struct LinkFacts: Sendable {
    package var kind: (@Sendable (String) -> RoutePath.Link?)?
    package var isMetered: (@Sendable (String) -> Bool?)?

    package init() {}
}

/// Determines the kind of a link.
struct LinkRule {
    let table: NetworkTable
    var facts = LinkFacts()

    /// Drivers of modems. Modems that appear as Ethernet can be recognized only by the conventions for their names.
    private static let modemDrivers: Set<String> = ["wwan", "rmnet", "mhi_net"]
    private static let modemNames = ["wwan", "wwp", "wws", "wwx", "rmnet"]

    /// Drivers of interfaces that pass packets on to the one below.
    private static let upperDrivers: Set<String> = ["vlan", "macvlan", "macvtap", "ipvlan", "ipvtap", "macsec"]

    /// Drivers of interfaces that pass packets on to their member interfaces.
    private static let masters: Set<String> = ["bridge", "bond", "team"]

    /// Returns the kind of a link; an unknown one counts as cable.
    func kind(of link: NetworkLink, depth: Int = 0) -> RoutePath.Link {
        typealias Hardware = NetlinkNumbers.Hardware
        if let known = facts.kind?(link.name) ?? link.knownKind { return known }
        let driver = link.driver ?? ""
        if link.isWireless == true || Hardware.ieee80211.contains(link.hardware) { return .wifi }
        if Self.modemDrivers.contains(driver) || [Hardware.ppp, Hardware.rawIP].contains(link.hardware) {
            return .cellular
        }
        if driver.isEmpty, Self.modemNames.contains(where: { link.name.hasPrefix($0) }) { return .cellular }
        // Malformed messages may describe a ring of links.
        guard depth < 8 else { return .cable }
        if Self.upperDrivers.contains(driver), let lower = link.lower, let below = table.links[lower] {
            return kind(of: below, depth: depth + 1)
        }
        if Self.masters.contains(driver) {
            let kinds = table.links.values.filter { $0.master == link.index && $0.isRunning }
                .prefix(16).map { kind(of: $0, depth: depth + 1) }
            for kind in [RoutePath.Link.cable, .wifi, .cellular] where kinds.contains(kind) { return kind }
        }
        return .cable
    }
}
