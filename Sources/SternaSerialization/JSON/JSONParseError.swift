extension JSON {
    /// The reason why a text is not JSON, and the position.
    public struct ParseError: Error, Sendable, Hashable {
        /// The reason of the fault.
        public enum Reason: Sendable, Hashable {
            /// The text is empty, or ends before its value does.
            case unexpectedEnd
            /// A character that is not allowed here.
            case unexpectedCharacter(Unicode.Scalar)
            /// Content other than white space after the value.
            case trailingContent
            /// A number that violates the grammar of RFC 8259, section 6.
            case invalidNumber
            /// A backslash before something other than an escape of RFC 8259, section 7.
            case invalidEscape
            /// One half of a surrogate pair without the other.
            case loneSurrogate
            /// An unescaped control character in a string; carries its code.
            case controlCharacter(UInt8)
            /// Bytes that are not well-formed UTF-8 (RFC 3629); the offset is that of the sequence's first byte.
            case invalidUTF8
            /// Containers nested deeper than the limit; carries the limit in levels.
            case tooDeep(limit: Int)
            /// More bytes than the limit; carries the limit.
            case tooLarge(limit: Int)
            /// More values than the limit; carries the limit.
            case tooManyValues(limit: Int)
            /// A key with more combining marks in a row than the limit (UAX #15, 13); carries the limit.
            case tooManyMarks(limit: Int)
        }

        /// The reason of the fault.
        public let reason: Reason
        /// The number of bytes before the fault, including a byte order mark.
        public let offset: Int
        /// The line of the fault, from 1; a line ends with a line feed.
        public let line: Int
        /// The column, from 1, counted in Unicode scalars.
        public let column: Int

        init(_ reason: Reason, offset: Int, in bytes: UnsafeBufferPointer<UInt8>) {
            let place = TextPosition(of: offset, in: bytes)
            (self.reason, self.offset, line, column) = (reason, offset, place.line, place.column)
        }
    }

    /// The limits of a text, or of a property list; the parser rejects one that exceeds them.
    public struct ParseLimits: Sendable, Hashable, Codable {
        /// The maximum depth of nested containers, from 0, which permits none, to ``JSON/maximumDepth``, the default.
        public var depth: Int {
            didSet { depth = Self.clamped(depth) }
        }
        /// The maximum length in bytes; unlimited by default, since a body's length has its own limit.
        public var bytes: Int
        /// The maximum number of values, including containers; unlimited by default. A value takes at least 24 bytes of memory for
        /// as little as 2 bytes of text.
        public var values: Int

        /// The limits of response serializers: five million values, which take about a hundred MiB or more.
        public static let response = ParseLimits(values: 5_000_000)

        /// Makes limits; a depth outside 0 to ``JSON/maximumDepth`` is clamped.
        public init(depth: Int = JSON.maximumDepth, bytes: Int = .max, values: Int = .max) {
            self.depth = Self.clamped(depth)
            self.bytes = bytes
            self.values = values
        }

        private static func clamped(_ depth: Int) -> Int {
            min(max(depth, 0), JSON.maximumDepth)
        }
    }
}

extension JSON.ParseError: CustomStringConvertible {
    /// One line: the reason, line, column and offset.
    public var description: String {
        "\(reason) at line \(line), column \(column) (byte \(offset))"
    }
}

extension JSON.ParseError.Reason: CustomStringConvertible {
    /// The reason in words.
    public var description: String {
        switch self {
        case .unexpectedEnd: "unexpected end"
        case .unexpectedCharacter(let scalar): "unexpected character \(TextPosition.name(scalar))"
        case .trailingContent: "content after the value"
        case .invalidNumber: "invalid number"
        case .invalidEscape: "invalid escape"
        case .loneSurrogate: "lone surrogate"
        case .controlCharacter(let code): "unescaped control character \(TextPosition.name(code: UInt32(code)))"
        case .invalidUTF8: "invalid UTF-8"
        case .tooDeep(let limit): "nested deeper than \(limit) levels"
        case .tooLarge(let limit): "longer than \(limit) bytes"
        case .tooManyValues(let limit): "more than \(limit) values"
        case .tooManyMarks(let limit): "a key with more than \(limit) combining marks in a row"
        }
    }
}
