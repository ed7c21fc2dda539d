/// The grammar of tokens and field values (RFC 9110, 5.6.2 and 5.5).
@usableFromInline package enum FieldSyntax {
    /// Returns whether a text is a token.
    package static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(isTokenByte)
    }

    /// Returns whether a text can be a field value: it has no control characters except tabs.
    package static func isValue(_ text: String) -> Bool {
        text.utf8.withContiguousStorageIfAvailable { isValue(UnsafeRawBufferPointer($0)) }
            ?? text.utf8.allSatisfy(isValueByte)
    }

    /// Returns whether bytes can be a field value.
    package static func isValue(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index + 8 <= bytes.count {
            // A tab is rare enough to check its eight bytes one by one.
            if hasControl(bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)) {
                for byte in bytes[index..<index + 8] where !isValueByte(byte) { return false }
            }
            index += 8
        }
        while index < bytes.count {
            guard isValueByte(bytes[index]) else { return false }
            index += 1
        }
        return true
    }

    /// Returns whether a byte may occur in a field value.
    @inlinable
    @inline(__always)
    package static func isValueByte(_ byte: UInt8) -> Bool { (byte >= 0x20 && byte != 0x7F) || byte == 0x09 }

    /// Whether one of eight bytes is below 0x20 or 0x7F: subtracting a number from a smaller byte sets its highest bit.
    private static func hasControl(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let deleted = word ^ (ones &* 0x7F)
        return ((word &- ones &* 0x20) & ~word | (deleted &- ones) & ~deleted) & (ones &* 0x80) != 0
    }

    /// Returns whether a byte may occur in a token: letters, digits, and !#$%&'*+-.^_`|~.
    @inlinable
    @inline(__always)
    package static func isTokenByte(_ byte: UInt8) -> Bool {
        // One bit per byte, since every access to a table would check its lazy initialization.
        let allowed: UInt64 = byte < 64 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
        return byte < 128 && (allowed &>> UInt64(byte & 63)) & 1 != 0
    }

    /// Whether bytes are a token without upper-case letters, as HTTP/2 requires of names (RFC 9113, 8.2.1).
    package static func isLowercaseToken(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if isOfLettersAndHyphens(bytes) { return true }
        for byte in bytes where !isTokenByte(byte) || byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") {
            return false
        }
        return !bytes.isEmpty
    }

    // Nearly all names are; the last eight bytes may overlap those before them.
    private static func isOfLettersAndHyphens(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= 8 else {
            for byte in bytes where byte &- 0x61 > 25 && byte != 0x2D { return false }
            return !bytes.isEmpty
        }
        let last = bytes.count - 8
        for index in stride(from: 0, to: last, by: 8) {
            guard isOfLettersAndHyphens(bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)) else {
                return false
            }
        }
        return isOfLettersAndHyphens(bytes.loadUnaligned(fromByteOffset: last, as: UInt64.self))
    }

    /// Whether each of eight bytes is a lower-case letter or a hyphen. A byte with its highest bit set keeps that bit if the
    /// number subtracted from it is not greater.
    private static func isOfLettersAndHyphens(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let high = ones &* 0x80
        let fromA = (word | high) &- ones &* 0x61
        let behindZ = (word | high) &- ones &* 0x7B
        let noHyphen = ((word ^ (ones &* 0x2D)) | high) &- ones
        return (fromA & ~behindZ | ~noHyphen) & ~word & high == high
    }

    /// A text of at most 80 characters for a message, control characters replaced by U+FFFD.
    package static func printable(_ text: some StringProtocol) -> String { printable(text, limit: 80) }

    /// A text for a message, cut after `limit` characters, control characters replaced by U+FFFD.
    package static func printable(_ text: some StringProtocol, limit: Int) -> String {
        var result = ""
        for scalar in text.unicodeScalars.prefix(limit) {
            result.unicodeScalars.append(isControl(scalar) ? "\u{FFFD}" : scalar)
        }
        return text.unicodeScalars.dropFirst(limit).isEmpty ? result : result + "…"
    }

    /// Returns whether a character affects a terminal or a log: control characters, line ends, changes of direction.
    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case ..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
