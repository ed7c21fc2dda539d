/// Reads the decimal numbers of upload fields.
enum UploadNumber {
    /// The largest number of a structured field (RFC 9651, 3.3.1), which bounds every offset and length.
    static let largest: Int64 = 999_999_999_999_999

    /// Returns a number of 1 to 15 digits; nil for any other text.
    static func value(_ text: some StringProtocol) -> Int64? {
        guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(text)
    }

    /// Returns the number of a field with a single line; nil for no line, for several, and for any other text.
    static func value(_ lines: [String]) -> Int64? {
        guard lines.count == 1, let line = lines.first else { return nil }
        return value(line)
    }
}
