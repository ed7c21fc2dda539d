import SternaCore

/// A parsing fault, before its line and column are known.
struct JSONFault: Error {
    let reason: JSON.ParseError.Reason
    let offset: Int
}

/// Parses one text without recursion, so that deep nesting does not overflow the stack.
struct JSONParser {
    // Outlives the parser; every index is checked against the count before it is read.
    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0
    // Kept between strings, so that only the first one with an escape allocates it.
    private var scratch: [UInt8] = []
    private let limits: JSON.ParseLimits
    private var remainingValues: Int

    private enum Kind {
        case none
        case array
        case object
    }

    /// An open container, or the surroundings of the outermost value.
    private struct Container {
        let kind: Kind
        var elements: [JSON] = []
        var object = JSON.Object()
        var key = ""
    }

    init(bytes: UnsafeBufferPointer<UInt8>, limits: JSON.ParseLimits) {
        self.bytes = bytes
        self.limits = limits
        remainingValues = limits.values
    }

    mutating func parse() throws(JSONFault) -> JSON {
        guard bytes.count <= limits.bytes else {
            throw JSONFault(reason: .tooLarge(limit: limits.bytes), offset: max(0, limits.bytes))
        }
        position = TextPosition.markLength(bytes)
        let value = try parseTree()
        skipWhiteSpace()
        guard position == bytes.count else { throw JSONFault(reason: .trailingContent, offset: position) }
        return value
    }

    private mutating func parseTree() throws(JSONFault) -> JSON {
        var outer: [Container] = []
        var open = Container(kind: .none)
        while true {
            let first = try nextByte()
            guard remainingValues > 0 else {
                throw JSONFault(reason: .tooManyValues(limit: limits.values), offset: position)
            }
            remainingValues -= 1
            var value: JSON
            if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
                let isObject = first == UInt8(ascii: "{")
                let depth = open.kind == .none ? 0 : outer.count
                guard depth < limits.depth else {
                    throw JSONFault(reason: .tooDeep(limit: limits.depth), offset: position)
                }
                position += 1
                if try nextByte() == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                    position += 1
                    value = isObject ? .object(JSON.Object()) : .array([])
                } else {
                    outer.append(open)
                    open = Container(kind: isObject ? .object : .array)
                    if isObject { open.key = try parseKey() }
                    continue
                }
            } else {
                value = try parseScalar(first)
            }
            // Adds the value to its container, and each container that ends here to its own.
            attaching: while true {
                let closing: UInt8
                switch open.kind {
                case .none: return value
                case .array:
                    open.elements.append(value)
                    closing = UInt8(ascii: "]")
                case .object:
                    open.object.set(value, for: open.key)
                    closing = UInt8(ascii: "}")
                }
                let next = try nextByte()
                if next == UInt8(ascii: ",") {
                    position += 1
                    if open.kind == .object { open.key = try parseKey() }
                    break attaching
                }
                guard next == closing else { throw unexpected() }
                position += 1
                value = open.kind == .object ? .object(open.object) : .array(open.elements)
                // Each open container has an outer one.
                open = outer.popLast() ?? Container(kind: .none)
            }
        }
    }

    private mutating func parseKey() throws(JSONFault) -> String {
        guard try nextByte() == UInt8(ascii: "\"") else { throw unexpected() }
        let start = position
        position += 1
        let key = try parseString()
        guard StreamSafe.isSafe(key) else {
            throw JSONFault(reason: .tooManyMarks(limit: StreamSafe.limit), offset: start)
        }
        guard try nextByte() == UInt8(ascii: ":") else { throw unexpected() }
        position += 1
        return key
    }

    private mutating func parseScalar(_ first: UInt8) throws(JSONFault) -> JSON {
        switch first {
        case UInt8(ascii: "\""):
            position += 1
            return .string(try parseString())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            var scanner = JSONNumberScanner(bytes: bytes, position: position)
            let number = try scanner.scan()
            position = scanner.position
            return .number(number)
        case UInt8(ascii: "t"):
            try parseWord("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try parseWord("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try parseWord("null")
            return .null
        default:
            throw unexpected()
        }
    }

    private mutating func parseWord(_ word: StaticString) throws(JSONFault) {
        for index in 0..<word.utf8CodeUnitCount {
            guard position < bytes.count else { throw JSONFault(reason: .unexpectedEnd, offset: position) }
            // The index is below the word's own count.
            guard bytes[position] == word.utf8Start[index] else { throw unexpected() }
            position += 1
        }
    }

    @inline(__always)
    private mutating func skipWhiteSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): position += 1
            default: return
            }
        }
    }

    /// Returns the byte after white space without consuming it.
    @inline(__always)
    private mutating func nextByte() throws(JSONFault) -> UInt8 {
        skipWhiteSpace()
        guard position < bytes.count else { throw JSONFault(reason: .unexpectedEnd, offset: position) }
        return bytes[position]
    }

    /// Returns the fault of the character at the position, which lies within the bytes.
    private func unexpected() -> JSONFault {
        let length = UTF8Sequence.length(in: bytes, at: position)
        guard length > 0 else { return JSONFault(reason: .invalidUTF8, offset: position) }
        let text = String(decoding: bytes[position..<position + length], as: UTF8.self)
        return JSONFault(reason: .unexpectedCharacter(text.unicodeScalars.first ?? "\u{FFFD}"), offset: position)
    }
}

extension JSONParser {
    /// Parses the string after its opening quotation mark.
    private mutating func parseString() throws(JSONFault) -> String {
        let start = position
        try passPlainBytes()
        if bytes[position] == UInt8(ascii: "\"") {
            // The end is a position within the bytes, at or after the start.
            let text = String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
            position += 1
            return text
        }
        return try parseEscapedString(from: start)
    }

