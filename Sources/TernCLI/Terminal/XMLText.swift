import NIOCore
import Sterna

/// Formats and colours XML token by token, so that names, attributes, entities and texts stay as sent.
///
/// Only elements without text of their own are laid out: blanks next to text may be significant.
struct XMLText {
    private enum Kind {
        case start, empty, end, text, characterData, comment, instruction
    }

    private struct Token {
        var kind: Kind
        var range: Range<Int>
        /// The name of a tag.
        var name = 0..<0
        /// Whether an element's content is shown as it is.
        var isInline = false
    }

    private let bytes: [UInt8]
    private var tokens: [Token] = []
    private var output = ""
    private let isIndented: Bool
    private let isColoured: Bool

    /// Renders a text; returns nil if its tags do not match.
    static func render(_ text: String, indented: Bool, coloured: Bool) -> String? {
        var renderer = XMLText(bytes: Array(text.utf8), isIndented: indented, isColoured: coloured)
        guard renderer.split(), renderer.match() else { return nil }
        renderer.render()
        return renderer.output
    }

    /// Returns the character set that the declaration at the beginning names (XML 1.0, 4.3.3).
    static func charset(_ start: Bytes) -> String? {
        let head = String(decoding: start.readableBytesView.prefix(200), as: UTF8.self)
        guard head.hasPrefix("<?xml"), let end = head.firstRange(of: "?>") else { return nil }
        let declaration = head[..<end.lowerBound]
        guard let name = declaration.firstRange(of: "encoding") else { return nil }
        let rest = declaration[name.upperBound...].drop { $0 == " " || $0 == "=" }
        guard let quote = rest.first, quote == "\"" || quote == "'" else { return nil }
        let label = String(rest.dropFirst().prefix { $0 != quote }).lowercased()
        // The declaration was readable byte by byte, so that the text is not in two bytes each.
        return CharsetDecoder.hasZeros(label) ? nil : label
    }

    private init(bytes: [UInt8], isIndented: Bool, isColoured: Bool) {
        self.bytes = bytes
        self.isIndented = isIndented
        self.isColoured = isColoured
    }

    // MARK: Tokens

    /// Splits the text into tokens; returns whether each of them is complete.
    private mutating func split() -> Bool {
        var position = 0
        while position < bytes.count {
            guard let token = token(at: position) else { return false }
            tokens.append(token)
            position = token.range.upperBound
        }
        return true
    }

    private func token(at start: Int) -> Token? {
        guard bytes[start] == UInt8(ascii: "<") else {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
            return Token(kind: .text, range: start..<end)
        }
        for (opening, closing, kind) in [
            ("<!--", "-->", Kind.comment), ("<![CDATA[", "]]>", .characterData), ("<?", "?>", .instruction),
        ] where bytes[start...].starts(with: opening.utf8) {
            return endPosition(of: closing, after: start + opening.utf8.count).map {
                Token(kind: kind, range: start..<$0)
            }
        }
        guard start + 1 < bytes.count, let end = tagEnd(start) else { return nil }
        switch bytes[start + 1] {
        case UInt8(ascii: "!"): return Token(kind: .instruction, range: start..<end)
        case UInt8(ascii: "/"):
            let name = nameRange(start + 2)
            return name.isEmpty ? nil : Token(kind: .end, range: start..<end, name: name)
        default:
            let name = nameRange(start + 1)
            let isEmpty = bytes[end - 2] == UInt8(ascii: "/")
            return name.isEmpty ? nil : Token(kind: isEmpty ? .empty : .start, range: start..<end, name: name)
        }
    }

    private func endPosition(of closing: String, after start: Int) -> Int? {
        let closing = Array(closing.utf8)
        var position = start
        while position + closing.count <= bytes.count {
            if bytes[position...].starts(with: closing) { return position + closing.count }
            position += 1
        }
        return nil
    }

    /// Returns the position after the `>` of a tag or a declaration; quotes and brackets may have others.
    private func tagEnd(_ start: Int) -> Int? {
        let isDeclaration = bytes[start + 1] == UInt8(ascii: "!")
        var quote: UInt8?
        var brackets = 0
        for position in start + 1..<bytes.count {
            let byte = bytes[position]
            if let open = quote {
                if byte == open { quote = nil }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
            case UInt8(ascii: "[") where isDeclaration: brackets += 1
            case UInt8(ascii: "]") where isDeclaration: brackets -= 1
            case UInt8(ascii: "<") where !isDeclaration: return nil
            case UInt8(ascii: ">") where brackets <= 0: return position + 1
            default: break
            }
        }
        return nil
    }

