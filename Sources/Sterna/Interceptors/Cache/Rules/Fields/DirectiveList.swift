import SternaCore

/// The directives of Cache-Control (RFC 9111, 5.2): names with optional arguments, separated by commas.
struct DirectiveList {
    /// The limits of the field; beyond them it counts as malformed.
    enum Limits {
        /// The bytes of all lines.
        static let bytes = 16 << 10

        /// The directives of all lines.
        static let directives = 64
    }

    enum Argument: Sendable, Hashable {
        case none
        /// A token, or the content of a quoted string.
        case value(String)
        /// The text after the name has invalid syntax.
        case invalid
    }

    struct Directive: Sendable, Hashable {
        /// The name in lower case.
        var name: String
        var argument: Argument
    }

    /// The readable directives.
    private(set) var directives: [Directive] = []

    /// Whether a part of the field has invalid syntax or exceeds the limits, and may hide a directive.
    private(set) var isMalformed = false

    /// The words of a malformed field in lower case, among which restrictions hold; only `no-store`, `private` and `no-cache` for a
    /// field that is too long.
    private(set) var words: Set<String> = []

    private var bytes: [UInt8] = []
    private var index = 0

    init(_ lines: [String]) {
        var left = Limits.bytes
        for line in lines {
            guard line.utf8.count <= left else {
                isMalformed = true
                // Directives beyond the limit are unknown, so the restrictions are assumed.
                words.formUnion(["no-store", "private", "no-cache"])
                return
            }
            left -= line.utf8.count
            read(Array(line.utf8))
        }
        guard isMalformed else { return }
        for line in lines { words.formUnion(Self.words(of: line)) }
    }

    private mutating func read(_ line: [UInt8]) {
        bytes = line
        index = 0
        while true {
            // Elements of a list may be empty (RFC 9110, 5.6.1.2).
            skip { $0 == UInt8(ascii: ",") || Self.isBlank($0) }
            guard index < bytes.count else { return }
            let start = index
            skip(FieldSyntax.isTokenByte)
            guard index > start else {
                isMalformed = true
                skipElement()
                continue
            }
            let name = Self.lowercased(bytes[start..<index])
            let argument = takeArgument()
            if argument == .invalid { isMalformed = true }
            guard directives.count < Limits.directives else {
                isMalformed = true
                continue
            }
            directives.append(Directive(name: name, argument: argument))
        }
    }

    private mutating func takeArgument() -> Argument {
        var argument = Argument.none
        if current == UInt8(ascii: "=") {
            index += 1
            argument = current == UInt8(ascii: "\"") ? takeQuoted() : takeToken()
        }
        skip(Self.isBlank)
        guard index < bytes.count, current != UInt8(ascii: ",") else { return argument }
        skipElement()
        return .invalid
    }

    private mutating func takeToken() -> Argument {
        let start = index
        skip(FieldSyntax.isTokenByte)
        return index > start ? .value(String(decoding: bytes[start..<index], as: UTF8.self)) : .invalid
    }

    private mutating func takeQuoted() -> Argument {
        index += 1
        var value: [UInt8] = []
        while var byte = current {
            index += 1
            if byte == UInt8(ascii: "\"") { return .value(String(decoding: value, as: UTF8.self)) }
            if byte == UInt8(ascii: "\\") {
                guard let escaped = current else { return .invalid }
                byte = escaped
                index += 1
            }
            guard FieldSyntax.isValueByte(byte) else {
                isMalformed = true
                return .invalid
            }
            value.append(byte)
        }
        return .invalid
    }

    private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
        while index < bytes.count, isSkipped(bytes[index]) { index += 1 }
    }

    private mutating func skipElement() { skip { $0 != UInt8(ascii: ",") } }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    static func lowercased(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    private static func words(of line: String) -> [String] {
        line.utf8.split { !FieldSyntax.isTokenByte($0) }.map { lowercased($0) }
    }
}
