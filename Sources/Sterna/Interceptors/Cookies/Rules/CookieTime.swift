import SternaPlatform

/// A time of a cookie: milliseconds since 1970 in UTC, from the beginning of 1601 to the end of 9999.
struct CookieTime: Sendable, Hashable, Comparable {
    let milliseconds: Int64

    /// The beginning of 1601.
    static let earliest = CookieTime(milliseconds: -11_644_473_600_000)
    /// The end of 9999.
    static let latest = CookieTime(milliseconds: 253_402_300_799_999)

    /// The maximum lifetime of a cookie in seconds: 400 days (draft-ietf-httpbis-rfc6265bis-22, 5.5).
    static let longestLife: Int64 = 400 * 24 * 60 * 60

    /// Makes a time, clamped to the range.
    init(milliseconds: Int64) {
        self.milliseconds = min(max(milliseconds, -11_644_473_600_000), 253_402_300_799_999)
    }

    init(seconds: Int64) {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        self.init(milliseconds: overflow ? (seconds < 0 ? .min : .max) : product)
    }

    /// Makes a time of seconds with a fraction, clamped to the range; NaN becomes 1970.
    init(seconds: Double) {
        let milliseconds = (seconds * 1_000).rounded()
        self.init(
            milliseconds: milliseconds.isNaN
                ? 0 : milliseconds >= 1e15 ? .max : milliseconds <= -1e15 ? .min : Int64(milliseconds))
    }

    init(_ date: Date) { self.init(seconds: date.timeIntervalSince1970) }

    static var now: CookieTime { CookieTime(Date()) }

    var seconds: Double { Double(milliseconds) / 1_000 }

    var date: Date { Date(timeIntervalSince1970: seconds) }

    /// Returns a later time, clamped to the range.
    func advanced(bySeconds seconds: Int64) -> CookieTime {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        let (sum, isBeyond) = milliseconds.addingReportingOverflow(product)
        guard !overflow, !isBeyond else { return seconds < 0 ? .earliest : .latest }
        return CookieTime(milliseconds: sum)
    }

    /// The next millisecond, clamped to the range.
    var next: CookieTime { CookieTime(milliseconds: milliseconds + 1) }

    static func < (left: CookieTime, right: CookieTime) -> Bool { left.milliseconds < right.milliseconds }
}
