import SternaCore

/// A media type with its parameters (RFC 9110, 8.3.1).
public struct MediaType: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The type and subtype in lower case, such as `text/html`.
    public var essence: String

    /// The parameters in order, names in lower case.
    public var parameters: [(name: String, value: String)] {
        get { pairs.map { ($0.name, $0.value) } }
        set { pairs = newValue.map { Pair(name: $0.name, value: $0.value) } }
    }

    // Tuples are neither Hashable nor Codable.
    private var pairs: [Pair]

    private struct Pair: Sendable, Hashable, Codable { var name, value: String }

    private enum CodingKeys: String, CodingKey { case essence, pairs = "parameters" }

    /// Parses a Content-Type field; nil if it is not a type and a subtype. Reads at most 64 parameters, and skips malformed ones.
    public init?(_ field: String) {
        // No semicolon before the first one can be inside quotes, since no type has any. Bytes, as comparing characters is slow.
        let end = field.utf8.firstIndex(of: UInt8(ascii: ";")) ?? field.endIndex
        guard let essence = Self.essence(field[..<end].trimmingBlanks()) else { return nil }
        self.essence = essence
        guard end < field.endIndex else {
            pairs = []
            return
        }
        pairs = Self.split(field[field.utf8.index(after: end)...]).prefix(64).compactMap { piece in
            guard let equals = piece.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            let name = piece[..<equals].trimmingBlanks().lowercased()
            return name.isEmpty
                ? nil : Pair(name: name, value: Self.unquote(piece[piece.utf8.index(after: equals)...]))
        }
    }

    /// Returns a type and a subtype in lower case; nil for anything else.
    private static func essence(_ text: Substring) -> String? {
        var slashes = 0
        var hasUppercase = false
        for byte in text.utf8 {
            if byte == UInt8(ascii: "/") {
                slashes += 1
            } else if !FieldSyntax.isTokenByte(byte) {
                return nil
            }
            hasUppercase = hasUppercase || byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
        }
        guard slashes == 1, text.utf8.first != UInt8(ascii: "/"), text.utf8.last != UInt8(ascii: "/") else {
            return nil
        }
        return hasUppercase ? text.lowercased() : String(text)
    }

    /// Returns whether a pattern covers this type: the type itself, `image/*`, `*/json`, `*/*`, or `application/*+json` for every
    /// type of that suffix (RFC 6839).
    ///
    /// The comparison ignores case, and parameters on either side: `text/html; charset=utf-8` is `text/html`.
    public func matches(_ pattern: String) -> Bool {
        MediaTypePattern(pattern)?.matches(essence) ?? false
    }

    /// The value of the first parameter of a name, which must be in lower case; nil without one.
    public subscript(name: String) -> String? { pairs.first { $0.name == name }?.value }

    /// The character set that the type names, in lower case.
    public var charset: String? { self["charset"]?.lowercased() }

    /// The type and its parameters, for display: values are not quoted.
    public var description: String {
        pairs.reduce(essence) { $0 + "; \($1.name)=\($1.value)" }
    }

    // Semicolons inside quotes do not end a parameter.
    private static func split(_ field: Substring) -> [Substring] {
        var pieces: [Substring] = []
        var start = field.startIndex
        var isQuoted = false
        var isEscaped = false
        let bytes = field.utf8
        for index in bytes.indices {
            switch bytes[index] {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\") where isQuoted: isEscaped = true
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: ";") where !isQuoted:
                pieces.append(field[start..<index])
                start = bytes.index(after: index)
            default: break
            }
        }
        pieces.append(field[start...])
        return pieces
    }

    private static func unquote(_ value: Substring) -> String {
        let text = value.trimmingBlanks().utf8
        let quote = UInt8(ascii: "\"")
        guard text.count >= 2, text.first == quote, text.last == quote else { return String(Substring(text)) }
        var result: [UInt8] = []
        var isEscaped = false
        for byte in text.dropFirst().dropLast() {
            if !isEscaped, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else {
                result.append(byte)
                isEscaped = false
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
