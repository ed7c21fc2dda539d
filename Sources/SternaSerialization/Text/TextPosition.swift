/// The position of a fault in a text, for the errors of parsers.
package struct TextPosition {
    /// From 1; a line ends with a line feed.
    package var line = 1
    /// From 1, in Unicode scalars; a byte order mark has no column.
    package var column = 1

    package init(of offset: Int, in bytes: UnsafeBufferPointer<UInt8>) {
        let start = Self.markLength(bytes)
        for index in start..<max(start, min(offset, bytes.count)) {
            if bytes[index] == UInt8(ascii: "\n") {
                (line, column) = (line + 1, 1)
            } else if bytes[index] & 0xC0 != 0x80 {
                column += 1
            }
        }
    }

    /// Returns the length of a leading byte order mark.
    package static func markLength(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF ? 3 : 0
    }

    /// Returns a visible ASCII character in quotation marks, and the code of any other.
    package static func name(_ scalar: Unicode.Scalar) -> String {
        scalar.value > 0x20 && scalar.value < 0x7F ? "'\(scalar)'" : name(code: scalar.value)
    }

    package static func name(code: UInt32) -> String {
        let digits = String(code, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