    private func nameRange(_ start: Int) -> Range<Int> {
        var end = start
        while end < bytes.count, !Self.endsName(bytes[end]) { end += 1 }
        return start..<end
    }

    private static func endsName(_ byte: UInt8) -> Bool { isBlank(byte) || "<>/=\"'".utf8.contains(byte) }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

    // MARK: Elements

    /// Matches the tags, and finds the elements that have text of their own; returns whether all tags match.
    private mutating func match() -> Bool {
        var open: [Int] = []
        var hasElement = false
        for index in tokens.indices {
            let token = tokens[index]
            switch token.kind {
            case .start:
                hasElement = true
                open.append(index)
                if preserves(token) { tokens[index].isInline = true }
            case .empty: hasElement = true
            case .end:
                guard let start = open.popLast(), bytes[tokens[start].name].elementsEqual(bytes[token.name]) else {
                    return false
                }
                // An element without elements is as short as it was sent.
                if start + 1 == index || start + 2 == index && tokens[start + 1].kind == .text {
                    tokens[start].isInline = true
                }
            case .text, .characterData:
                let isBlank = token.kind == .text && isBlank(token)
                if let parent = open.last {
                    if !isBlank { tokens[parent].isInline = true }
                } else if !isBlank, !isMark(token) {
                    return false
                }
            case .comment, .instruction: break
            }
        }
        return hasElement && open.isEmpty
    }

    private func isBlank(_ token: Token) -> Bool { bytes[token.range].allSatisfy(Self.isBlank) }

    private func isMark(_ token: Token) -> Bool { bytes[token.range].elementsEqual([0xEF, 0xBB, 0xBF]) }

    private func preserves(_ token: Token) -> Bool {
        let text = String(decoding: bytes[token.range], as: UTF8.self)
        return text.contains("xml:space=\"preserve\"") || text.contains("xml:space='preserve'")
    }

    // MARK: Rendering

    private mutating func render() {
        var depth = 0
        // The number of open elements from the outermost inline one.
        var inline = 0
        for token in tokens {
            switch token.kind {
            case .start:
                if inline == 0 { breakLine(depth) }
                append(token)
                depth += 1
                if inline > 0 || token.isInline { inline += 1 }
            case .end:
                depth = max(0, depth - 1)
                if inline > 0 { inline -= 1 } else { breakLine(depth) }
                append(token)
            case .empty, .comment, .instruction:
                if inline == 0 { breakLine(depth) }
                append(token)
            case .text, .characterData:
                if inline > 0 || !isIndented { append(token) }
            }
        }
    }

    private mutating func breakLine(_ depth: Int) {
        guard isIndented, !output.isEmpty else { return }
        output += "\n" + String(repeating: "  ", count: Indentation.levels(depth, at: output.utf8.count))
    }

    private mutating func append(_ token: Token) {
        switch token.kind {
        case .text: output += clean(token.range)
        case .comment: output += Colour.dim.wrap(clean(token.range), if: isColoured)
        case .characterData, .instruction: output += Colour.magenta.wrap(clean(token.range), if: isColoured)
        case .start, .empty, .end: appendTag(token)
        }
    }

    private mutating func appendTag(_ token: Token) {
        output += clean(token.range.lowerBound..<token.name.lowerBound)
        output += Colour.blue.wrap(clean(token.name), if: isColoured)
        var position = token.name.upperBound
        while position < token.range.upperBound {
            let start = position
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                let end =
                    bytes[(position + 1)..<token.range.upperBound].firstIndex(of: byte) ?? token.range.upperBound - 1
                position = end + 1
                output += Colour.green.wrap(clean(start..<position), if: isColoured)
            } else if Self.endsName(byte) {
                position += 1
                // A line end may have two bytes.
                while byte == 0x0D, position < token.range.upperBound, bytes[position] == 0x0A { position += 1 }
                output += clean(start..<position)
            } else {
                position = max(position + 1, min(nameRange(position).upperBound, token.range.upperBound))
                output += Colour.cyan.wrap(clean(start..<position), if: isColoured)
            }
        }
    }

    private func clean(_ range: Range<Int>) -> String {
        TerminalText.block(String(decoding: bytes[range], as: UTF8.self))
    }
}
