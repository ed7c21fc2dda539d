import NIOCore
import SternaCore
import SternaSerialization

/// Reads text as browsers do: by byte order mark, the server's word, a declaration in the text, and without an end at bad bytes.
enum PageEncoding {
    /// How far declarations are looked for, in bytes.
    private static let declarationLimit = 4_096

    /// Returns the text of a document of HTML.
    static func html(_ bytes: Bytes, charset: String?) -> String {
        let encoding = markedEncoding(bytes) ?? label(charset) ?? declaredInHTML(bytes) ?? .utf8
        return text(bytes, encoding, guesses: charset == nil && declaredInHTML(bytes) == nil)
    }

    /// Returns the encoding in which a document of HTML is read.
    static func encodingOfHTML(_ bytes: Bytes, charset: String?) -> TextEncoding {
        markedEncoding(bytes) ?? label(charset) ?? declaredInHTML(bytes)
            ?? (TextEncoding.utf8.decode(bytes) == nil ? .windows1252 : .utf8)
    }

    /// Returns a style sheet's bytes in UTF-8 (CSS Syntax Level 3, 3.2); unchanged if they are that already.
    ///
    /// - Parameter environment: the encoding of what refers to it.
    static func css(_ bytes: Bytes, charset: String?, environment: TextEncoding) -> [UInt8] {
        let declared = declaredInCSS(bytes)
        let encoding = markedEncoding(bytes) ?? label(charset) ?? declared?.encoding ?? environment
        guard encoding != .utf8, !isASCII(bytes) else {
            guard let declared, declared.encoding != .utf8 else { return bytes.array }
            // What the server says comes before a declaration that is wrong, and is not there in a file.
            return Array(declaration.utf8) + bytes.array.dropFirst(declared.length)
        }
        var text = text(bytes, encoding, guesses: false)
        if let declared = declaredInCSS(Bytes(text: text)) {
            text = String(text.utf8.dropFirst(declared.length)) ?? text
        }
        return Array((declaration + text).utf8)
    }

    private static let declaration = "@charset \"utf-8\";"

    /// Returns a script's bytes in UTF-8, the encoding that a saved page has; unchanged if they are that already.
    static func script(_ bytes: Bytes, charset: String?, environment: TextEncoding) -> Bytes {
        let encoding = markedEncoding(bytes) ?? label(charset) ?? environment
        guard encoding != .utf8, !isASCII(bytes) else { return bytes }
        return Bytes(text: text(bytes, encoding, guesses: false))
    }

    // MARK: Which encoding

    /// The encoding that a byte order mark names (Encoding Standard, 6).
    private static func markedEncoding(_ bytes: Bytes) -> TextEncoding? {
        let start = bytes.readableBytesView.prefix(3)
        if start.starts(with: [0xEF, 0xBB, 0xBF]) { return .utf8 }
        if start.starts(with: [0xFE, 0xFF]) { return .utf16BigEndian }
        return start.starts(with: [0xFF, 0xFE]) ? .utf16LittleEndian : nil
    }

    /// The encoding of a label, as browsers read it.
    static func label(_ label: String?) -> TextEncoding? {
        guard let label, let encoding = TextEncoding(label: label) else { return nil }
        switch encoding {
        case .latin1, .ascii: return .windows1252
        case .utf32, .utf32LittleEndian, .utf32BigEndian: return nil
        case .utf16: return .utf16LittleEndian
        default: return encoding
        }
    }

