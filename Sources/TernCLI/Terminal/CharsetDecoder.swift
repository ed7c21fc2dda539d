import NIOCore
import Sterna

/// Decodes text of any character set chunk by chunk for display: what is invalid becomes U+FFFD.
struct CharsetDecoder {
    private let encoding: TextEncoding
    private var pending: [UInt8] = []
    private var isAtStart = true
    /// The byte order of UTF-16 or UTF-32 by the mark at the beginning; nil before it was read, and for other encodings.
    private var isBigEndian: Bool?

    /// The escape sequence of ISO-2022-JP that holds for the pending bytes; empty for ASCII.
    private var escape: [UInt8] = []

    /// The longest line of ISO-2022-JP, in bytes, that waits for its end.
    private static let longestLine = 64 << 10

    /// - Parameter charset: the character set that Content-Type names; UTF-8 without one, and for an unknown one.
    init(charset: String? = nil) {
        encoding = charset.flatMap { TextEncoding(label: $0) } ?? .utf8
    }

    /// Returns the text of a whole body.
    static func text(_ bytes: Bytes, charset: String?) -> String {
        var decoder = CharsetDecoder(charset: charset)
        return decoder.feed(bytes) + decoder.finish()
    }

    /// Whether texts of a character set may have bytes of zero.
    static func hasZeros(_ charset: String?) -> Bool {
        guard let encoding = charset.flatMap({ TextEncoding(label: $0) }) else { return false }
        return isUTF16(encoding) || isUTF32(encoding)
    }

    private static func isUTF16(_ encoding: TextEncoding) -> Bool {
        [.utf16, .utf16LittleEndian, .utf16BigEndian].contains(encoding)
    }

    private static func isUTF32(_ encoding: TextEncoding) -> Bool {
        [.utf32, .utf32LittleEndian, .utf32BigEndian].contains(encoding)
    }

    /// Returns the text of the next bytes; an incomplete character at their end waits for the next call.
    mutating func feed(_ bytes: Bytes) -> String {
        pending.append(contentsOf: bytes.readableBytesView)
        return take(complete())
    }

    /// Returns the rest of the text; an incomplete character is invalid.
    mutating func finish() -> String {
        let text = take(complete(atEnd: true))
        guard !pending.isEmpty else { return text }
        pending = []
        return text + "\u{FFFD}"
    }

    private mutating func take(_ count: Int) -> String {
        guard count > 0 else { return "" }
        if isAtStart { readMark() }
        let text = decode(pending[..<count])
        if encoding == .iso2022JP { escape = characters2022(in: pending[..<count]).escape }
        pending.removeFirst(count)
        defer { isAtStart = false }
        return isAtStart && text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
    }

    private mutating func readMark() {
        if encoding == .utf16 { isBigEndian = pending.starts(with: [0xFE, 0xFF]) }
        if encoding == .utf32 { isBigEndian = !pending.starts(with: [0xFF, 0xFE, 0, 0]) }
    }

    // MARK: Whole characters

    /// Returns how many pending bytes are whole characters.
    private func complete(atEnd: Bool = false) -> Int {
        switch encoding {
        case .utf8: return pending.count - TerminalText.incompleteSuffix(pending)
        case .latin1, .ascii: return pending.count
        case .iso2022JP:
            // A line ends in ASCII (RFC 1468), so that an invalid one does no harm to the next.
            if atEnd { return pending.count }
            if let end = pending.lastIndex(of: 0x0A) { return end + 1 }
            return pending.count > Self.longestLine ? characters2022(in: pending[...]).count : 0
        case let encoding where Self.isUTF16(encoding):
            let even = pending.count & ~1
            guard even >= 2 else { return 0 }
            // The first two bytes may be a mark.
            let isBig = isBigEndian ?? (encoding == .utf16BigEndian || pending.starts(with: [0xFE, 0xFF]))
            let high = pending[isBig ? even - 2 : even - 1]
            return high & 0xFC == 0xD8 ? even - 2 : even
        case let encoding where Self.isUTF32(encoding): return pending.count & ~3
        default:
            var position = 0
            while position < pending.count, let length = length(at: position) { position += length }
            return position
        }
    }

    /// Returns how many bytes of ISO-2022-JP are whole characters and escape sequences, and the sequence that holds after them.
    private func characters2022(in bytes: ArraySlice<UInt8>) -> (count: Int, escape: [UInt8]) {
        var escape = escape
        var rest = bytes
        while let byte = rest.first {
            if byte == 0x1B {
                guard rest.count >= 3 else { break }
                let sequence = Array(rest.prefix(3))
                if sequence == [0x1B, 0x28, 0x42] {
                    escape = []
                } else if Self.escapes.contains(sequence) {
                    escape = sequence
                } else {
                    rest.removeFirst()
                    continue
                }
                rest.removeFirst(3)
            } else if escape.dropFirst().first == 0x24, (0x21...0x7E).contains(byte) {
                // Two bytes for a character; a control character is no second byte.
                guard let second = rest.dropFirst().first else { break }
                rest.removeFirst((0x21...0x7E).contains(second) ? 2 : 1)
            } else {
                // The next line begins in ASCII (RFC 1468), whatever this one leaves.
                if byte == 0x0A { escape = [] }
                rest.removeFirst()
            }
        }
        return (count: bytes.count - rest.count, escape: escape)
    }

