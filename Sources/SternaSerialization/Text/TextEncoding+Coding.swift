public import NIOCore
public import SternaCore

extension TextEncoding {
    /// Encodes a text; returns nil if the set lacks one of its characters.
    ///
    /// As in the Encoding Standard, the Japanese sets write U+2212 as the full-width minus sign. They write `¥` and `‾`
    /// as the bytes of `\` and `~`, if the set has them there. ISO-2022-JP writes half-width katakana as full-width.
    public func encode(_ text: String) -> [UInt8]? { encode(text) { _ in nil } }

    /// Encodes a text, replacing the characters that the set lacks.
    ///
    /// - Parameter replacement: returns the replacement of a character, in characters of the set; nil gives up. The
    ///   Encoding Standard's error mode “html” is `{ "&#\($0.value);" }`. For the control characters that ISO-2022-JP
    ///   cannot represent, it is called with U+FFFD.
    /// - Returns: nil if the closure gives up, or if the set lacks a character of its replacement too.
    package func encode(
        _ text: String, replacing replacement: (Unicode.Scalar) throws -> String?
    ) rethrows -> [UInt8]? {
        if kind == .utf8 { return Array(text.utf8) }
        var writer = TextWriter(kind, capacity: text.utf8.count)
        for scalar in text.unicodeScalars where !writer.append(scalar) {
            guard let other = try replacement(writer.missing(scalar)) else { return nil }
            for scalar in other.unicodeScalars where !writer.append(scalar) { return nil }
        }
        writer.finish()
        return writer.output
    }

    /// Decodes bytes; returns nil if any of them is invalid in the set.
    ///
    /// Nothing is dropped or replaced, except the byte order mark of a Unicode form.
    public func decode(_ bytes: Bytes) -> String? { try? read(bytes) }

    func read(_ bytes: Bytes) throws(TextReadingFailure) -> String {
        if kind == .utf8 { return try UnicodeReader.utf8(bytes) }
        let bytes = Array(bytes.readableBytesView)
        switch kind {
        case .utf16, .utf16LittleEndian, .utf16BigEndian: return try UnicodeReader.utf16(bytes, kind)
        case .utf32, .utf32LittleEndian, .utf32BigEndian: return try UnicodeReader.utf32(bytes, kind)
        default:
            var reader = TextReader(bytes)
            return try reader.read(kind)
        }
    }

    /// Returns the Unicode form of a leading byte order mark.
    static func byteOrderMark(of bytes: Bytes) -> TextEncoding? {
        let start = bytes.readableBytesView.prefix(4)
        if start.starts(with: [0xEF, 0xBB, 0xBF]) { return .utf8 }
        if start.starts(with: [0x00, 0x00, 0xFE, 0xFF]) { return .utf32BigEndian }
        if start.starts(with: [0xFF, 0xFE, 0x00, 0x00]) { return .utf32LittleEndian }
        if start.starts(with: [0xFE, 0xFF]) { return .utf16BigEndian }
        return start.starts(with: [0xFF, 0xFE]) ? .utf16LittleEndian : nil
    }
}
