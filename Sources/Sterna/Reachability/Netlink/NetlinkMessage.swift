import SternaCore

/// A message of rtnetlink.
struct NetlinkMessage: Sendable, Hashable {
    enum Content: Sendable, Hashable {
        case link(NetworkLink)
        case linkGone(Int32)
        case address(NetworkAddress)
        case addressGone(NetworkAddress)
        case route(NetworkRoute)
        case routeGone(NetworkRoute)
        /// The end of a dump; a negative errno if the dump failed.
        case done(Int32)
        /// The kernel refuses a request, with a negative errno; 0 confirms it.
        case error(Int32)
        /// Messages were lost.
        case overrun
        /// A message that does not concern paths.
        case other
    }

    /// The maximum number of messages that are read from a datagram; the kernel's have a few hundred.
    private static let longestDatagram = 4_096

    var content: Content
    var flags: UInt16 = 0
    var sequence: UInt32 = 0

    /// Whether the message belongs to an inconsistent dump.
    var isInterrupted: Bool { flags & NetlinkNumbers.Flag.interrupted != 0 }

    /// Returns the messages of a datagram. Bytes after a malformed header are ignored; a malformed message is `other`.
    static func messages(in datagram: [UInt8]) -> [NetlinkMessage] {
        let bytes = NetlinkBytes(datagram[...])
        var messages: [NetlinkMessage] = []
        var offset = 0
        while messages.count < longestDatagram, let length = bytes.integer(offset, as: UInt32.self),
            let type = bytes.integer(offset + 4, as: UInt16.self),
            let flags = bytes.integer(offset + 6, as: UInt16.self),
            let sequence = bytes.integer(offset + 8, as: UInt32.self), length >= NetlinkNumbers.headerLength,
            let body = bytes.part(
                offset + NetlinkNumbers.headerLength, Int(clamping: length) - NetlinkNumbers.headerLength)
        {
            messages.append(NetlinkMessage(content: content(type, body), flags: flags, sequence: sequence))
            offset += (Int(length) + 3) & ~3
        }
        return messages
    }

    private static func content(_ type: UInt16, _ body: NetlinkBytes) -> Content {
        typealias Message = NetlinkNumbers.Message
        switch type {
        case Message.done: return .done(body.integer(0, as: Int32.self) ?? 0)
        case Message.overrun: return .overrun
        case Message.error: return body.integer(0, as: Int32.self).map { .error($0) } ?? .other
        case Message.newLink: return NetworkLink(body).map { .link($0) } ?? .other
        case Message.deletedLink: return NetworkLink(body).map { .linkGone($0.index) } ?? .other
        case Message.newAddress: return NetworkAddress(body).map { .address($0) } ?? .other
        case Message.deletedAddress: return NetworkAddress(body).map { .addressGone($0) } ?? .other
        case Message.newRoute: return NetworkRoute(body).map { .route($0) } ?? .other
        case Message.deletedRoute: return NetworkRoute(body).map { .routeGone($0) } ?? .other
        default: return .other
        }
    }
}

// These initializers return nil for messages that concern no path, such as those of a bridge's ports, and for malformed ones.

extension NetworkLink {
    init?(_ body: NetlinkBytes) {
        typealias Attribute = NetlinkNumbers.LinkAttribute
        guard let family = body.integer(0, as: UInt8.self), family == NetlinkNumbers.Family.unspecified,
            let hardware = body.integer(2, as: UInt16.self), let index = body.integer(4, as: Int32.self), index > 0,
            let flags = body.integer(8, as: UInt32.self), let attributes = body.suffix(16)
        else { return nil }
        self.init(index: index, flags: flags, hardware: hardware)
        var isLowerElsewhere = false
        attributes.forEachAttribute { type, value in
            switch type {
            case Attribute.name: name = value.text
            case Attribute.lowerLink: lower = value.integer(0)
            case Attribute.lowerNamespace: isLowerElsewhere = true
            case Attribute.master: master = value.integer(0)
            case Attribute.operState: operState = value.integer(0)
            case Attribute.wireless: isWireless = true
            case Attribute.info: driver = value.attribute(Attribute.infoKind)?.text
            default: break
            }
        }
        if isLowerElsewhere { lower = nil }
    }
}

