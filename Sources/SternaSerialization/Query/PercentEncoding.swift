/// A set of ASCII bytes that percent-encoding keeps; every other byte is written as `%` and two upper-case digits.
struct PercentEncoding: Sendable {
    // One bit for each byte below 128: the bytes above are never kept, and two words stay in registers.
    private let low: UInt64
    private let high: UInt64

    /// The unreserved characters of RFC 3986, and the slash and question mark that its query allows.
    static let queryValue = PercentEncoding(
        keeping: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/?")

    init(keeping characters: String) {
        var low: UInt64 = 0
        var high: UInt64 = 0
        for byte in characters.utf8 where byte < 128 {
            if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) }
        }
        self.low = low
        self.high = high
    }

    func keeps(_ byte: UInt8) -> Bool {
        byte < 128 && (byte < 64 ? low : high) >> UInt64(byte & 63) & 1 == 1
    }

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
