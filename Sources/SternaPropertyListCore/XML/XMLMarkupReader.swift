import SternaSerialization

/// Reads the subset of XML that property lists and S3 services use: in UTF-8, and with XML's predefined entities only.
package struct XMLMarkupReader {
    package typealias Fault = PropertyListFault

    /// A start or an end tag.
    package struct Tag {
        /// The name, truncated to the limit.
        package let name: String
        package let isEnd: Bool
        package let isEmpty: Bool
        package let offset: Int
    }

    // Outlives the reader; every index is checked against the count before it is read.
    private let bytes: UnsafeBufferPointer<UInt8>
    private let longestName: Int
    private let isStrict: Bool
    package private(set) var position: Int

    /// Makes a reader that begins after a byte order mark.
    ///
    /// - Parameters:
    ///   - longestName: the maximum length of a tag's name in characters.
    ///   - isStrict: whether instructions, and “<” in an attribute, are faults.
    package init(_ bytes: UnsafeBufferPointer<UInt8>, longestName: Int, isStrict: Bool) {
        (self.bytes, self.longestName, self.isStrict) = (bytes, longestName, isStrict)
        position = TextPosition.markLength(bytes)
    }

    package var isAtEnd: Bool { position == bytes.count }

    // MARK: Before and between elements

    /// Throws for content that does not begin like XML in UTF-8.
    func checkStart() throws(PropertyListFault) {
        if bytes.count >= 2, (bytes[0], bytes[1]) == (0xFE, 0xFF) || (bytes[0], bytes[1]) == (0xFF, 0xFE) {
            throw Fault(.unsupportedEncoding("UTF-16"), 0)
        }
        var index = position
        while index < bytes.count, PropertyListText.isSpace(bytes[index]) { index += 1 }
        guard index < bytes.count else { throw Fault(.unexpectedEnd, bytes.count) }
        guard bytes[index] == UInt8(ascii: "<") else { throw Fault(.notAPropertyList, index) }
    }

    /// Throws for bytes that are not UTF-8, and for characters that XML cannot represent.
    package func checkCharacters() throws(PropertyListFault) {
        var index = position
        while index < bytes.count {
            let byte = bytes[index]
            if byte < 0x80 {
                guard byte >= 0x20 || PropertyListText.isSpace(byte) else {
                    throw Fault(.invalidCharacter(UInt32(byte)), index)
                }
                index += 1
                continue
            }
            let length = UTF8Sequence.length(in: bytes, at: index)
            guard length > 0 else { throw Fault(.invalidUTF8, index) }
            if length == 3, byte == 0xEF, bytes[index + 1] == 0xBF, bytes[index + 2] >= 0xBE {
                throw Fault(.invalidCharacter(0xFFC0 | UInt32(bytes[index + 2] & 0x3F)), index)
            }
            index += length
        }
    }

    /// Skips the XML declaration, if any; throws for an encoding other than UTF-8 or US-ASCII, and for more than 1,024 bytes.
    package mutating func skipDeclaration() throws(PropertyListFault) {
        guard starts(with: "<?xml"), position + 5 < bytes.count, PropertyListText.isSpace(bytes[position + 5]) else {
            return
        }
        let start = position
        try skip(behind: "?>")
        guard position - start <= 1_024 else { throw Fault(.unexpectedCharacter(" "), start + 1_024) }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        guard let name = text.firstMatch(of: /\sencoding\s*=\s*(?:"([^"]*)"|'([^']*)')/) else { return }
        let encoding = String(name.output.1 ?? name.output.2 ?? "")
        guard ["utf-8", "utf8", "us-ascii", "ascii"].contains(encoding.lowercased()) else {
            throw Fault(.unsupportedEncoding(String(encoding.prefix(32))), start)
        }
    }

    /// Skips the prolog before the first element: white space, comments, instructions, one document type.
    mutating func skipProlog() throws(PropertyListFault) {
        try skipMisc()
        guard starts(with: "<!DOCTYPE") else { return }
        position += 9
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: ">"):
                position += 1
                return try skipMisc()
            case UInt8(ascii: "["): throw Fault(.declaresSubset, position)
            case UInt8(ascii: "<"): throw unexpected()
            case UInt8(ascii: "\""), UInt8(ascii: "'"): try skipQuoted()
            default: position += 1
            }
        }
        throw Fault(.unexpectedEnd, bytes.count)
    }

    /// Skips white space, comments and instructions. Stops at markup; with `toEnd`, at any other content or the end.
    package mutating func skipMisc(toEnd: Bool = false) throws(PropertyListFault) {
        while position < bytes.count {
            if PropertyListText.isSpace(bytes[position]) {
                position += 1
            } else if starts(with: "<!--") {
                try skipComment()
            } else if !isStrict, starts(with: "<?") {
                try skip(behind: "?>")
            } else if toEnd || bytes[position] == UInt8(ascii: "<") {
                return
            } else {
                throw unexpected()
            }
        }
        guard toEnd else { throw Fault(.unexpectedEnd, bytes.count) }
    }

    private mutating func skipComment() throws(PropertyListFault) {
        position += 4
        while position + 1 < bytes.count {
            guard bytes[position] == UInt8(ascii: "-"), bytes[position + 1] == UInt8(ascii: "-") else {
                position += 1
                continue
            }
            position += 2
            // Two hyphens end a comment (XML 1.0, 2.5).
            guard position < bytes.count else { break }
            guard bytes[position] == UInt8(ascii: ">") else { throw unexpected() }
            position += 1
            return
        }
        throw Fault(.unexpectedEnd, bytes.count)
    }

    private mutating func skip(behind end: StaticString) throws(PropertyListFault) {
        while position < bytes.count {
            if starts(with: end) {
                position += end.utf8CodeUnitCount
                return
            }
            position += 1
        }
        throw Fault(.unexpectedEnd, bytes.count)
    }

    private mutating func skipQuoted() throws(PropertyListFault) {
        let quote = bytes[position]
        position += 1
        while position < bytes.count {
            position += 1
            if bytes[position - 1] == quote { return }
        }
        throw Fault(.unexpectedEnd, bytes.count)
    }

    // MARK: Elements

    /// Reads the tag at the position; ignores its attributes, which have no meaning in property lists.
    package mutating func tag() throws(PropertyListFault) -> Tag {
        let offset = position
        guard position < bytes.count else { throw Fault(.unexpectedEnd, bytes.count) }
        guard bytes[position] == UInt8(ascii: "<") else { throw unexpected() }
        guard !endsWithinMarkup() else { throw Fault(.unexpectedEnd, bytes.count) }
        position += 1
        let isEnd = position < bytes.count && bytes[position] == UInt8(ascii: "/")
        if isEnd { position += 1 }
        let start = position
        while position < bytes.count, Self.isName(bytes[position]) { position += 1 }
        guard position < bytes.count else { throw Fault(.unexpectedEnd, bytes.count) }
        guard position > start else { throw unexpected() }
        // Truncated at a character.
        let name = String(
            String(decoding: bytes[start..<position].prefix(4 * longestName), as: UTF8.self).prefix(longestName))
        let isEmpty = try skipAttributes(isEnd: isEnd)
        return Tag(name: name, isEnd: isEnd, isEmpty: isEmpty, offset: offset)
    }

    private mutating func skipAttributes(isEnd: Bool) throws(PropertyListFault) -> Bool {
        while true {
            let hasSpace = skipSpace()
            guard position < bytes.count else { throw Fault(.unexpectedEnd, bytes.count) }
            if bytes[position] == UInt8(ascii: ">") {
                position += 1
                return false
            }
            guard !isEnd else { throw unexpected() }
            if bytes[position] == UInt8(ascii: "/") {
                position += 1
                guard position < bytes.count else { throw Fault(.unexpectedEnd, bytes.count) }
                guard bytes[position] == UInt8(ascii: ">") else { throw unexpected() }
                position += 1
                return true
            }
            guard hasSpace, Self.isName(bytes[position]) else { throw unexpected() }
            while position < bytes.count, Self.isName(bytes[position]) { position += 1 }
            skipSpace()
            guard position < bytes.count else { throw Fault(.unexpectedEnd, bytes.count) }
            guard bytes[position] == UInt8(ascii: "=") else { throw unexpected() }
            position += 1
            skipSpace()
            guard position < bytes.count else { throw Fault(.unexpectedEnd, bytes.count) }
            guard bytes[position] == UInt8(ascii: "\"") || bytes[position] == UInt8(ascii: "'") else {
                throw unexpected()
            }
            let start = position
            try skipQuoted()
            guard isStrict, let less = bytes[start..<position].firstIndex(of: UInt8(ascii: "<")) else { continue }
            throw Fault(.unexpectedCharacter("<"), less)
        }
    }

    @discardableResult
    private mutating func skipSpace() -> Bool {
        let start = position
        while position < bytes.count, PropertyListText.isSpace(bytes[position]) { position += 1 }
        return position > start
    }

    /// Reads the text up to the next tag: resolves entities, converts line ends to line feeds (XML 1.0, 2.11), and removes
    /// comments.
    package mutating func text() throws(PropertyListFault) -> String {
        var text: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: "<"):
                if starts(with: "<!--") {
                    try skipComment()
                } else if !isStrict, starts(with: "<?") {
                    try skip(behind: "?>")
                } else if starts(with: "<![CDATA[") {
                    let start = position + 9
                    try skip(behind: "]]>")
                    Self.append(bytes[start..<max(start, position - 3)], to: &text)
                } else {
                    return String(decoding: text, as: UTF8.self)
                }
            case UInt8(ascii: "&"): try reference(into: &text)
            case UInt8(ascii: "]") where starts(with: "]]>"): throw unexpected()
            default:
                var end = position + 1
                while end < bytes.count, ![0x3C, 0x26, 0x5D].contains(bytes[end]) { end += 1 }
                // A line end never spans two pieces: a piece ends only before “<”, “&” or “]”.
                Self.append(bytes[position..<end], to: &text)
                position = end
            }
        }
        throw Fault(.unexpectedEnd, bytes.count)
    }

    private static func append(_ piece: Slice<UnsafeBufferPointer<UInt8>>, to text: inout [UInt8]) {
        guard piece.contains(0x0D) else { return text.append(contentsOf: piece) }
        var followsReturn = false
        for byte in piece {
            if byte == 0x0D || !(byte == 0x0A && followsReturn) { text.append(byte == 0x0D ? 0x0A : byte) }
            followsReturn = byte == 0x0D
        }
    }

    private mutating func reference(into text: inout [UInt8]) throws(PropertyListFault) {
        let offset = position
        position += 1
        let start = position
        while position < bytes.count, position - start < 32, bytes[position] != UInt8(ascii: ";") {
            guard Self.isName(bytes[position]) || bytes[position] == UInt8(ascii: "#") else { throw unexpected() }
            position += 1
        }
        guard position < bytes.count else { throw Fault(.unexpectedEnd, bytes.count) }
        let name = String(decoding: bytes[start..<position], as: UTF8.self)
        guard bytes[position] == UInt8(ascii: ";") else { throw Fault(.unknownEntity(name), offset) }
        position += 1
        switch name {
        case "amp": text.append(UInt8(ascii: "&"))
        case "lt": text.append(UInt8(ascii: "<"))
        case "gt": text.append(UInt8(ascii: ">"))
        case "quot": text.append(UInt8(ascii: "\""))
        case "apos": text.append(UInt8(ascii: "'"))
        default:
            let isHexadecimal = name.hasPrefix("#x")
            let digits = name.dropFirst(isHexadecimal ? 2 : 1)
            guard name.hasPrefix("#"), digits.allSatisfy(\.isHexDigit),
                let code = UInt32(digits, radix: isHexadecimal ? 16 : 10)
            else { throw Fault(.unknownEntity(name), offset) }
            guard let scalar = Unicode.Scalar(code), PropertyListXMLWriter.isAllowed(scalar) else {
                throw Fault(.invalidCharacter(code), offset)
            }
            text.append(contentsOf: Array(String(scalar).utf8))
        }
    }

    /// Returns whether the bytes end within the beginning of a comment, a CDATA section or a document type.
    private func endsWithinMarkup() -> Bool {
        let rest = bytes[position...]
        return ["<!--", "<![CDATA[", "<!DOCTYPE"].contains { rest.count < $0.utf8.count && $0.utf8.starts(with: rest) }
            && rest.count > 1
    }

    // MARK: Bytes

    private func starts(with text: StaticString) -> Bool {
        guard bytes.count - position >= text.utf8CodeUnitCount else { return false }
        // The index is below the text's own count.
        for index in 0..<text.utf8CodeUnitCount where bytes[position + index] != text.utf8Start[index] { return false }
        return true
    }

    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: ":"), 0x80...0xFF:
            true
        default: false
        }
    }

    /// Returns the fault of the character at the position, which lies within the bytes.
    package func unexpected() -> Fault {
        let length = UTF8Sequence.length(in: bytes, at: position)
        guard length > 0 else { return Fault(.invalidUTF8, position) }
        let text = String(decoding: bytes[position..<position + length], as: UTF8.self)
        return Fault(.unexpectedCharacter(text.unicodeScalars.first ?? "\u{FFFD}"), position)
    }
}
