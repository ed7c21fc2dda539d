/// The value of `--limit-rate`, in curl's form: a whole number of bytes per second, with k, M or G for multiples of 1024.
enum LimitRate {
    /// Returns the bytes per second; nil for a text that is no rate, or none above 0.
    static func parse(_ text: String) -> Int? {
        var digits = Substring(text)
        var factor = 1
        switch digits.last {
        case "k", "K": factor = 1 << 10
        case "m", "M": factor = 1 << 20
        case "g", "G": factor = 1 << 30
        default: break
        }
        if factor > 1 { digits.removeLast() }
        // `Int` would take a sign.
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(digits), number > 0 else { return nil }
        let (rate, overflow) = number.multipliedReportingOverflow(by: factor)
        return overflow ? nil : rate
    }
}
