import NIOCore
import Sterna

/// Makes untrusted text safe for a terminal: control characters become visible signs.
struct TerminalText {
    private var decoder: CharsetDecoder
    private var endedWithReturn = false

    /// - Parameter charset: the character set that Content-Type names; UTF-8 without one.
    init(charset: String? = nil) { decoder = CharsetDecoder(charset: charset) }

    /// Returns the text of the next bytes; an incomplete sequence at their end waits for the next call.
    mutating func feed(_ bytes: Bytes) -> String { clean(decoder.feed(bytes).unicodeScalars) }

    /// Returns the remaining text at the end.
    mutating func finish() -> String {
        let rest = clean(decoder.finish().unicodeScalars)
        guard endedWithReturn else { return rest }
        endedWithReturn = false
        return rest + "\u{240D}"
    }

    // Drops a return before a line feed, even if the two come in different chunks.
    private mutating func clean(_ scalars: String.UnicodeScalarView) -> String {
        var result = String.UnicodeScalarView()
        for scalar in scalars {
            if endedWithReturn {
                endedWithReturn = false
                if scalar != "\n" { result.append("\u{240D}") }
            }
            if scalar == "\r" {
                endedWithReturn = true
            } else {
                result.append(Self.visible(scalar))
            }
        }
        return String(result)
    }

    /// Returns a whole text, with its line breaks.
    static func block(_ text: String) -> String {
        var cleaner = TerminalText()
        return cleaner.clean(text.unicodeScalars) + cleaner.finish()
    }

    /// Returns a text on one line: each run of line breaks becomes a space.
    static func line(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var isBroken = false
        for scalar in text.unicodeScalars {
            if scalar == "\n" || scalar == "\r" {
                isBroken = true
                continue
            }
            if isBroken, !result.isEmpty { result.append(" ") }
            isBroken = false
            result.append(scalar == "\t" ? " " : visible(scalar))
        }
        return String(result)
    }

    /// Returns the scalar itself, or a sign for one that a terminal would interpret.
    static func visible(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar.value {
        case 0x09, 0x0A: scalar
        // Unicode's control pictures have the order of the controls.
        case 0x00..<0x20: Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}"
        case 0x7F: "\u{2421}"
        case 0x80..<0xA0: "\u{FFFD}"
        // Direction overrides can make a text appear as another.
        case 0x202A...0x202E, 0x2066...0x2069: "\u{FFFD}"
        default: scalar
        }
    }

    /// Returns how many bytes at the end begin an incomplete UTF-8 sequence (RFC 3629).
    static func incompleteSuffix(_ bytes: [UInt8]) -> Int {
        for back in 1...3 where back <= bytes.count {
            let byte = bytes[bytes.count - back]
            if byte & 0xC0 == 0x80 { continue }
            let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return length > back ? back : 0
        }
        return 0
    }
}
