/// Reads the dates of cookies (draft-ietf-httpbis-rfc6265bis-22, 5.1.1), which are more lenient than those of other fields.
enum CookieDate {
    /// Returns the date; nil if a part is missing or out of range, or the day does not exist.
    static func time(_ text: some Collection<UInt8>) -> CookieTime? {
        var parts = Parts()
        for token in text.split(whereSeparator: isDelimiter) { parts.take(token) }
        return parts.time
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    private struct Parts {
        private var clock: (hour: Int64, minute: Int64, second: Int64)?
        private var day: Int64?
        private var month: Int64?
        private var year: Int64?

        /// Assigns a token to the first missing part that it can be.
        mutating func take(_ token: some Collection<UInt8>) {
            if clock == nil, let found = CookieDate.clock(token) {
                clock = found
            } else if day == nil, let found = CookieDate.number(token, digits: 1...2) {
                day = found
            } else if month == nil, let found = CookieDate.month(token) {
                month = found
            } else if year == nil, let found = CookieDate.number(token, digits: 2...4) {
                year = found < 70 ? found + 2_000 : found < 100 ? found + 1_900 : found
            }
        }

        var time: CookieTime? {
            guard let clock, let day, let month, let year, year >= 1_601, clock.hour <= 23, clock.minute <= 59,
                clock.second <= 59
            else { return nil }
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            let days: Int64 = month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
            guard day >= 1, day <= days else { return nil }
            // Years begin in March here, so that the leap day is the last day of a year.
            let shifted = month > 2 ? year : year - 1
            let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
            // The last number is the days from 1 March of the year 0 to 1 January 1970.
            let date = shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
            return CookieTime(seconds: ((date * 24 + clock.hour) * 60 + clock.minute) * 60 + clock.second)
        }
    }

    /// Parses `1*2DIGIT ":" 1*2DIGIT ":" 1*2DIGIT`, which no digit may follow.
    private static func clock(_ token: some Collection<UInt8>) -> (Int64, Int64, Int64)? {
        let fields = token.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
        guard fields.count == 3, let hour = number(fields[0], digits: 1...2, isWhole: true),
            let minute = number(fields[1], digits: 1...2, isWhole: true), let second = number(fields[2], digits: 1...2)
        else { return nil }
        return (hour, minute, second)
    }

    /// Returns the number at the beginning of a text; nil if the number of its digits is not within `digits`.
    private static func number(
        _ text: some Collection<UInt8>, digits: ClosedRange<Int>, isWhole: Bool = false
    ) -> Int64? {
        var value: Int64 = 0
        var count = 0
        for byte in text {
            guard byte >= 0x30, byte <= 0x39 else {
                if isWhole { return nil }
                break
            }
            count += 1
            guard count <= digits.upperBound else { return nil }
            value = value * 10 + Int64(byte - 0x30)
        }
        return count >= digits.lowerBound ? value : nil
    }

    /// Returns the month whose first three letters begin a text.
    private static func month(_ text: some Collection<UInt8>) -> Int64? {
        let letters = text.prefix(3).map { $0 | 0x20 }
        return months.firstIndex { $0.utf8.elementsEqual(letters) }.map { Int64($0) + 1 }
    }
}