extension NetworkAddress {
    init?(_ body: NetlinkBytes) {
        typealias Attribute = NetlinkNumbers.AddressAttribute
        guard let family = body.integer(0, as: UInt8.self), let short = body.integer(2, as: UInt8.self),
            let scope = body.integer(3, as: UInt8.self), let link = body.integer(4, as: Int32.self),
            let attributes = body.suffix(8)
        else { return nil }
        var (address, local, flags) = (nil as IPAddress?, nil as IPAddress?, UInt32(short))
        attributes.forEachAttribute { type, value in
            switch type {
            case Attribute.address: address = value.address
            // On a point-to-point link, the attribute `address` is the peer's.
            case Attribute.local: local = value.address
            case Attribute.flags: flags = value.integer(0) ?? flags
            default: break
            }
        }
        guard let own = local ?? address, own.family == IPAddress.Family(netlink: family) else { return nil }
        self.init(address: own, link: link, scope: scope, flags: flags)
    }
}

extension NetworkRoute {
    init?(_ body: NetlinkBytes) {
        typealias Attribute = NetlinkNumbers.RouteAttribute
        guard let number = body.integer(0, as: UInt8.self), let family = IPAddress.Family(netlink: number),
            let length = body.integer(1, as: UInt8.self), let sourceLength = body.integer(2, as: UInt8.self),
            let service = body.integer(3, as: UInt8.self), let shortTable = body.integer(4, as: UInt8.self),
            let kind = body.integer(7, as: UInt8.self), let flags = body.integer(8, as: UInt32.self),
            let attributes = body.suffix(12),
            // Routes for certain source addresses or types of service do not apply to all connections.
            sourceLength == 0, service == 0, flags & NetlinkNumbers.RouteFlag.cloned == 0
        else { return nil }
        var table = UInt32(shortTable)
        var destination = family == .v4 ? IPAddress(v4: 0) : IPAddress(v6: 0, 0)
        var (metric, hops, link, hasSource) = (UInt32(0), [Hop](), nil as Int32?, false)
        attributes.forEachAttribute { type, value in
            switch type {
            case Attribute.destination: if let address = value.address { destination = address }
            case Attribute.outgoing: link = value.integer(0)
            case Attribute.priority: metric = value.integer(0) ?? 0
            case Attribute.preferredSource: hasSource = true
            case Attribute.table: table = value.integer(0) ?? table
            case Attribute.multipath: hops = Self.hops(value)
            default: break
            }
        }
        guard destination.family == family, let prefix = IPPrefix(destination, length: Int(length)) else { return nil }
        if let link { hops.insert(Hop(link: link, isDead: flags & NetlinkNumbers.RouteFlag.dead != 0), at: 0) }
        self.init(
            prefix: prefix, table: table, metric: metric, kind: Kind(netlink: kind), hops: hops, hasSource: hasSource)
    }

    private static func hops(_ value: NetlinkBytes) -> [Hop] {
        var hops: [Hop] = []
        var offset = 0
        while hops.count < 256, let length = value.integer(offset, as: UInt16.self), length >= 8,
            let flags = value.integer(offset + 2, as: UInt8.self), let link = value.integer(offset + 4, as: Int32.self)
        {
            hops.append(Hop(link: link, isDead: UInt32(flags) & NetlinkNumbers.RouteFlag.dead != 0))
            offset += (Int(length) + 3) & ~3
        }
        return hops
    }
}

extension IPAddress.Family {
    fileprivate init?(netlink number: UInt8) {
        switch number {
        case NetlinkNumbers.Family.v4: self = .v4
        case NetlinkNumbers.Family.v6: self = .v6
        default: return nil
        }
    }
}
