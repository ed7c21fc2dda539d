import SternaCore

/// The scope of an address, by IANA's registries of special-purpose addresses (RFC 6890), of multicast addresses, and of IPv6's
/// address space (RFC 4291).
enum AddressScope: Sendable, Hashable, CaseIterable {
    /// A unicast address that the Internet routes.
    case global
    case unspecified, thisNetwork, loopback, linkLocal, siteLocal, privateUse, shared
    /// The metadata service that gives a cloud's machines their credentials.
    case metadata
    case multicast, broadcast, documentation, benchmarking, discard
    case protocolAssignment
    /// The network's own translation to IPv4 (RFC 8215).
    case localTranslation
    case reserved

    /// Determines the scope of an address. IPv4 addresses that it carries count, too, but never make it more public.
    init(_ address: IPAddress) {
        let own = Self.ownScope(of: address)
        let carried = Self.carried(by: address).lazy.map { Self.ownScope(of: $0) }
        self = own == .global || own.mayCarry ? carried.first { $0 != .global } ?? own : own
    }

    /// Returns the IPv4 addresses that packets to an IPv6 address may reach; empty for an IPv4 address.
    ///
    /// Covers the mapped and compatible forms (RFC 4291, 2.5.5), NAT64 (RFC 6052, RFC 8215), 6to4 (RFC 3056), and the server and
    /// client of Teredo (RFC 4380). A network-specific NAT64 prefix cannot be recognized.
    static func carried(by address: IPAddress) -> [IPAddress] {
        guard address.family == .v6 else { return [] }
        let bytes = address.bytes
        let word = { (start: Int) in bytes[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } }
        let isIn = { (prefix: IPPrefix?) in prefix?.contains(address) == true }
        if isIn(mapped) || isIn(translated) || isIn(locallyTranslated) { return [IPAddress(v4: word(12))] }
        // The first of them, :: and ::1, are addresses of their own.
        if isIn(compatible), word(12) > 1 { return [IPAddress(v4: word(12))] }
        if isIn(sixToFour) { return [IPAddress(v4: word(2))] }
        if isIn(teredo) { return [IPAddress(v4: word(4)), IPAddress(v4: ~word(12))] }
        return []
    }

    /// Describes the address for an error message, to follow “is”.
    var explanation: String {
        switch self {
        case .global: "a public address"
        case .unspecified: "the unspecified address, which leads to this machine"
        case .thisNetwork: "an address of this network (0.0.0.0/8)"
        case .loopback: "a loopback address"
        case .linkLocal: "a link-local address"
        case .siteLocal: "a site-local address"
        case .privateUse: "a private address"
        case .shared: "an address shared behind a carrier's NAT (100.64.0.0/10)"
        case .metadata: "the address of a cloud's metadata service"
        case .multicast: "a multicast address"
        case .broadcast: "the broadcast address"
        case .documentation: "an address for documentation"
        case .benchmarking: "an address for benchmarks"
        case .discard: "an address whose packets are discarded"
        case .protocolAssignment: "an address set aside for a protocol"
        case .localTranslation: "an address of this network's own translation to IPv4 (64:ff9b:1::/48)"
        case .reserved: "a reserved address"
        }
    }

    /// Whether an address of this scope may carry an IPv4 address of a narrower scope.
    private var mayCarry: Bool { self == .localTranslation || self == .reserved }

    private static func ownScope(of address: IPAddress) -> AddressScope {
        if metadataServices.contains(address) { return .metadata }
        if let named = blocks.first(where: { $0.prefix.contains(address) }) { return named.scope }
        return address.family == .v4 ? .global : .reserved
    }

    private static let mapped = IPPrefix("::ffff:0:0/96")
    private static let compatible = IPPrefix("::/96")
    private static let translated = IPPrefix("64:ff9b::/96")
    // Only the network knows the position of the IPv4 address in these (RFC 6052, 2.2); most have it at the end.
    private static let locallyTranslated = IPPrefix("64:ff9b:1::/48")
    private static let sixToFour = IPPrefix("2002::/16")
    private static let teredo = IPPrefix("2001::/32")

    /// Addresses that give credentials or configuration to any client that reaches them. Azure's 168.63.129.16 looks like any
    /// public address; the others are in blocks that are not public anyway and are named for the message.
    private static let metadataServices = Set(
        [
            "169.254.169.254", "169.254.170.2", "169.254.170.23", "169.254.0.23", "169.254.42.42", "100.100.100.200",
            "192.0.0.192", "168.63.129.16",
            "fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254", "fd00:42::42", "fe80::a9fe:a9fe",
        ].compactMap { IPAddress($0) })

    /// The blocks in order; the first that contains an address counts.
    ///
    /// IANA calls a few protocol addresses globally reachable. Two kinds of them are not public here: anycast addresses that lead
    /// to a device of one's own network (192.0.0.9, 192.0.0.10, 2001:1::1 to ::3), and identifiers that packets cannot be sent to
    /// (2001:20::/28, 2001:30::/28).
    static let blocks: [(prefix: IPPrefix, scope: AddressScope)] = [
        ("0.0.0.0/32", .unspecified),
        ("0.0.0.0/8", .thisNetwork),
        ("10.0.0.0/8", .privateUse),
        ("100.64.0.0/10", .shared),
        ("127.0.0.0/8", .loopback),
        ("169.254.0.0/16", .linkLocal),
        ("172.16.0.0/12", .privateUse),
        ("192.0.0.0/24", .protocolAssignment),
        ("192.0.2.0/24", .documentation),
        ("192.88.99.0/24", .reserved),
        ("192.168.0.0/16", .privateUse),
        ("198.18.0.0/15", .benchmarking),
        ("198.51.100.0/24", .documentation),
        ("203.0.113.0/24", .documentation),
        ("224.0.0.0/4", .multicast),
        ("255.255.255.255/32", .broadcast),
        ("240.0.0.0/4", .reserved),
        ("::/128", .unspecified),
        ("::1/128", .loopback),
        ("::ffff:0:0/96", .global),
        ("64:ff9b::/96", .global),
        ("64:ff9b:1::/48", .localTranslation),
        ("100::/64", .discard),
        ("100:0:0:1::/64", .discard),
        ("2001::/32", .global),
        ("2001:2::/48", .benchmarking),
        ("2001:3::/32", .global),
        ("2001:4:112::/48", .global),
        ("2001::/23", .protocolAssignment),
        ("2001:db8::/32", .documentation),
        ("3fff::/20", .documentation),
        ("2000::/3", .global),
        ("fc00::/7", .privateUse),
        ("fe80::/10", .linkLocal),
        ("fec0::/10", .siteLocal),
        ("ff00::/8", .multicast),
    ].compactMap { text, scope in IPPrefix(text).map { ($0, scope) } }
}