    /// The escape sequences for other sets than ASCII: JIS X 0201 in two halves, JIS X 0208 in two editions.
    private static let escapes: [[UInt8]] = [
        [0x1B, 0x28, 0x4A], [0x1B, 0x28, 0x49], [0x1B, 0x24, 0x40], [0x1B, 0x24, 0x42],
    ]

    /// Returns the bytes of the character at a position, 1 for an invalid byte; nil if it is incomplete.
    private func length(at position: Int) -> Int? {
        let lead = pending[position]
        guard lead >= 0x80 else { return 1 }
        func byte(_ distance: Int) -> UInt8? {
            position + distance < pending.count ? pending[position + distance] : nil
        }
        switch encoding {
        case .gbk, .gb18030:
            guard (0x81...0xFE).contains(lead) else { return 1 }
            guard let second = byte(1) else { return nil }
            guard (0x30...0x39).contains(second) else { return Self.isTrail(second) ? 2 : 1 }
            guard let third = byte(2) else { return nil }
            guard (0x81...0xFE).contains(third) else { return 1 }
            guard let fourth = byte(3) else { return nil }
            return (0x30...0x39).contains(fourth) ? 4 : 1
        case .big5, .eucKR, .shiftJIS:
            let isLead =
                encoding == .shiftJIS
                ? (0x81...0x9F).contains(lead) || (0xE0...0xFC).contains(lead) : (0x81...0xFE).contains(lead)
            guard isLead else { return 1 }
            guard let second = byte(1) else { return nil }
            return Self.isTrail(second) ? 2 : 1
        case .eucJP:
            guard lead == 0x8E || lead == 0x8F || (0xA1...0xFE).contains(lead) else { return 1 }
            guard let second = byte(1) else { return nil }
            guard second >= 0xA1 else { return 1 }
            guard lead == 0x8F else { return 2 }
            guard let third = byte(2) else { return nil }
            return third >= 0xA1 ? 3 : 1
        default: return 1
        }
    }

    private static func isTrail(_ byte: UInt8) -> Bool { byte >= 0x40 && byte != 0x7F && byte != 0xFF }

    // MARK: Decoding

    private func decode(_ bytes: ArraySlice<UInt8>) -> String {
        switch encoding {
        case .utf8: return String(decoding: bytes, as: UTF8.self)
        case .latin1, .ascii:
            var text = String.UnicodeScalarView()
            for byte in bytes { text.append(Unicode.Scalar(byte)) }
            return String(text)
        case let encoding where Self.isUTF16(encoding): return utf16(bytes)
        case let encoding where Self.isUTF32(encoding): return utf32(bytes)
        default: break
        }
        guard encoding == .iso2022JP else {
            return encoding.decode(Bytes(copying: bytes)) ?? characters(bytes)
        }
        // Two escape sequences in a row are invalid.
        let text = bytes.first == 0x1B ? bytes : ArraySlice(escape + bytes)
        return encoding.decode(Bytes(copying: text)) ?? lines(text)
    }

    private func utf16(_ bytes: ArraySlice<UInt8>) -> String {
        let isBig = isBigEndian ?? (encoding == .utf16BigEndian)
        let units = stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).map { index in
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return isBig ? first << 8 | second : second << 8 | first
        }
        return String(decoding: units, as: UTF16.self)
    }

    private func utf32(_ bytes: ArraySlice<UInt8>) -> String {
        let isBig = isBigEndian ?? (encoding != .utf32LittleEndian)
        var text = String.UnicodeScalarView()
        for index in stride(from: bytes.startIndex, to: bytes.endIndex - 3, by: 4) {
            var value: UInt32 = 0
            for place in 0..<4 { value = value << 8 | UInt32(bytes[index + (isBig ? place : 3 - place)]) }
            text.append(Unicode.Scalar(value) ?? "\u{FFFD}")
        }
        return String(text)
    }

    /// Decodes the characters one by one, as one of them is invalid.
    private func characters(_ bytes: ArraySlice<UInt8>) -> String {
        var text = ""
        var position = bytes.startIndex
        while position < bytes.endIndex {
            let end = min(position + (length(at: position) ?? 1), bytes.endIndex)
            if let character = encoding.decode(Bytes(copying: bytes[position..<end])) {
                text += character
                position = end
            } else {
                text += "\u{FFFD}"
                // An ASCII byte after an invalid one stands for itself, so that no tag or quote is lost.
                position = position + 1 < end && bytes[position + 1] >= 0x80 ? end : position + 1
            }
        }
        return text
    }

    /// Decodes the lines one by one; an invalid line is shown undecoded.
    private func lines(_ bytes: ArraySlice<UInt8>) -> String {
        bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
            encoding.decode(Bytes(copying: line)) ?? String(decoding: line, as: UTF8.self)
        }.joined(separator: "\n")
    }
}
