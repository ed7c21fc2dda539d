/// Reads the dates of header fields (RFC 9110, 5.6.7).
package enum HTTPDate {
    /// Returns a date as seconds since 1970 in UTC; nil for text in none of the three forms and for days that do not exist.
    ///
    /// The two-digit years 70 to 99 of the RFC 850 form are in the twentieth century, others in the twenty-first, as in cookies
    /// (RFC 6265, 5.1.1).
    package static func seconds(_ text: String) -> Int64? {
        guard text.utf8.count <= longest else { return nil }
        var reader = DateReader(bytes: Array(text.utf8))
        guard let date = reader.date(), date.isValid else { return nil }
        return date.seconds
    }

    /// The length of the longest date, `Wednesday, 06-Nov-94 08:49:37 GMT`, in bytes.
    private static let longest = 33
}

private struct CivilDate {
    var year: Int64
    /// 1 to 12.
    var month: Int64
    var day: Int64
    var hour: Int64
    var minute: Int64
    var second: Int64

    var isValid: Bool {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let days: Int64 = month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
        // The second 60 is a leap second.
        return day >= 1 && day <= days && hour < 24 && minute < 60 && second <= 60
    }

    var seconds: Int64 {
        // Years begin in March here, so that the leap day is the last day of a year.
        let shifted = month > 2 ? year : year - 1
        let monthFromMarch = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let leapDays = shifted >= 0 ? shifted / 4 - shifted / 100 + shifted / 400 : -1
        // The last number is the days from 1 March of the year 0 to 1 January 1970.
        let days = shifted * 365 + leapDays + dayOfYear - 719_468
        return ((days * 24 + hour) * 60 + minute) * 60 + second
    }
}

/// Reads one date; every number has at most four digits.
private struct DateReader {
    private static let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    let bytes: [UInt8]
    var index = 0

    mutating func date() -> CivilDate? {
        // The day of the week is not compared with the date.
        if Self.weekdays.contains(where: { take("\($0), ") }) { return rfc850() }
        guard Self.weekdays.contains(where: { take(String($0.prefix(3))) }) else { return nil }
        return take(", ") ? fixdate() : take(" ") ? asctime() : nil
    }

    /// `06 Nov 1994 08:49:37 GMT`.
    private mutating func fixdate() -> CivilDate? {
        guard let day = number(2), take(" "), let month = month(), take(" "), let year = number(4), take(" "),
            let time = time(), take(" GMT"), isAtEnd
        else { return nil }
        return Self.date(year, month, day, time)
    }

    /// `06-Nov-94 08:49:37 GMT`.
    private mutating func rfc850() -> CivilDate? {
        guard let day = number(2), take("-"), let month = month(), take("-"), let year = number(2), take(" "),
            let time = time(), take(" GMT"), isAtEnd
        else { return nil }
        return Self.date(year + (year < 70 ? 2000 : 1900), month, day, time)
    }

    /// `Nov  6 08:49:37 1994`.
    private mutating func asctime() -> CivilDate? {
        guard let month = month(), take(" "), let day = take(" ") ? number(1) : number(2), take(" "),
            let time = time(), take(" "), let year = number(4), isAtEnd
        else { return nil }
        return Self.date(year, month, day, time)
    }

    private static func date(
        _ year: Int64, _ month: Int64, _ day: Int64, _ time: (Int64, Int64, Int64)
    ) -> CivilDate {
        CivilDate(year: year, month: month, day: day, hour: time.0, minute: time.1, second: time.2)
    }

    private var isAtEnd: Bool { index == bytes.count }

    private mutating func time() -> (Int64, Int64, Int64)? {
        guard let hour = number(2), take(":"), let minute = number(2), take(":"), let second = number(2) else {
            return nil
        }
        return (hour, minute, second)
    }

    private mutating func month() -> Int64? {
        Self.months.firstIndex { take($0) }.map { Int64($0) + 1 }
    }

    private mutating func number(_ digits: Int) -> Int64? {
        guard bytes.count - index >= digits else { return nil }
        var value: Int64 = 0
        for byte in bytes[index..<index + digits] {
            guard byte >= 0x30, byte <= 0x39 else { return nil }
            value = value * 10 + Int64(byte - 0x30)
        }
        index += digits
        return value
    }

    /// Takes a text if it follows; returns whether it does.
    private mutating func take(_ text: String) -> Bool {
        guard bytes[index...].starts(with: text.utf8) else { return false }
        index += text.utf8.count
        return true
    }
}
