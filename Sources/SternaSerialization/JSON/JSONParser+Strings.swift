extension JSONParser {
    /// Parses the string after its opening quotation mark.
    mutating func parseString() throws(JSONFault) -> String {
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
enum UTF8Sequence {
    /// Returns the length of the well-formed sequence at an index within the bytes; 0 without one.
    static func length(in bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Int {
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
