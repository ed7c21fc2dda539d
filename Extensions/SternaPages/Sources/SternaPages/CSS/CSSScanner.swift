/// Splits CSS into tokens (CSS Syntax Level 3, 4.3), over bytes of UTF-8 that need not be valid.
struct CSSScanner {
    private let bytes: [UInt8]
    private(set) var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns the next token; nil at the end.
    mutating func next() -> CSSToken? {
        guard let byte = peek() else { return nil }
        switch byte {
        case _ where Self.isSpace(byte):
            while let next = peek(), Self.isSpace(next) { position += 1 }
            return .space
        case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"):
            comment()
            return .comment
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return string()
        case UInt8(ascii: "@"):
            position += 1
            guard startsName(0) else { return .other }
            return .atKeyword(name().lowercased())
        case UInt8(ascii: "#"):
            position += 1
            _ = name()
            return .other
        case _ where startsNumber():
            number()
            if startsName(0) { _ = name() }
            return .other
        case UInt8(ascii: "-") where peek(1) == byte && peek(2) == UInt8(ascii: ">"):
            position += 3
            return .other
        case _ where startsName(0): return nameLike()
        default:
            position += 1
            return Self.punctuation(byte)
        }
    }

    private static func punctuation(_ byte: UInt8) -> CSSToken {
        switch byte {
        case UInt8(ascii: ";"): .semicolon
        case UInt8(ascii: "{"): .openCurly
        case UInt8(ascii: "}"): .closeCurly
        case UInt8(ascii: "("): .openRound
        case UInt8(ascii: ")"): .closeRound
        case UInt8(ascii: "["): .openSquare
        case UInt8(ascii: "]"): .closeSquare
        default: .other
        }
    }

    // MARK: Tokens

    private mutating func comment() {
        position += 2
        while let byte = peek() {
            position += 1
            if byte == UInt8(ascii: "*"), peek() == UInt8(ascii: "/") {
                position += 1
                return
            }
        }
    }

    private mutating func string() -> CSSToken {
        let start = position
        let quote = peek()
        position += 1
        var value: [UInt8] = []
        while let byte = peek() {
            switch byte {
            case _ where byte == quote:
                position += 1
                return .string(text(start..<position, value))
            case _ where Self.isNewline(byte): return .badString
            case UInt8(ascii: "\\"):
                position += 1
                guard let next = peek() else { break }
                if Self.isNewline(next) { skipNewline() } else { escape(into: &value) }
            default:
                position += 1
                Self.append(byte, to: &value)
            }
        }
        return .string(text(start..<position, value))
    }

    private mutating func nameLike() -> CSSToken {
        let name = name().lowercased()
        guard peek() == UInt8(ascii: "(") else { return .other }
        position += 1
        guard name == "url" else { return .function(name) }
        var ahead = 0
        while let byte = peek(ahead), Self.isSpace(byte) { ahead += 1 }
        if let byte = peek(ahead), byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { return .function(name) }
        position += ahead
        return url()
    }

