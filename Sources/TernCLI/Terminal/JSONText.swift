/// Formats and colours JSON text token by token, so that numbers, escapes, the order of members and repeated members
/// stay as sent.
///
/// The text must have been parsed; text that is not JSON is passed through in some form, and never traps.
struct JSONText {
    private var output = ""
    private var depth = 0
    private let isIndented: Bool
    private let isColoured: Bool

    /// Renders a JSON text.
    static func render(_ text: String, indented: Bool, coloured: Bool) -> String {
        var renderer = JSONText(isIndented: indented, isColoured: coloured)
        renderer.output.reserveCapacity(text.utf8.count * 2)
        renderer.render(Array(text.utf8))
        return renderer.output
    }

    private init(isIndented: Bool, isColoured: Bool) {
        self.isIndented = isIndented
        self.isColoured = isColoured
    }

    private mutating func render(_ bytes: [UInt8]) {
        var position = 0
        while position < bytes.count {
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"):
                if !isIndented { output.unicodeScalars.append(Unicode.Scalar(byte)) }
                position += 1
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                position = open(bytes, at: position)
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth = max(0, depth - 1)
                breakLine()
                punctuate(byte)
                position += 1
            case UInt8(ascii: ","):
                punctuate(byte)
                breakLine()
                position += 1
            case UInt8(ascii: ":"):
                punctuate(byte)
                if isIndented { output += " " }
                position += 1
            case UInt8(ascii: "\""): position = string(bytes, from: position)
            default: position = word(bytes, from: position)
            }
        }
    }

    private mutating func open(_ bytes: [UInt8], at position: Int) -> Int {
        punctuate(bytes[position])
        guard isIndented else { return position + 1 }
        let next = Self.skipBlanks(bytes, from: position + 1)
        if next < bytes.count, bytes[next] == UInt8(ascii: "}") || bytes[next] == UInt8(ascii: "]") {
            punctuate(bytes[next])
            return next + 1
        }
        depth += 1
        breakLine()
        return next
    }

    private mutating func string(_ bytes: [UInt8], from start: Int) -> Int {
        var end = start + 1
        while end < bytes.count, bytes[end] != UInt8(ascii: "\"") {
            end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        end = min(end + 1, bytes.count)
        let next = Self.skipBlanks(bytes, from: end)
        let isKey = next < bytes.count && bytes[next] == UInt8(ascii: ":")
        append(bytes[start..<end], isKey ? .blue : .green)
        return end
    }

    private mutating func word(_ bytes: [UInt8], from start: Int) -> Int {
        var end = start + 1
        while end < bytes.count, !Self.endsWord(bytes[end]) { end += 1 }
        let isNumber =
            bytes[start] == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[start])
        append(bytes[start..<end], isNumber ? .yellow : .magenta)
        return end
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>, _ colour: Colour) {
        output += colour.wrap(TerminalText.line(String(decoding: bytes, as: UTF8.self)), if: isColoured)
    }

    private mutating func punctuate(_ byte: UInt8) {
        output.unicodeScalars.append(Unicode.Scalar(byte))
    }

    private mutating func breakLine() {
        guard isIndented else { return }
        output += "\n"
        for _ in 0..<Indentation.levels(depth, at: output.utf8.count) { output += "  " }
    }

    private static func skipBlanks(_ bytes: [UInt8], from start: Int) -> Int {
        var position = start
        while position < bytes.count, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[position]) { position += 1 }
        return position
    }

    private static func endsWord(_ byte: UInt8) -> Bool {
        [0x20, 0x0A, 0x0D, 0x09].contains(byte) || ",:{}[]\"".utf8.contains(byte)
    }
}

/// The indentation of texts from servers.
enum Indentation {
    /// The deepest level that is indented.
    private static let deepest = 512
    /// The longest output, in bytes, with indentation: short elements at a great depth would take hundreds of times their size.
    static let longest = 64 << 20

    /// Returns how many levels a line is indented that begins after so many bytes of output.
    static func levels(_ depth: Int, at count: Int) -> Int { count < longest ? min(depth, deepest) : 0 }
}
