/// The zone of an IPv6 address in a URL: the network interface through which a link-local address is reached (RFC 6874, 2).
///
/// It has a meaning only on this machine, so it is not sent to servers or proxies (RFC 6874, 4), and references from servers must
/// not contain one.
enum AddressZone {
    /// The percent sign of a zone, percent-encoded.
    static let mark = "%25"

    /// The maximum length of an interface name (IFNAMSIZ), in bytes.
    private static let longest = 15

    private static let loopback: [UInt16] = [0, 0, 0, 0, 0, 0, 0, 1]

    /// Splits the text between a host's brackets. Returns nil if the text after a percent sign is not a zone.
    ///
    /// The sign may also be unencoded, as users type it.
    static func split(_ input: ArraySlice<UInt8>) -> (address: ArraySlice<UInt8>, zone: String?)? {
        guard let sign = input.firstIndex(of: UInt8(ascii: "%")) else { return (input, nil) }
        var zone = input[sign...]
        zone = zone.starts(with: mark.utf8) ? zone.dropFirst(mark.utf8.count) : zone.dropFirst()
        guard (1...longest).contains(zone.count), zone.allSatisfy(isUnreserved) else { return nil }
        return (input[..<sign], String(decoding: zone, as: UTF8.self))
    }

    /// Returns whether an address, given as its eight pieces, may have a zone: link-local addresses and the loopback address (RFC
    /// 4007, 4).
    ///
    /// The system ignores zones of other addresses, so a request could use another interface than the one named.
    static func exists(at address: [UInt16]) -> Bool {
        address.first.map { $0 & 0xFFC0 } == 0xFE80 || address == loopback
    }

    // RFC 3986, 2.3.
    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}

extension HTTPURL {
    /// The network interface of a link-local IPv6 address, a name or a number, as in `http://[fe80::1%25eth0]/` (RFC 6874); nil
    /// without one.
    ///
    /// Only URLs of the program can have a zone. It is not sent.
    public var zone: String? { storage.zone }

    /// The Host field's value (RFC 9112, 3.2): ``authority`` without a zone.
    package var hostField: String { storage.hostField }

    /// Returns the URL without its zone, which other machines must not see.
    package func removingZone() -> HTTPURL { zone == nil ? self : HTTPURL(storage.replacing(authority: hostField)) }
}

extension HTTPURL.Storage {
    // Where the zone's mark begins in the authority.
    private var zoneStart: String.UTF8View.Index? {
        guard hostKind == .ipv6 else { return nil }
        return authority.utf8.firstIndex(of: UInt8(ascii: "%"))
    }

    var zone: String? {
        guard let zoneStart else { return nil }
        let zone = authority.utf8[zoneStart...].dropFirst(AddressZone.mark.utf8.count)
        return String(Substring(zone.prefix { $0 != UInt8(ascii: "]") }))
    }

    /// Returns the URL with a base's zone, if both have the same address and the URL has no zone.
    func inZone(of base: HTTPURL.Storage?) -> HTTPURL.Storage {
        guard let base, hostKind == .ipv6, zoneStart == nil, let start = base.zoneStart,
            host.utf8.dropLast().elementsEqual(base.authority.utf8[..<start])
        else { return self }
        return replacing(authority: base.host + String(Substring(authority.utf8.dropFirst(hostLength))))
    }

    // Replaces the authority by one that differs only in the zone.
    fileprivate func replacing(authority new: String) -> HTTPURL.Storage {
        HTTPURL.Storage(
            scheme: scheme, userinfo: userinfo, authority: new,
            hostLength: hostLength + new.utf8.count - authority.utf8.count, hostKind: hostKind, port: port,
            target: target, pathLength: pathLength, fragment: fragment)
    }

    var hostField: String {
        guard let zoneStart, let bracket = authority.utf8[zoneStart...].firstIndex(of: UInt8(ascii: "]")) else {
            return authority
        }
        return String(authority[..<zoneStart]) + String(authority[bracket...])
    }
}