    private mutating func url() -> CSSToken {
        let start = position
        var value: [UInt8] = []
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: ")"):
                position += 1
                return .url(text(start..<position - 1, value))
            case _ where Self.isSpace(byte):
                let end = position
                while let next = peek(), Self.isSpace(next) { position += 1 }
                guard let next = peek() else { return .url(text(start..<end, value)) }
                guard next == UInt8(ascii: ")") else { return badURL() }
                position += 1
                return .url(text(start..<end, value))
            case UInt8(ascii: "\\"):
                guard startsEscape(0) else { return badURL() }
                position += 1
                escape(into: &value)
            case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "("): return badURL()
            case _ where Self.isUnprintable(byte): return badURL()
            default:
                position += 1
                Self.append(byte, to: &value)
            }
        }
        return .url(text(start..<position, value))
    }

    private mutating func badURL() -> CSSToken {
        while let byte = peek() {
            if startsEscape(0) {
                position += 1
                var ignored: [UInt8] = []
                escape(into: &ignored)
                continue
            }
            position += 1
            if byte == UInt8(ascii: ")") { break }
        }
        return .badURL
    }

    private mutating func number() {
        if let sign = peek(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { position += 1 }
        digits()
        if peek() == UInt8(ascii: "."), let next = peek(1), Self.isDigit(next) {
            position += 1
            digits()
        }
        guard let mark = peek(), mark | 0x20 == UInt8(ascii: "e") else { return }
        var ahead = 1
        if let sign = peek(1), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { ahead = 2 }
        guard let digit = peek(ahead), Self.isDigit(digit) else { return }
        position += ahead
        digits()
    }

    private mutating func digits() { while let byte = peek(), Self.isDigit(byte) { position += 1 } }

    private mutating func name() -> String {
        var value: [UInt8] = []
        while let byte = peek() {
            if Self.isNameByte(byte) {
                position += 1
                Self.append(byte, to: &value)
            } else if startsEscape(0) {
                position += 1
                escape(into: &value)
            } else {
                break
            }
        }
        return String(decoding: value, as: UTF8.self)
    }

    /// Reads what stands behind a backslash.
    private mutating func escape(into value: inout [UInt8]) {
        guard let first = peek() else { return value += [0xEF, 0xBF, 0xBD] }
        guard Self.hexValue(first) != nil else {
            position += 1
            return Self.append(first, to: &value)
        }
        var code: UInt32 = 0
        var count = 0
        while count < 6, let byte = peek(), let digit = Self.hexValue(byte) {
            code = code << 4 | digit
            position += 1
            count += 1
        }
        if let byte = peek(), Self.isSpace(byte) { skipNewline() }
        let scalar = code == 0 ? nil : Unicode.Scalar(code)
        value += Array(String(scalar ?? "\u{FFFD}").utf8)
    }

    /// Skips one white space; CR LF counts as one.
    private mutating func skipNewline() {
        if peek() == 0x0D, peek(1) == 0x0A { position += 1 }
        position += 1
    }

    // MARK: Looking ahead

    private func peek(_ ahead: Int = 0) -> UInt8? {
        let index = position + ahead
        return index < bytes.count ? bytes[index] : nil
    }

    private func startsEscape(_ ahead: Int) -> Bool {
        guard peek(ahead) == UInt8(ascii: "\\") else { return false }
        return peek(ahead + 1).map { !Self.isNewline($0) } ?? true
    }

    private func startsName(_ ahead: Int) -> Bool {
        guard let byte = peek(ahead) else { return false }
        if byte == UInt8(ascii: "-") {
            guard let next = peek(ahead + 1) else { return false }
            return next == byte || Self.isNameStart(next) || startsEscape(ahead + 1)
        }
        return Self.isNameStart(byte) || startsEscape(ahead)
    }

    private func startsNumber() -> Bool {
        var ahead = 0
        if let sign = peek(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { ahead = 1 }
        if peek(ahead) == UInt8(ascii: ".") { ahead += 1 }
        return peek(ahead).map(Self.isDigit) ?? false
    }

    private func text(_ range: Range<Int>, _ value: [UInt8]) -> CSSToken.Text {
        CSSToken.Text(range: range, value: String(decoding: value, as: UTF8.self))
    }

    // MARK: Bytes

    /// Appends a byte; NUL stands for U+FFFD.
    private static func append(_ byte: UInt8, to value: inout [UInt8]) {
        if byte == 0 { value += [0xEF, 0xBF, 0xBD] } else { value.append(byte) }
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || isNewline(byte) }

    static func isNewline(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D || byte == 0x0C }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func isNameStart(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "_") || byte >= 0x80 || byte == 0
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        isNameStart(byte) || isDigit(byte) || byte == UInt8(ascii: "-")
    }

    static func isUnprintable(_ byte: UInt8) -> Bool {
        (0x01...0x08).contains(byte) || byte == 0x0B || (0x0E...0x1F).contains(byte) || byte == 0x7F
    }

    static func hexValue(_ byte: UInt8) -> UInt32? {
        switch byte {
        case 0x30...0x39: UInt32(byte - 0x30)
        case 0x41...0x46: UInt32(byte - 0x41 + 10)
        case 0x61...0x66: UInt32(byte - 0x61 + 10)
        default: nil
        }
    }
}
