/// An IPv4 or IPv6 address, without a zone.
public struct IPAddress: Sendable, Hashable {
    /// The kind of an address.
    public enum Family: Sendable, Hashable {
        case v4, v6
    }

    /// The kind of this address.
    public let family: Family

    // An IPv4 address occupies the lowest 32 bits of `low`.
    let high: UInt64
    let low: UInt64

    /// Makes an IPv4 address, most significant byte first.
    package init(v4: UInt32) {
        family = .v4
        high = 0
        low = UInt64(v4)
    }

    /// Makes an IPv6 address of its upper and lower 64 bits.
    package init(v6 high: UInt64, _ low: UInt64) {
        family = .v6
        self.high = high
        self.low = low
    }

    /// Parses an IPv4 address of four decimal numbers without leading zeros, or an IPv6 address (RFC 4291, 2.2) without brackets
    /// and zone; nil for other text.
    public init?(_ text: some StringProtocol) { self.init(String(text)) }

    // For strings, which most callers have, since the generic initializer is not specialized in other modules.
    package init?(_ text: String) {
        let utf8 = text.utf8
        guard utf8.count <= 64 else { return nil }
        let bytes = Array(utf8)
        if bytes.contains(UInt8(ascii: ":")) {
            guard let pieces = IPv6.parse(bytes[...]) else { return nil }
            self.init(v6: Self.joined(pieces[0..<4]), Self.joined(pieces[4..<8]))
        } else {
            guard let address = IPv6.embedded(bytes[...]) else { return nil }
            self.init(v4: address)
        }
    }

    /// Makes an address of its 4 or 16 bytes in network order; nil for any other number of bytes.
    public init?(bytes: some Collection<UInt8>) {
        func value(_ part: some Collection<UInt8>) -> UInt64 { part.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
        switch bytes.count {
        case 4: self.init(v4: UInt32(truncatingIfNeeded: value(bytes)))
        case 16: self.init(v6: value(bytes.prefix(8)), value(bytes.dropFirst(8)))
        default: return nil
        }
    }

    /// The 4 or 16 bytes in network order.
    public var bytes: [UInt8] {
        let lower = (0..<8).map { UInt8(truncatingIfNeeded: low >> UInt64(56 - 8 * $0)) }
        guard family == .v6 else { return Array(lower.suffix(4)) }
        return (0..<8).map { UInt8(truncatingIfNeeded: high >> UInt64(56 - 8 * $0)) } + lower
    }

    /// The IPv4 address of an IPv4-mapped IPv6 address `::ffff:a.b.c.d` (RFC 4291, 2.5.5.2), or the address itself.
    public var unmapped: IPAddress {
        guard family == .v6, high == 0, low >> 32 == 0xFFFF else { return self }
        return IPAddress(v4: UInt32(truncatingIfNeeded: low))
    }

    private static func joined(_ pieces: ArraySlice<UInt16>) -> UInt64 {
        pieces.reduce(UInt64(0)) { $0 << 16 | UInt64($1) }
    }
}

extension IPAddress: CustomStringConvertible {
    /// Four decimal numbers, or the canonical form of RFC 5952.
    public var description: String {
        guard family == .v6 else { return IPv4.serialise(UInt32(truncatingIfNeeded: low)) }
        let pieces: [UInt16] = [high, low].flatMap { (half: UInt64) -> [UInt16] in
            [48, 32, 16, 0].map { (shift: UInt64) -> UInt16 in UInt16(truncatingIfNeeded: half >> shift) }
        }
        return IPv6.serialise(pieces)
    }
}

/// The addresses that begin with the same bits, such as `10.0.0.0/8` (RFC 4632, 3.1; RFC 4291, 2.3).
public struct IPPrefix: Sendable, Hashable {
    /// The first address.
    public let address: IPAddress

    /// The number of significant bits: up to 32 or 128.
    public let length: Int

    /// Makes a prefix of an address and clears the bits after it. Nil for a length beyond the address's.
    package init?(_ address: IPAddress, length: Int) {
        let width = address.family == .v4 ? 32 : 128
        guard (0...width).contains(length) else { return nil }
        self.length = length
        if address.family == .v4 {
            self.address = IPAddress(v4: UInt32(truncatingIfNeeded: address.low & Self.mask(length + 32)))
        } else {
            self.address = IPAddress(
                v6: address.high & Self.mask(min(length, 64)), address.low & Self.mask(max(length - 64, 0)))
        }
    }

    /// Parses `address/length`; nil for anything else.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, (1...3).contains(parts[1].utf8.count),
            parts[1].utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let length = Int(parts[1]), let address = IPAddress(parts[0])
        else { return nil }
        self.init(address, length: length)
    }

    /// Whether the prefix contains an address of the same family.
    public func contains(_ other: IPAddress) -> Bool {
        other.family == address.family && IPPrefix(other, length: length)?.address == address
    }

    // The first `count` bits of 64.
    private static func mask(_ count: Int) -> UInt64 {
        count <= 0 ? 0 : count >= 64 ? .max : ~(UInt64.max >> UInt64(count))
    }
}
