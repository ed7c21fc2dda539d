/// Reads tokens, quoted strings and separators of a field's value (RFC 9110, 5.6), byte by byte.
package struct DirectiveReader {
    private let bytes: [UInt8]
    private var index = 0

    package init(_ value: String) { bytes = Array(value.utf8) }

    package var isAtEnd: Bool { index >= bytes.count }
    package var current: UInt8? { isAtEnd ? nil : bytes[index] }

    /// Skips the bytes that satisfy a condition.
    package mutating func skip(_ isSkipped: (UInt8) -> Bool) {
        while let byte = current, isSkipped(byte) { index += 1 }
    }

    /// Skips spaces and tabs.
    package mutating func skipBlanks() { skip(Self.isBlank) }

    /// Whether a byte is a space or a tab.
    package static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// Takes a byte if it is the next one.
    package mutating func take(_ byte: Unicode.Scalar) -> Bool {
        guard current == UInt8(ascii: byte) else { return false }
        index += 1
        return true
    }

    /// Takes the bytes that satisfy a condition; nil if there are none.
    package mutating func take(while isTaken: (UInt8) -> Bool) -> String? {
        let start = index
        skip(isTaken)
        return index > start ? String(decoding: bytes[start..<index], as: UTF8.self) : nil
    }

    /// Takes a token; nil if there is none.
    package mutating func takeToken() -> String? { take(while: FieldSyntax.isTokenByte) }

    /// Takes a quoted string, without its quotes and escapes; nil if there is none, or if its syntax is invalid.
    package mutating func takeQuoted() -> String? {
        guard take("\"") else { return nil }
        var value: [UInt8] = []
        while var byte = current {
            index += 1
            if byte == UInt8(ascii: "\"") { return String(decoding: value, as: UTF8.self) }
            if byte == UInt8(ascii: "\\") {
                guard let escaped = current else { return nil }
                byte = escaped
                index += 1
            }
            guard FieldSyntax.isValueByte(byte) else { return nil }
            value.append(byte)
        }
        return nil
    }

    /// Takes a token or a quoted string; nil if there is neither.
    package mutating func takeValue() -> String? { current == UInt8(ascii: "\"") ? takeQuoted() : takeToken() }

    /// Parses a number of seconds, which has only digits; larger numbers become 2,147,483,647 (RFC 9111, 1.2.2). Nil for other
    /// text.
    package static func seconds(_ text: String) -> Int? {
        guard !text.isEmpty else { return nil }
        var value = 0
        for byte in text.utf8 {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            value = min(10 * value + Int(byte - UInt8(ascii: "0")), Int(Int32.max))
        }
        return value
    }

    /// Returns a name with its ASCII letters in lower case.
    package static func lowercased(_ name: String) -> String {
        String(decoding: name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
