/// The value of a decimal text in normal form, so that `10e39` and `1.0e40` are equal.
struct JSONDecimal: Hashable {
    private let isNegative: Bool
    // Without leading and trailing zeros.
    private let digits: [UInt8]
    // The power of ten of the last digit; nil if it does not fit, in which case only equal texts are equal.
    private let exponent: Int?
    private let text: String?

    var digitCount: Int { digits.count }

    /// The number if it is whole and fits 64 bits, such as `12345678901234567890.0`.
    var whole: JSON.Number? {
        isNegative ? integer(Int64.self).map { JSON.Number($0) } : integer(UInt64.self).map { JSON.Number($0) }
    }

    /// Returns the number if it is whole and fits the type; zero has no digits, and is nil.
    func integer<T: FixedWidthInteger>(_: T.Type) -> T? {
        // A number has fewer digits than bits. Compared before the subtraction, since an exponent may be as large as `Int.max`.
        let most = T.bitWidth
        guard let exponent, exponent >= 0, exponent <= most, digits.count <= most - exponent else { return nil }
        let text = String(decoding: digits, as: UTF8.self) + String(repeating: "0", count: exponent)
        return T(isNegative ? "-" + text : text)
    }

    /// Parses a text that follows the grammar of RFC 8259, section 6.
    init(_ text: String) {
        var digits: [UInt8] = []
        var fractionDigits = 0
        var isFraction = false
        var exponent: Int? = 0
        var bytes = Substring(text).utf8
        isNegative = bytes.first == UInt8(ascii: "-")
        if isNegative { bytes = bytes.dropFirst() }
        scan: while let byte = bytes.popFirst() {
            switch byte {
            case UInt8(ascii: "."): isFraction = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                exponent = Int(Substring(bytes))
                break scan
            default:
                if !digits.isEmpty || byte != UInt8(ascii: "0") { digits.append(byte) }
                if isFraction { fractionDigits += 1 }
            }
        }
        var trailingZeros = 0
        while digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            trailingZeros += 1
        }
        if let written = exponent {
            let (value, overflows) = written.addingReportingOverflow(trailingZeros - fractionDigits)
            exponent = overflows ? nil : value
        }
        self.digits = digits
        self.exponent = exponent
        self.text = exponent == nil ? text : nil
    }
}
