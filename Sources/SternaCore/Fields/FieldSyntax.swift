/// The grammar of tokens and field values (RFC 9110, 5.6.2 and 5.5).
public enum FieldSyntax {
    /// Whether a text is a token.
    public static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(isTokenByte)
    }

    /// Whether a text can be a field's value: no control characters but tabs.
    public static func isValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
    }

    /// Whether a byte may stand in a token.
    public static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// A text of at most 80 characters for a message, control characters replaced by U+FFFD.
    public static func printable(_ text: some StringProtocol) -> String { printable(text, limit: 80) }

    /// A text for a message, cut off behind some number of characters, control characters replaced by U+FFFD.
    package static func printable(_ text: some StringProtocol, limit: Int) -> String {
        var result = ""
        for scalar in text.unicodeScalars.prefix(limit) {
            result.unicodeScalars.append(isControl(scalar) ? "\u{FFFD}" : scalar)
        }
        return text.unicodeScalars.dropFirst(limit).isEmpty ? result : result + "…"
    }

    /// Whether a terminal or a log would act on a character: control characters, ends of lines, changes of direction.
    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case ..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
