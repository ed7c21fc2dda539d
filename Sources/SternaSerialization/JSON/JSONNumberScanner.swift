/// Scans one number by the grammar of RFC 8259, section 6, and selects the smallest representation that fits it.
struct JSONNumberScanner {
    // Outlives the scanner, and every index is below the count where it is read.
    let bytes: UnsafeBufferPointer<UInt8>
    var position: Int

    // The digits without leading zeros as a whole number, correct up to 19 of them.
    private var mantissa: UInt64 = 0
    private var digitCount = 0
    // Digits after the point.
    private var fractionDigits: Int64 = 0
    private var exponent: Int64 = 0

    // Beyond any exponent of a `Double`, whatever the number of digits, and far from overflow.
    private static let exponentCap: Int64 = 1 << 50

    init(bytes: UnsafeBufferPointer<UInt8>, position: Int) {
        self.bytes = bytes
        self.position = position
    }

    mutating func scan() throws(JSONFault) -> JSON.Number {
        let start = position
        let isNegative = peek() == UInt8(ascii: "-")
        if isNegative { position += 1 }
        if peek() == UInt8(ascii: "0") {
            position += 1
            if isDigit(peek()) { throw JSONFault(reason: .invalidNumber, offset: position) }
        } else {
            try scanDigits()
        }
        var isWhole = true
        if peek() == UInt8(ascii: ".") {
            isWhole = false
            position += 1
            let first = position
            try scanDigits()
            fractionDigits = Int64(position - first)
        }
        if peek() == UInt8(ascii: "e") || peek() == UInt8(ascii: "E") {
            isWhole = false
            position += 1
            try scanExponent()
        }
        if isWhole, let number = whole(isNegative: isNegative) { return number }
        return fraction(isNegative: isNegative, start: start)
    }

    private mutating func scanDigits() throws(JSONFault) {
        let first = position
        while let digit = peek(), isDigit(digit) {
            if digitCount > 0 || digit != UInt8(ascii: "0") {
                digitCount += 1
                if digitCount <= 19 { mantissa = mantissa &* 10 &+ UInt64(digit &- UInt8(ascii: "0")) }
            }
            position += 1
        }
        if position == first { throw missingDigit() }
    }

    private mutating func scanExponent() throws(JSONFault) {
        var isNegative = false
        if let sign = peek(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
            isNegative = sign == UInt8(ascii: "-")
            position += 1
        }
        let first = position
        while let digit = peek(), isDigit(digit) {
            if exponent < Self.exponentCap { exponent = exponent * 10 + Int64(digit - UInt8(ascii: "0")) }
            position += 1
        }
        if position == first { throw missingDigit() }
        if isNegative { exponent = -exponent }
    }

    private func missingDigit() -> JSONFault {
        JSONFault(reason: position < bytes.count ? .invalidNumber : .unexpectedEnd, offset: position)
    }

    @inline(__always)
    private func peek() -> UInt8? {
        position < bytes.count ? bytes[position] : nil
    }

    @inline(__always)
    private func isDigit(_ byte: UInt8?) -> Bool {
        guard let byte else { return false }
        return byte &- UInt8(ascii: "0") < 10
    }

    private func whole(isNegative: Bool) -> JSON.Number? {
        guard digitCount <= 19 else {
            // Twenty digits may still fit; the last one is the byte before the position.
            guard digitCount == 20, !isNegative else { return nil }
            let (tens, overflows) = mantissa.multipliedReportingOverflow(by: 10)
            let (value, carries) = tens.addingReportingOverflow(UInt64(bytes[position - 1] - UInt8(ascii: "0")))
            return overflows || carries ? nil : JSON.Number(value)
        }
        guard isNegative else { return JSON.Number(mantissa) }
        // Only a `Double` can represent a signed zero.
        if mantissa == 0 { return JSON.Number(-0.0) }
        return mantissa <= Int64.min.magnitude ? JSON.Number(Int64(truncatingIfNeeded: 0 &- mantissa)) : nil
    }

