/// Checks a text piece by piece as UTF-8 (RFC 3629); a piece may end within a character.
struct UTF8Check: Sendable {
    // How many bytes the last character lacks, and the range of its next byte.
    private var missing: UInt8 = 0
    private var lower: UInt8 = 0x80
    private var upper: UInt8 = 0xBF

    /// Whether the last character is complete.
    var isComplete: Bool { missing == 0 }

    /// Returns false if the bytes cannot continue the text.
    @inline(__always)
    mutating func accepts(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if missing == 0, let index = Self.firstNonASCII(bytes, from: 0) {
            return acceptsAny(UnsafeRawBufferPointer(rebasing: bytes[index...]))
        }
        return missing == 0 || acceptsAny(bytes)
    }

    /// Returns the index of the first byte that is not ASCII, checking eight bytes at a time; nil if all are ASCII.
    @inline(__always)
    private static func firstNonASCII(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var index = start
        while index &+ 32 <= bytes.count {
            let words = bytes.loadUnaligned(fromByteOffset: index, as: SIMD4<UInt64>.self)
            let any = words.lowHalf | words.highHalf
            if (any.x | any.y) & highBits != 0 { break }
            index &+= 32
        }
        while index &+ 8 <= bytes.count {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)) & highBits
            if word != 0 { return index &+ word.trailingZeroBitCount / 8 }
            index &+= 8
        }
        while index < bytes.count {
            if bytes[index] >= 0x80 { return index }
            index &+= 1
        }
        return nil
    }

    private static var highBits: UInt64 { 0x8080_8080_8080_8080 }

    private mutating func acceptsAny(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while missing > 0 {
            guard index < bytes.count else { return true }
            guard takes(bytes[index]) else { return false }
            index += 1
        }
        while index < bytes.count {
            if bytes[index] < 0x80 {
                guard let next = Self.firstNonASCII(bytes, from: index) else { return true }
                index = next
            }
            while index + 4 <= bytes.count {
                let word = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self))
                if word & 0x80 == 0 { break }
                let length = Self.lengthOfCharacter(word)
                if length == 0 { return false }
                index += length
            }
            // The last bytes, which may be an incomplete character.
            while index < bytes.count, index + 4 > bytes.count {
                guard missing > 0 ? takes(bytes[index]) : begins(bytes[index]) else { return false }
                index += 1
            }
        }
        return true
    }

    /// Returns the length of the character of two to four bytes at the front of four bytes, the first of which is the lowest; 0 if
    /// there is none.
    @inline(__always)
    private static func lengthOfCharacter(_ word: UInt32) -> Int {
        if word & 0x00C0_C0F0 == 0x0080_80E0 {
            // The lead E0 needs A0 and above, since less would be overlong; ED needs less than A0, the rest are surrogates.
            let rare = word & 0x200F
            return rare != 0 && rare != 0x200D ? 3 : 0
        }
        // The leads C0 and C1 would be overlong.
        if word & 0xC0E0 == 0x80C0 { return word & 0x1E != 0 ? 2 : 0 }
        if word & 0xC0C0_C0F8 == 0x8080_80F0 {
            // The lead F0 needs 90 and above; F4 needs less than 90, and leads above it have no character.
            return word & 0x3007 != 0 && (word & 0x4 == 0 || word & 0x3003 == 0) ? 4 : 0
        }
        return 0
    }

    private mutating func begins(_ lead: UInt8) -> Bool {
        (lower, upper) = (0x80, 0xBF)
        switch lead {
        case 0x00...0x7F: missing = 0
        case 0xC2...0xDF: missing = 1
        case 0xE0: (missing, lower) = (2, 0xA0)
        case 0xED: (missing, upper) = (2, 0x9F)
        case 0xE1...0xEF: missing = 2
        case 0xF0: (missing, lower) = (3, 0x90)
        case 0xF1...0xF3: missing = 3
        case 0xF4: (missing, upper) = (3, 0x8F)
        default: return false
        }
        return true
    }

    private mutating func takes(_ byte: UInt8) -> Bool {
        guard byte >= lower, byte <= upper else { return false }
        (lower, upper) = (0x80, 0xBF)
        missing -= 1
        return true
    }
}
