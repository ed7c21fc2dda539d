import SternaCore

@testable import Sterna

/// Writes messages as the kernel does.
enum NetlinkBuilder {
    typealias Numbers = NetlinkNumbers

    static func message(
        _ type: UInt16, flags: UInt16 = 0, sequence: UInt32 = 0, _ body: (inout NetlinkWriter) -> Void = { _ in }
    )
        -> [UInt8]
    {
        var writer = NetlinkWriter(type, flags: flags, sequence: sequence)
        body(&writer)
        return writer.finished()
    }

    static let up: UInt32 = Numbers.LinkFlag.up | Numbers.LinkFlag.running

    static func link(
        _ index: Int32, _ name: String? = nil, flags: UInt32 = up, hardware: UInt16 = 1, operState: UInt8? = 6,
        driver: String? = nil, lower: Int32? = nil, master: Int32? = nil, family: UInt8 = 0, isGone: Bool = false,
        wirelessEvent: Bool = false, sequence: UInt32 = 0
    ) -> [UInt8] {
        message(isGone ? Numbers.Message.deletedLink : Numbers.Message.newLink, sequence: sequence) { writer in
            writer.append(family)
            writer.append(UInt8(0))
            writer.append(hardware)
            writer.append(index)
            writer.append(flags)
            writer.append(UInt32(0))
            if let name { writer.appendAttribute(Numbers.LinkAttribute.name, Array(name.utf8) + [0]) }
            if let operState { writer.appendAttribute(Numbers.LinkAttribute.operState, [operState]) }
            if let lower { writer.appendAttribute(Numbers.LinkAttribute.lowerLink, .init(netlink: lower)) }
            if let master { writer.appendAttribute(Numbers.LinkAttribute.master, .init(netlink: master)) }
            if wirelessEvent { writer.appendAttribute(Numbers.LinkAttribute.wireless, [1, 2, 3, 4, 5, 6, 7, 8]) }
            if let driver {
                var inner = NetlinkWriter(0, flags: 0, sequence: 0)
                inner.appendAttribute(Numbers.LinkAttribute.infoKind, Array(driver.utf8) + [0])
                writer.appendAttribute(
                    Numbers.LinkAttribute.info | 0x8000, Array(inner.bytes.dropFirst(Numbers.headerLength)))
            }
        }
    }

    static func address(
        _ text: String, _ link: Int32, scope: UInt8 = 0, flags: UInt32 = 0, peer: String? = nil, isGone: Bool = false,
        sequence: UInt32 = 0
    ) -> [UInt8] {
        guard let address = IPAddress(text) else { return [] }
        return message(isGone ? Numbers.Message.deletedAddress : Numbers.Message.newAddress, sequence: sequence) {
            writer in
            writer.append(address.family == .v4 ? Numbers.Family.v4 : Numbers.Family.v6)
            writer.append(UInt8(24))
            writer.append(UInt8(0))
            writer.append(scope)
            writer.append(link)
            if let peer = peer.flatMap({ IPAddress($0) }) {
                writer.appendAttribute(Numbers.AddressAttribute.address, peer.bytes)
                writer.appendAttribute(Numbers.AddressAttribute.local, address.bytes)
            } else {
                writer.appendAttribute(Numbers.AddressAttribute.address, address.bytes)
            }
            writer.appendAttribute(Numbers.AddressAttribute.flags, .init(netlink: flags))
        }
    }

    static func route(
        _ prefix: String, _ links: [Int32] = [], metric: UInt32? = nil, table: UInt32 = 254, kind: UInt8 = 1,
        service: UInt8 = 0, routeFlags: UInt32 = 0, source: String? = nil, isGone: Bool = false, flags: UInt16 = 0,
        sequence: UInt32 = 0
    ) -> [UInt8] {
        guard let known = IPPrefix(prefix) else { return [] }
        return message(
            isGone ? Numbers.Message.deletedRoute : Numbers.Message.newRoute, flags: flags, sequence: sequence
        ) { writer in
            writer.append(known.address.family == .v4 ? Numbers.Family.v4 : Numbers.Family.v6)
            writer.append(UInt8(known.length))
            writer.append(UInt8(0))
            writer.append(service)
            writer.append(UInt8(truncatingIfNeeded: min(table, 252)))
            writer.append(UInt8(3))
            writer.append(UInt8(0))
            writer.append(kind)
            writer.append(routeFlags)
            writer.appendAttribute(Numbers.RouteAttribute.table, .init(netlink: table))
            if known.length > 0 { writer.appendAttribute(Numbers.RouteAttribute.destination, known.address.bytes) }
            if let metric { writer.appendAttribute(Numbers.RouteAttribute.priority, .init(netlink: metric)) }
            if let source = source.flatMap({ IPAddress($0) }) {
                writer.appendAttribute(Numbers.RouteAttribute.preferredSource, source.bytes)
            }
            if links.count == 1 { writer.appendAttribute(Numbers.RouteAttribute.outgoing, .init(netlink: links[0])) }
            guard links.count > 1 else { return }
            var hops: [UInt8] = []
            for link in links { hops += [8, 0, 0, 0] + .init(netlink: link) }
            writer.appendAttribute(Numbers.RouteAttribute.multipath, hops)
        }
    }

    static func done(_ sequence: UInt32, flags: UInt16 = 2, code: Int32 = 0) -> [UInt8] {
        message(Numbers.Message.done, flags: flags, sequence: sequence) { $0.append(code) }
    }

    static func error(_ code: Int32, _ sequence: UInt32) -> [UInt8] {
        message(Numbers.Message.error, sequence: sequence) { writer in
            writer.append(code)
            writer.appendZeros(16)
        }
    }

    /// The table after some messages, which came in one datagram.
    static func table(_ messages: [[UInt8]]) -> NetworkTable {
        var table = NetworkTable()
        for message in NetlinkMessage.messages(in: Array(messages.joined())) { _ = table.apply(message) }
        return table
    }

    static let loopback = link(1, "lo", flags: up | 0x8, hardware: 772, operState: 0)

    /// A machine with Ethernet and both families.
    static let usual = [
        loopback, link(2, "eth0"), address("127.0.0.1", 1, scope: 254), address("192.0.2.5", 2),
        address("2001:db8::5", 2), address("fe80::5", 2, scope: 253),
        route("192.0.2.5/32", [2], table: 255, kind: 2), route("192.0.2.0/24", [2]), route("0.0.0.0/0", [2]),
        route("2001:db8::/64", [2], metric: 256), route("fe80::/64", [2], metric: 256),
        route("::/0", [2], metric: 1024),
    ]
}
