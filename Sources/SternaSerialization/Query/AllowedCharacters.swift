extension QueryEncoder {
    /// The ASCII characters that percent-encoding keeps; every other byte is written as `%` and two upper-case digits.
    ///
    /// The space, control characters and `%`, `&`, `=`, `+` and `#` are never kept, since servers would misread a field that
    /// contains them.
    public struct AllowedCharacters: Sendable, Hashable {
        // One bit for each byte below 128: the bytes above are never kept, and two words fit in registers.
        private let low: UInt64
        private let high: UInt64

        // As bits, since each new session uses one of the sets.
        private init(low: UInt64, high: UInt64) {
            self.low = low
            self.high = high
        }

        /// Letters, digits, `-`, `.`, `_` and `~` (RFC 3986, section 2.3).
        public static let unreserved = AllowedCharacters(low: 0x03FF_6000_0000_0000, high: 0x47FF_FFFE_87FF_FFFE)

        /// The unreserved characters, `/` and `?`, which a query may contain (RFC 3986, section 3.4), as in AFNetworking 3 and 4,
        /// and Alamofire.
        public static let query = AllowedCharacters(low: 0x83FF_E000_0000_0000, high: 0x47FF_FFFE_87FF_FFFE)

        /// Letters, digits, `*`, `-`, `.` and `_` (URL Standard, the application/x-www-form-urlencoded percent-encode set).
        public static let whatwgForm = AllowedCharacters(low: 0x03FF_6400_0000_0000, high: 0x07FF_FFFE_87FF_FFFE)

        /// Makes a set of the ASCII characters of a text, without those that must be escaped.
        public init(_ characters: String) {
            var low: UInt64 = 0
            var high: UInt64 = 0
            for byte in characters.utf8 where Self.mayBeKept(byte) {
                if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) }
            }
            self.low = low
            self.high = high
        }

        /// Returns these characters and those of a text.
        public func adding(_ characters: String) -> AllowedCharacters {
            AllowedCharacters(self.characters + characters)
        }

        /// The characters in the order of their codes.
        public var characters: String { String(decoding: (UInt8(0)..<128).filter(keeps), as: UTF8.self) }

        func keeps(_ byte: UInt8) -> Bool {
            byte < 128 && (byte < 64 ? low : high) >> UInt64(byte & 63) & 1 == 1
        }

        private static func mayBeKept(_ byte: UInt8) -> Bool {
            switch byte {
            case 0...0x20, 0x7F...0xFF: false
            case UInt8(ascii: "%"), UInt8(ascii: "&"), UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "#"): false
            default: true
            }
        }
    }
}

extension QueryEncoder.AllowedCharacters: Codable {
    /// Decodes the characters from one string.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    /// Encodes the characters as one string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(characters)
    }
}

extension QueryEncoder.AllowedCharacters {
    func append(_ text: String, spaces: QueryEncoder.SpaceStyle, to output: inout [UInt8]) {
        var text = text
        text.withUTF8 { append($0, spaces: spaces, to: &output) }
    }

    func append(_ bytes: UnsafeBufferPointer<UInt8>, spaces: QueryEncoder.SpaceStyle, to output: inout [UInt8]) {
        var runStart = 0
        for index in 0..<bytes.count {
            let byte = bytes[index]
            if keeps(byte) { continue }
            // Both indices lie within the buffer, the start never above the end.
            output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[runStart..<index]))
            runStart = index + 1
            if byte == UInt8(ascii: " "), spaces == .plus {
                output.append(UInt8(ascii: "+"))
            } else {
                output.append(UInt8(ascii: "%"))
                output.append(Self.digit(byte >> 4))
                output.append(Self.digit(byte & 15))
            }
        }
        // The start is at most the count, as it is one past an index of the buffer.
        output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[runStart...]))
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") - 10 + value
    }
}
