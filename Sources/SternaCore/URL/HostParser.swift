/// The host parser for special schemes (WHATWG URL Standard, 3.5).
enum HostParser {
    /// The maximum length of a host outside ASCII, in bytes, because the time for encoding grows with its square.
    static let maximumUnicodeLength = 1_024

    struct Host {
        var text: String
        var kind: HTTPURL.HostKind
    }

    /// - Parameters:
    ///   - encoder: for hosts outside ASCII; nil for ``IDNA``.
    ///   - allowsZone: whether an IPv6 address may have a zone.
    static func parse(
        _ input: ArraySlice<UInt8>, encoder: (any HostEncoder)? = nil, allowsZone: Bool = true
    ) throws(HTTPURL.ParseError) -> Host {
        guard !input.isEmpty else { throw .missingHost }
        if input.first == UInt8(ascii: "[") {
            guard input.count > 2, input.last == UInt8(ascii: "]"),
                let (address, zone) = AddressZone.split(input.dropFirst().dropLast()),
                let pieces = IPv6.parse(address), zone == nil || allowsZone && AddressZone.exists(at: pieces)
            else { throw .invalidIPv6 }
            let suffix = zone.map { AddressZone.mark + $0 } ?? ""
            return Host(text: "[\(IPv6.serialise(pieces))\(suffix)]", kind: .ipv6)
        }
        var name = input.contains(UInt8(ascii: "%")) ? PercentCoding.decode(input) : Array(input)
        if name.contains(where: { $0 >= 0x80 }) { name = try encode(name, by: encoder) }
        for index in name.indices where (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(name[index]) {
            name[index] |= 0x20
        }
        guard !name.isEmpty else { throw .missingHost }
        if let byte = name.first(where: { !ByteSet.domain.contains($0) }) {
            throw .forbiddenHostCodePoint(Unicode.Scalar(byte))
        }
        guard IPv4.endsInNumber(name) else {
            return Host(text: String(decoding: name, as: UTF8.self), kind: .domain)
        }
        guard let address = IPv4.parse(name) else { throw .invalidIPv4 }
        return Host(text: IPv4.serialise(address), kind: .ipv4)
    }

    private static func encode(
        _ name: [UInt8], by encoder: (any HostEncoder)?
    ) throws(HTTPURL.ParseError) -> [UInt8] {
        guard name.count <= maximumUnicodeLength else { throw .tooLong }
        guard let text = String(validating: name, as: UTF8.self) else { throw .invalidHostEncoding }
        guard let encoder else { return try IDNA.ascii(text) }
        let encoded: String
        do {
            encoded = try encoder.encode(text)
        } catch {
            throw error as? HTTPURL.ParseError ?? .hostNotEncodable
        }
        let bytes = Array(encoded.utf8)
        guard bytes.allSatisfy({ $0 < 0x80 }) else { throw .hostNotEncodable }
        return bytes
    }
}
