package import SternaCore

/// A network interface, as the kernel describes it.
package struct NetworkLink: Sendable, Hashable {
    package var index: Int32
    package var flags: UInt32
    package var hardware: UInt16
    package var name = ""

    /// The kind of a virtual interface, such as `veth`, `tun` or `bridge`; nil for hardware, and in messages that leave it out.
    package var driver: String?

    /// The interface below a VLAN and the like; nil for none, and if it is in another namespace.
    package var lower: Int32?

    /// The bridge or bond that the link belongs to.
    package var master: Int32?
    package var operState: UInt8?

    /// Whether the link is Wi-Fi; nil if that is not known.
    package var isWireless: Bool?

    /// The kind of the link if the system itself reports it, as Apple's do; nil on Linux.
    package var knownKind: RoutePath.Link?
    package var isMetered: Bool?

    package init(index: Int32, flags: UInt32, hardware: UInt16) {
        (self.index, self.flags, self.hardware) = (index, flags, hardware)
    }

    package var isUp: Bool { flags & NetlinkNumbers.LinkFlag.up != 0 }
    package var isLoopback: Bool { flags & NetlinkNumbers.LinkFlag.loopback != 0 }

    /// Whether it carries packets: it is up, has a carrier, and is not dormant, such as before its authentication by IEEE 802.1X.
    package var isRunning: Bool {
        typealias State = NetlinkNumbers.OperState
        guard isUp, flags & NetlinkNumbers.LinkFlag.running != 0, flags & NetlinkNumbers.LinkFlag.dormant == 0 else {
            return false
        }
        // Interfaces without a state of their own, such as the loopback and tun, stay unknown.
        return operState.map { $0 == State.up || $0 == State.unknown } ?? true
    }

    /// Returns the link, with the properties that its message leaves out taken from the known link.
    func completed(by known: NetworkLink?) -> NetworkLink {
        guard let known, known.hardware == hardware else { return self }
        var link = self
        if link.name.isEmpty { link.name = known.name }
        link.driver = link.driver ?? known.driver
        // Events of the wireless extensions leave both out; a link that leaves its master is announced by another kind of message.
        if isWireless == true, driver == nil, operState == nil {
            (link.master, link.lower) = (link.master ?? known.master, link.lower ?? known.lower)
        }
        link.operState = link.operState ?? known.operState
        link.isWireless = link.isWireless ?? known.isWireless
        return link
    }

    /// Whether the kernel must be asked whether the link is Wi-Fi.
    var mayBeWireless: Bool {
        isWireless == nil && driver == nil && hardware == NetlinkNumbers.Hardware.ethernet
    }
}

/// An address of an interface.
package struct NetworkAddress: Sendable, Hashable {
    package var address: IPAddress
    package var link: Int32
    package var scope: UInt8
    package var flags: UInt32

    package init(address: IPAddress, link: Int32, scope: UInt8 = 0, flags: UInt32 = 0) {
        (self.address, self.link, self.scope, self.flags) = (address, link, scope, flags)
    }

    /// Whether connections beyond the link can have it as their source address.
    var isUsable: Bool {
        typealias Flag = NetlinkNumbers.AddressFlag
        guard scope < NetlinkNumbers.Scope.link, flags & Flag.duplicate == 0 else { return false }
        return flags & Flag.tentative == 0 || flags & Flag.optimistic != 0
    }
}

/// A route of one of the tables that the default policy rules use.
package struct NetworkRoute: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case unicast
        /// An address of this machine.
        case local
        /// An explicit refusal: blackhole, unreachable or prohibit.
        case refused
        /// The search continues in the next table.
        case passedOn
        /// A route that connections do not use, such as one for multicast.
        case other

        init(netlink number: UInt8) {
            switch number {
            case 1, 4: self = .unicast
            case 2: self = .local
            case 6, 7, 8: self = .refused
            case 9: self = .passedOn
            default: self = .other
            }
        }
    }

    package struct Hop: Sendable, Hashable {
        package var link: Int32
        package var isDead: Bool

        package init(link: Int32, isDead: Bool = false) { (self.link, self.isDead) = (link, isDead) }
    }

    package var prefix: IPPrefix
    package var table: UInt32
    package var metric: UInt32
    package var kind: Kind
    package var hops: [Hop]

    /// Whether it names the source address of connections.
    package var hasSource: Bool

    package init(
        prefix: IPPrefix, table: UInt32 = NetlinkNumbers.Table.main, metric: UInt32 = 0, kind: Kind = .unicast,
        hops: [Hop], hasSource: Bool = false
    ) {
        (self.prefix, self.table, self.metric) = (prefix, table, metric)
        (self.kind, self.hops, self.hasSource) = (kind, hops, hasSource)
    }

    /// The properties that a route shares with the one that it replaces.
    struct Key: Hashable {
        let prefix: IPPrefix
        let table: UInt32
        let metric: UInt32
    }

    var key: Key { Key(prefix: prefix, table: table, metric: metric) }
}
