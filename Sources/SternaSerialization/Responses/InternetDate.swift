package import SternaPlatform

/// Parses dates by the grammar of RFC 3339, section 5.6. Foundation's style reads only a prefix, and accepts nonexistent days and
/// hours.
package enum InternetDate {
    /// Parses a date such as `2020-01-02T03:04:05.678+01:00`; nil for another form, and for a nonexistent day, hour or offset.
    package static func parse(_ text: String) -> Date? {
        var rest = Array(text.utf8)[...]
        guard
            let year = number(&rest, 4), skip(&rest, "-"), let month = number(&rest, 2), skip(&rest, "-"),
            let day = number(&rest, 2), skip(&rest, "T", "t", " "), let hour = number(&rest, 2), skip(&rest, ":"),
            let minute = number(&rest, 2), skip(&rest, ":"), let second = number(&rest, 2),
            let fraction = fraction(&rest), let offset = offset(&rest), rest.isEmpty,
            (1...12).contains(month), (1...days(in: month, of: year)).contains(day), hour < 24, minute < 60,
            // A leap second counts as the second before it, since POSIX time has none.
            second <= 60
        else { return nil }
        let seconds = daysSince1970(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + min(second, 59) - offset
        return Date(timeIntervalSince1970: Double(seconds) + fraction)
    }

    private static func number(_ rest: inout ArraySlice<UInt8>, _ digits: Int) -> Int? {
        guard rest.count >= digits, rest.prefix(digits).allSatisfy(isDigit) else { return nil }
        defer { rest.removeFirst(digits) }
        return rest.prefix(digits).reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private static func skip(_ rest: inout ArraySlice<UInt8>, _ characters: Unicode.Scalar...) -> Bool {
        guard let first = rest.first, characters.contains(Unicode.Scalar(first)) else { return false }
        rest.removeFirst()
        return true
    }

    private static func fraction(_ rest: inout ArraySlice<UInt8>) -> Double? {
        guard skip(&rest, ".") else { return 0 }
        let digits = rest.prefix(while: isDigit)
        guard !digits.isEmpty else { return nil }
        rest.removeFirst(digits.count)
        // Digits beyond a Double's precision make no difference.
        return Double("0." + String(decoding: digits.prefix(20), as: UTF8.self))
    }

    private static func offset(_ rest: inout ArraySlice<UInt8>) -> Int? {
        if skip(&rest, "Z", "z") { return 0 }
        let isEast = rest.first == UInt8(ascii: "+")
        guard
            skip(&rest, "+", "-"), let hours = number(&rest, 2), skip(&rest, ":"), let minutes = number(&rest, 2),
            hours < 24, minutes < 60
        else { return nil }
        return (hours * 3_600 + minutes * 60) * (isEast ? 1 : -1)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns the days since 1970 in the proleptic Gregorian calendar; years begin in March, so that a leap day is the last day.
    private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let marchYear = month > 2 ? year : year - 1
        let marchMonth = (month + 9) % 12
        let era = marchYear >= 0 ? marchYear / 400 : -1
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * marchMonth + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