    private mutating func parseEscapedString(from start: Int) throws(JSONFault) -> String {
        scratch.removeAll(keepingCapacity: true)
        var runStart = start
        while true {
            // The end is a position within the bytes, at or after the run's start.
            scratch.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[runStart..<position]))
            let stop = bytes[position]
            if stop == UInt8(ascii: "\"") {
                position += 1
                return String(decoding: scratch, as: UTF8.self)
            }
            try parseEscape()
            runStart = position
            try passPlainBytes()
        }
    }

    /// Skips well-formed text up to a quotation mark or a backslash, and stops at it.
    private mutating func passPlainBytes() throws(JSONFault) {
        while true {
            position += plainPrefix(at: position)
            guard position < bytes.count else { throw JSONFault(reason: .unexpectedEnd, offset: position) }
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return }
            if byte < 0x20 { throw JSONFault(reason: .controlCharacter(byte), offset: position) }
            if byte < 0x80 {
                position += 1
                continue
            }
            let length = UTF8Sequence.length(in: bytes, at: position)
            guard length > 0 else { throw JSONFault(reason: .invalidUTF8, offset: position) }
            position += length
        }
    }

    /// Returns how many bytes from a position on are ASCII text that needs no inspection, found eight at a time.
    @inline(__always)
    private func plainPrefix(at start: Int) -> Int {
        guard let base = UnsafeRawPointer(bytes.baseAddress) else { return 0 }
        var index = start
        while bytes.count - index >= 8 {
            // Eight bytes from the index on lie within the buffer.
            let word = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let ones: UInt64 = 0x0101_0101_0101_0101
            let highs: UInt64 = 0x8080_8080_8080_8080
            let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
            let backslashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
            // A high bit marks a byte that is zero after the difference, below 0x20, or above 0x7F. Borrows may mark
            // bytes above the lowest true mark, never below it, and only the lowest is read.
            let marks =
                ((quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes | (word &- ones &* 0x20) & ~word
                    | word) & highs
            if marks != 0 { return index - start + marks.trailingZeroBitCount / 8 }
            index += 8
        }
        return index - start
    }

    private mutating func parseEscape() throws(JSONFault) {
        let start = position
        guard position + 1 < bytes.count else { throw JSONFault(reason: .unexpectedEnd, offset: bytes.count) }
        let letter = bytes[position + 1]
        position += 2
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): scratch.append(letter)
        case UInt8(ascii: "b"): scratch.append(0x08)
        case UInt8(ascii: "f"): scratch.append(0x0C)
        case UInt8(ascii: "n"): scratch.append(0x0A)
        case UInt8(ascii: "r"): scratch.append(0x0D)
        case UInt8(ascii: "t"): scratch.append(0x09)
        case UInt8(ascii: "u"): try parseCodeUnits(from: start)
        default: throw JSONFault(reason: .invalidEscape, offset: start)
        }
    }

    private mutating func parseCodeUnits(from start: Int) throws(JSONFault) {
        var value = try parseHexadecimal(from: start)
        if UTF16.isTrailSurrogate(UInt16(truncatingIfNeeded: value)) {
            throw JSONFault(reason: .loneSurrogate, offset: start)
        }
        if UTF16.isLeadSurrogate(UInt16(truncatingIfNeeded: value)) {
            let second = position
            for expected in [UInt8(ascii: "\\"), UInt8(ascii: "u")] {
                guard position < bytes.count else { throw JSONFault(reason: .unexpectedEnd, offset: position) }
                guard bytes[position] == expected else { throw JSONFault(reason: .loneSurrogate, offset: start) }
                position += 1
            }
            let trail = try parseHexadecimal(from: second)
            guard UTF16.isTrailSurrogate(UInt16(truncatingIfNeeded: trail)) else {
                throw JSONFault(reason: .loneSurrogate, offset: start)
            }
            value = 0x10000 + (value & 0x3FF) << 10 + trail & 0x3FF
        }
        // Surrogates are excluded, so every remaining value is a scalar.
        scratch.append(contentsOf: Character(Unicode.Scalar(value) ?? "\u{FFFD}").utf8)
    }

    /// Parses the four hexadecimal digits at the position.
    private mutating func parseHexadecimal(from start: Int) throws(JSONFault) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard position < bytes.count else { throw JSONFault(reason: .unexpectedEnd, offset: position) }
            let digit: UInt8
            switch bytes[position] {
            case let byte where byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case let byte where byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "f"):
                digit = byte - UInt8(ascii: "a") + 10
            case let byte where byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "F"):
                digit = byte - UInt8(ascii: "A") + 10
            default: throw JSONFault(reason: .invalidEscape, offset: start)
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }
}

/// Well-formed byte sequences of UTF-8 (RFC 3629, section 4).
package enum UTF8Sequence {
    /// Returns the length of the well-formed sequence at an index within the bytes; 0 without one.
    package static func length(in bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Int {
        let first = bytes[index]
        let count: Int
        // The second byte's range excludes overlong forms, surrogates and values above U+10FFFF.
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch first {
        case 0x00...0x7F: return 1
        case 0xC2...0xDF: count = 2
        case 0xE0: (count, second) = (3, 0xA0...0xBF)
        case 0xED: (count, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: count = 3
        case 0xF0: (count, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: count = 4
        case 0xF4: (count, second) = (4, 0x80...0x8F)
        default: return 0
        }
        guard bytes.count - index >= count, second.contains(bytes[index + 1]) else { return 0 }
        for offset in 2..<max(2, count) where bytes[index + offset] & 0xC0 != 0x80 { return 0 }
        return count
    }
}