    /// The encoding that a `meta` element declares (HTML Standard, 13.2.3.2, without its rarest forms).
    private static func declaredInHTML(_ bytes: Bytes) -> TextEncoding? {
        let text = Array(bytes.readableBytesView.prefix(declarationLimit)).map { byte -> UInt8 in
            (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
        }
        var position = 0
        while position < text.count {
            let rest = text[position...]
            if rest.starts(with: "<!--".utf8) {
                position = end(of: "-->", in: text, from: position + 2)
            } else if rest.starts(with: "<meta".utf8) {
                let end = end(of: ">", in: text, from: position)
                if let encoding = charset(in: text[position..<end]) { return encoding }
                position = end
            } else {
                position += 1
            }
        }
        return nil
    }

    private static func end(of mark: String, in text: [UInt8], from start: Int) -> Int {
        let mark = Array(mark.utf8)
        var position = start
        while position + mark.count <= text.count {
            if text[position] == mark[0], text[position...].starts(with: mark) { return position + mark.count }
            position += 1
        }
        return text.count
    }

    /// The value behind `charset=`.
    private static func charset(in tag: ArraySlice<UInt8>) -> TextEncoding? {
        let name = Array("charset".utf8)
        var position = tag.startIndex
        while position + name.count < tag.endIndex {
            guard tag[position] == name[0], tag[position...].starts(with: name) else {
                position += 1
                continue
            }
            position += name.count
            var rest = tag[position...].drop(while: CSSScanner.isSpace)
            guard rest.first == UInt8(ascii: "=") else { continue }
            rest = rest.dropFirst().drop(while: CSSScanner.isSpace)
            if let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") { rest.removeFirst() }
            let value = rest.prefix { !CSSScanner.isSpace($0) && !"\"';>/".utf8.contains($0) }
            guard let encoding = label(String(decoding: value, as: UTF8.self)) else { continue }
            // A declaration that can be read as ASCII is not in UTF-16.
            return [.utf16LittleEndian, .utf16BigEndian].contains(encoding)
                ? .utf8 : encoding == .userDefined ? .windows1252 : encoding
        }
        return nil
    }

    /// The encoding that `@charset` declares, and the length of the rule.
    private static func declaredInCSS(_ bytes: Bytes) -> (encoding: TextEncoding?, length: Int)? {
        let start = Array("@charset \"".utf8)
        let text = Array(bytes.readableBytesView.prefix(1_024))
        guard text.starts(with: start), let quote = text[start.count...].firstIndex(of: UInt8(ascii: "\"")),
            quote + 1 < text.count, text[quote + 1] == UInt8(ascii: ";")
        else { return nil }
        let encoding = label(String(decoding: text[start.count..<quote], as: UTF8.self))
        let isWide = encoding == .utf16LittleEndian || encoding == .utf16BigEndian
        return (isWide ? .utf8 : encoding, quote + 2)
    }

    // MARK: Reading

    private static func isASCII(_ bytes: Bytes) -> Bool { bytes.readableBytesView.allSatisfy { $0 < 0x80 } }

    /// Reads bytes to their end: what is invalid becomes U+FFFD.
    private static func text(_ bytes: Bytes, _ encoding: TextEncoding, guesses: Bool) -> String {
        if let text = encoding.decode(bytes) { return withoutMark(text) }
        switch encoding {
        case .utf8:
            if guesses, let text = TextEncoding.windows1252.decode(bytes) { return text }
            return withoutMark(bytes.text)
        case .utf16LittleEndian, .utf16BigEndian: return withoutMark(utf16(bytes, isBig: encoding == .utf16BigEndian))
        default:
            // No set has a line feed within a character.
            var lines: [String] = []
            for line in bytes.array.split(separator: 0x0A, omittingEmptySubsequences: false) {
                lines.append(encoding.decode(Bytes(copying: line)) ?? onlyASCII(line))
            }
            return lines.joined(separator: "\n")
        }
    }

    private static func onlyASCII(_ line: ArraySlice<UInt8>) -> String {
        var text = ""
        for byte in line { text.unicodeScalars.append(byte < 0x80 ? Unicode.Scalar(byte) : "\u{FFFD}") }
        return text
    }

    private static func utf16(_ bytes: Bytes, isBig: Bool) -> String {
        let array = bytes.array
        var units: [UInt16] = []
        units.reserveCapacity(array.count / 2)
        for index in stride(from: 0, to: array.count - 1, by: 2) {
            let (first, second) = (UInt16(array[index]), UInt16(array[index + 1]))
            units.append(isBig ? first << 8 | second : second << 8 | first)
        }
        return String(decoding: units, as: UTF16.self)
    }

    private static func withoutMark(_ text: String) -> String {
        text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
    }
}
