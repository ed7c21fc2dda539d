import SternaPlatform
import SternaSerialization

/// The text of scalars in XML.
enum PropertyListText {
    /// Parses decimal digits, or hexadecimal digits after `0x`, with or without a sign.
    static func integer(_ text: String) -> PropertyList? {
        var digits = trimmed(text)
        let isNegative = digits.first == "-"
        if isNegative || digits.first == "+" { digits.removeFirst() }
        var radix = 10
        if digits.hasPrefix("0x") || digits.hasPrefix("0X") {
            digits.removeFirst(2)
            radix = 16
        }
        // The initializers would accept a second sign.
        guard digits.first?.isHexDigit == true else { return nil }
        if isNegative { return Int64("-\(digits)", radix: radix).map { .integer($0) } }
        guard let value = UInt64(digits, radix: radix) else { return nil }
        return Int64(exactly: value).map { .integer($0) } ?? .unsigned(value)
    }

    /// Parses decimal digits with or without sign, fraction and exponent; `nan`, `inf` and `infinity`.
    static func real(_ text: String) -> Double? {
        let text = trimmed(text)
        let word = text.drop { $0 == "+" || $0 == "-" }
        guard text.count - word.count <= 1 else { return nil }
        let sign = text.first == "-" ? -1.0 : 1.0
        switch word.lowercased() {
        case "nan": return .nan
        case "inf", "infinity": return sign * .infinity
        default: break
        }
        // The initializer also accepts hexadecimal, which property lists do not have.
        let isDecimal = word.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains(byte)
        }
        guard isDecimal, let value = Double(text), value.isFinite else { return nil }
        return value
    }

    /// Parses `2020-01-02T03:04:05Z` only.
    static func date(_ text: String) -> Date? {
        let text = trimmed(text)
        guard text.utf8.count == 20, text.hasSuffix("Z"), text.utf8.dropFirst(10).first == UInt8(ascii: "T") else {
            return nil
        }
        return InternetDate.parse(String(text))
    }

    /// Decodes base64 with white space anywhere.
    static func data(_ text: String) -> Data? {
        let digits = text.utf8.filter { !isSpace($0) }
        // Checked, since Foundation accepts padding in the middle.
        let padding = digits.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard padding <= 2, !digits.dropLast(padding).contains(UInt8(ascii: "=")) else { return nil }
        return Data(base64Encoded: Data(digits))
    }

    /// Returns a text without the white space around it.
    static func trimmed(_ text: String) -> Substring {
        var rest = text[...]
        while let first = rest.utf8.first, isSpace(first) { rest = Substring(rest.utf8.dropFirst()) }
        while let last = rest.utf8.last, isSpace(last) { rest = Substring(rest.utf8.dropLast()) }
        return rest
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
}
