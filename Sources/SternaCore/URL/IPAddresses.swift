/// Parses IPv4 addresses as hosts of URLs (WHATWG URL Standard, 3.5).
enum IPv4 {
    /// Returns whether the host's last label makes it an address: all digits, or a hexadecimal number.
    static func endsInNumber(_ host: [UInt8]) -> Bool {
        var end = host.endIndex
        if host.last == UInt8(ascii: ".") { end -= 1 }
        let start = (host[..<end].lastIndex(of: UInt8(ascii: ".")) ?? -1) + 1
        let last = host[start..<end]
        guard !last.isEmpty else { return false }
        return last.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } || number(last) != nil
    }

    /// Parses an address of one to four numbers; nil for other text.
    static func parse(_ host: [UInt8]) -> UInt32? {
        var parts = host.split(separator: UInt8(ascii: "."), maxSplits: 5, omittingEmptySubsequences: false)
        if parts.count > 1, parts.last?.isEmpty == true { parts.removeLast() }
        guard parts.count <= 4 else { return nil }
        var address: UInt64 = 0
        for (index, part) in parts.enumerated() {
            guard let value = number(part) else { return nil }
            if index < parts.count - 1 {
                guard value <= 255 else { return nil }
                address |= value << UInt64(8 * (3 - index))
            } else {
                guard value < 1 << UInt64(8 * (5 - parts.count)) else { return nil }
                address |= value
            }
        }
        return UInt32(exactly: address)
    }

    static func serialise(_ address: UInt32) -> String {
        "\(address >> 24).\(address >> 16 & 255).\(address >> 8 & 255).\(address & 255)"
    }

    /// Parses a decimal, octal ("0…") or hexadecimal ("0x…") number, capped at 2^32; nil for other text.
    private static func number(_ part: ArraySlice<UInt8>) -> UInt64? {
        guard let first = part.first else { return nil }
        var digits = part
        var radix: UInt64 = 10
        if first == UInt8(ascii: "0"), part.count > 1 {
            if part[part.startIndex + 1] | 0x20 == UInt8(ascii: "x") {
                radix = 16
                digits = part.dropFirst(2)
            } else {
                radix = 8
                digits = part.dropFirst()
            }
        }
        var value: UInt64 = 0
        for byte in digits {
            guard let digit = PercentCoding.hexValue(byte), digit < radix else { return nil }
            value = min(value * radix + UInt64(digit), 1 << 32)
        }
        return value
    }
}

/// Parses and serialises IPv6 addresses as hosts of URLs (WHATWG URL Standard, 3.5).
enum IPv6 {
    /// Parses the text between the brackets into eight pieces; nil if it is not an address.
    static func parse(_ input: ArraySlice<UInt8>) -> [UInt16]? {
        let colon = UInt8(ascii: ":")
        var pieces: [UInt16] = []
        var gap: Int?
        var index = input.startIndex
        if input.first == colon {
            guard input.count > 1, input[index + 1] == colon else { return nil }
            gap = 0
            index += 2
        }
        while index < input.endIndex {
            guard pieces.count < 8 else { return nil }
            if input[index] == colon {
                guard gap == nil else { return nil }
                gap = pieces.count
                index += 1
                continue
            }
            let start = index
            var value: UInt16 = 0
            while index < input.endIndex, index - start < 4, let digit = PercentCoding.hexValue(input[index]) {
                value = value << 4 | UInt16(digit)
                index += 1
            }
            if index < input.endIndex, input[index] == UInt8(ascii: ".") {
                guard pieces.count <= 6, let address = embedded(input[start...]) else { return nil }
                pieces.append(UInt16(truncatingIfNeeded: address >> 16))
                pieces.append(UInt16(truncatingIfNeeded: address))
                index = input.endIndex
                break
            }
            guard index > start else { return nil }
            if index < input.endIndex {
                guard input[index] == colon, index + 1 < input.endIndex else { return nil }
                index += 1
            }
            pieces.append(value)
        }
        guard let gap else { return pieces.count == 8 ? pieces : nil }
        guard pieces.count < 8 else { return nil }
        pieces.insert(contentsOf: repeatElement(0, count: 8 - pieces.count), at: gap)
        return pieces
    }

    /// The address in its canonical form, without brackets (RFC 5952, 4).
    static func serialise(_ pieces: [UInt16]) -> String {
        var longest = 0..<0
        var index = 0
        while index < pieces.count {
            let start = index
            while index < pieces.count, pieces[index] == 0 { index += 1 }
            if index - start > max(longest.count, 1) { longest = start..<index }
            if index == start { index += 1 }
        }
        let hex = { (range: Range<Int>) in range.map { String(pieces[$0], radix: 16) }.joined(separator: ":") }
        guard !longest.isEmpty else { return hex(pieces.indices) }
        return hex(0..<longest.lowerBound) + "::" + hex(longest.upperBound..<pieces.count)
    }

    /// Parses four decimal numbers without leading zeros.
    static func embedded(_ input: ArraySlice<UInt8>) -> UInt32? {
        var (address, number): (UInt32, UInt32) = (0, 0)
        var (digits, dots) = (0, 0)
        for byte in input {
            if byte == UInt8(ascii: ".") {
                guard digits > 0, dots < 3 else { return nil }
                address = address << 8 | number
                (number, digits, dots) = (0, 0, dots + 1)
                continue
            }
            // A number must not have leading zeros.
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte), digits == 0 || number > 0 else { return nil }
            number = number * 10 + UInt32(byte - UInt8(ascii: "0"))
            guard number <= 255 else { return nil }
            digits += 1
        }
        guard dots == 3, digits > 0 else { return nil }
        return address << 8 | number
    }
}