    private func fraction(isNegative: Bool, start: Int) -> JSON.Number {
        if digitCount == 0 { return JSON.Number(isNegative ? -0.0 : 0) }
        var scale = exponent - fractionDigits
        var digits = mantissa
        if digitCount <= 19 {
            if scale > 0 || digits > 1 << 53, let number = exactWhole(digits, scale, isNegative: isNegative) {
                return number
            }
            // Up to 2⁵³ and 10²² both operands are exact, so IEEE 754 rounds the one operation correctly. Up to fifteen digits
            // always survive the conversion to a `Double` and back.
            if digits < 1_000_000_000_000_000, abs(scale) < Int64(Self.powersOfTen.count) {
                let power = Self.powersOfTen[Int(abs(scale))]
                let magnitude = scale < 0 ? Double(digits) / power : Double(digits) * power
                return JSON.Number(isNegative ? -magnitude : magnitude)
            }
            while digits % 10 == 0 {
                digits /= 10
                scale += 1
            }
            // The position is the end of the text, at or after its start. More than 17 digits never survive the
            // conversion to a `Double` and back.
            let text = String(decoding: bytes[start..<position], as: UTF8.self)
            if digits < 100_000_000_000_000_000, let value = Double(text), value.isFinite,
                Self.isShortest(value, digits: digits, scale: scale)
            {
                return JSON.Number(value)
            }
            return JSONDecimal(text).whole ?? JSON.Number(storage: .text(text))
        }
        return long(start: start)
    }

    /// Returns the number if it is whole, fits 64 bits, and no `Double` equals it, as for many beyond 2⁵³.
    private func exactWhole(_ mantissa: UInt64, _ scale: Int64, isNegative: Bool) -> JSON.Number? {
        var value = mantissa
        // At most 19 iterations: 10²⁰ is beyond 64 bits, and the mantissa has at most 19 digits.
        guard scale.magnitude <= 19 else { return nil }
        for _ in 0..<scale.magnitude {
            if scale < 0 {
                guard value % 10 == 0 else { return nil }
                value /= 10
            } else {
                let (next, overflows) = value.multipliedReportingOverflow(by: 10)
                guard !overflows else { return nil }
                value = next
            }
        }
        guard value > 1 << 53, UInt64(exactly: Double(value)) != value else { return nil }
        guard isNegative else { return JSON.Number(value) }
        return value <= Int64.min.magnitude ? JSON.Number(Int64(truncatingIfNeeded: 0 &- value)) : nil
    }

    // With twenty digits or more, the shortest text of a `Double` can equal the number only if the number ends in zeros.
    private func long(start: Int) -> JSON.Number {
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        let decimal = JSONDecimal(text)
        let whole = decimal.whole
        if let whole, !whole.isExactDouble { return whole }
        if decimal.digitCount <= 17, let value = Double(text), value.isFinite, value != 0,
            JSONDecimal(value.description) == decimal
        {
            return JSON.Number(value)
        }
        return whole ?? JSON.Number(storage: .text(text))
    }

    /// Returns whether the shortest text of a number has these digits, which do not end in zero, at this power of ten.
    private static func isShortest(_ value: Double, digits: UInt64, scale: Int64) -> Bool {
        // Fifteen digits survive in every `Double` that is not subnormal.
        if digits < 1_000_000_000_000_000, value.magnitude >= .leastNormalMagnitude { return true }
        var shortest: UInt64 = 0
        var fractionDigits: Int64 = 0
        var exponent: Int64 = 0
        var exponentSign: Int64 = 0
        var isFraction = false
        for byte in value.magnitude.description.utf8 {
            switch byte {
            case UInt8(ascii: "."): isFraction = true
            case UInt8(ascii: "e"): exponentSign = 1
            case UInt8(ascii: "-"): exponentSign = -1
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                let digit = byte - UInt8(ascii: "0")
                if exponentSign != 0 {
                    exponent = exponent * 10 + Int64(digit)
                } else {
                    shortest = shortest &* 10 &+ UInt64(digit)
                    if isFraction { fractionDigits += 1 }
                }
            default: continue
            }
        }
        guard shortest != 0 else { return false }
        var shortestScale = exponent * (exponentSign < 0 ? -1 : 1) - fractionDigits
        while shortest % 10 == 0 {
            shortest /= 10
            shortestScale += 1
        }
        return shortest == digits && shortestScale == scale
    }

    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]
}
