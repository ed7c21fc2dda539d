/// A set of ASCII bytes.
struct ByteSet {
    let low: UInt64
    let high: UInt64

    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        let word = byte < 64 ? low : high
        return byte < 128 && (word &>> UInt64(byte & 63)) & 1 != 0
    }
}

/// The complements of the WHATWG URL Standard's percent-encode sets (1.3): the bytes that stay unencoded.
extension ByteSet {
    /// Kept in a fragment: all but space, `"`, `<`, `>` and backtick.
    static let fragment = ByteSet(low: 0xAFFF_FFFA_0000_0000, high: 0x7FFF_FFFE_FFFF_FFFF)
    /// Kept in a special scheme's query: all but space, `"`, `#`, `<`, `>` and `'`.
    static let query = ByteSet(low: 0xAFFF_FF72_0000_0000, high: 0x7FFF_FFFF_FFFF_FFFF)
    /// Kept in a path: all but space, `"`, `#`, `<`, `>`, `?`, `^`, backtick, `{` and `}`.
    static let path = ByteSet(low: 0x2FFF_FFF2_0000_0000, high: 0x57FF_FFFE_BFFF_FFFF)
    /// Kept in user information: the path's without `/`, `:`, `;`, `=`, `@`, `[`, `\`, `]` and `|`.
    static let userinfo = ByteSet(low: 0x03FF_7FF2_0000_0000, high: 0x47FF_FFFE_87FF_FFFE)
    /// Allowed in a domain: all but the forbidden domain code points.
    static let domain = ByteSet(low: 0x2BFF_7FD6_0000_0000, high: 0x6FFF_FFFF_87FF_FFFE)
    /// Needs no processing in a path: the path's set without `/`, `\` and `%`.
    static let plainPath = ByteSet(low: 0x2FFF_7FD2_0000_0000, high: 0x57FF_FFFE_AFFF_FFFF)
    /// Needs no processing in a domain: lower-case letters, digits, `-`, `.` and `_`.
    static let plainDomain = ByteSet(low: 0x03FF_6000_0000_0000, high: 0x07FF_FFFE_8000_0000)
}

enum PercentCoding {
    /// Appends the byte, as "%XX" unless the set keeps it.
    @inline(__always)
    static func append(_ byte: UInt8, keeping kept: ByteSet, to output: inout [UInt8]) {
        if kept.contains(byte) {
            output.append(byte)
        } else {
            output.append(UInt8(ascii: "%"))
            output.append(hexDigit(byte >> 4))
            output.append(hexDigit(byte & 15))
        }
    }

    static func encode(_ string: String, keeping kept: ByteSet) -> String {
        if string.utf8.allSatisfy(kept.contains) { return string }
        var output: [UInt8] = []
        output.reserveCapacity(string.utf8.count + 16)
        for byte in string.utf8 { append(byte, keeping: kept, to: &output) }
        return String(decoding: output, as: UTF8.self)
    }

    static func decode(_ string: String) -> String {
        guard string.utf8.contains(UInt8(ascii: "%")) else { return string }
        return String(decoding: decode(Array(string.utf8)[...]), as: UTF8.self)
    }

    /// Percent-decodes bytes; a "%" that two hexadecimal digits do not follow is kept (WHATWG URL Standard, 1.3).
    static func decode(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            if byte == UInt8(ascii: "%"), bytes.endIndex - index > 2, let high = hexValue(bytes[index + 1]),
                let low = hexValue(bytes[index + 2])
            {
                output.append(high << 4 | low)
                index += 3
            } else {
                output.append(byte)
                index += 1
            }
        }
        return output
    }

    static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
