/// Text operations for protocol syntax, which handle ASCII only.
enum ASCIIText {
    static func equalIgnoringCase(_ left: some StringProtocol, _ right: some StringProtocol) -> Bool {
        let first = left.utf8
        let second = right.utf8
        return first.count == second.count && zip(first, second).allSatisfy { lowered($0) == lowered($1) }
    }

    static func lowered(_ byte: UInt8) -> UInt8 {
        byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
    }

    static func trimmed(_ text: some StringProtocol) -> String {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        let bytes = Array(text.utf8)
        guard let first = bytes.firstIndex(where: { !isSpace($0) }),
            let last = bytes.lastIndex(where: { !isSpace($0) })
        else { return "" }
        return String(decoding: bytes[first...last], as: UTF8.self)
    }

    static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }

    static func hex(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var out: [UInt8] = []
        for byte in bytes {
            out.append(digits[Int(byte >> 4)])
            out.append(digits[Int(byte & 0x0F)])
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// Percent-decodes a text; malformed escapes stay unchanged, and octets that are not UTF-8 become U+FFFD.
    static func percentDecoded(_ text: some StringProtocol, plusIsSpace: Bool) -> String {
        let bytes = Array(text.utf8)
        guard bytes.contains(0x25) || (plusIsSpace && bytes.contains(0x2B)) else { return String(text) }
        var out: [UInt8] = []
        out.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == 0x25, index + 2 < bytes.count, let high = hexValue(bytes[index + 1]),
                let low = hexValue(bytes[index + 2])
            {
                out.append(high << 4 | low)
                index += 3
                continue
            }
            out.append(plusIsSpace && byte == 0x2B ? 0x20 : byte)
            index += 1
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// Returns the name and value pairs of `application/x-www-form-urlencoded` text, in order, at most `limit` of them.
    static func formPairs(_ text: some StringProtocol, limit: Int = 10_000) -> [ServerHeaders.Field] {
        var pairs: [ServerHeaders.Field] = []
        for piece in text.utf8.split(separator: 0x26) {
            guard pairs.count < limit else { break }
            let equals = piece.firstIndex(of: 0x3D)
            let name = String(decoding: piece[..<(equals ?? piece.endIndex)], as: UTF8.self)
            let value = equals.map { String(decoding: piece[piece.index(after: $0)...], as: UTF8.self) } ?? ""
            pairs.append(
                .init(
                    name: percentDecoded(name, plusIsSpace: true), value: percentDecoded(value, plusIsSpace: true)))
        }
        return pairs
    }
}
