package import SternaCore
package import SternaPlatform

/// Writes single values as text, for queries, forms and JSON strings.
package enum ParameterText {
    /// Returns the text of a value that is not a container; nil for null and for containers.
    static func text(of value: ParameterValue, by encoder: QueryEncoder) throws(ParameterError) -> String? {
        switch value {
        case .null, .array, .set, .dictionary: nil
        case .bool(let value):
            switch encoder.booleans {
            case .numeric: value ? "1" : "0"
            case .literal: value ? "true" : "false"
            }
        case .integer(let value): String(value)
        case .unsigned(let value): String(value)
        case .double(let value): number(value, encoder.numbers)
        case .decimal(let value): value.isNaN ? "nan" : value.description
        case .string(let value): value
        case .date(let value): try date(value, encoder.dates, encoder.numbers)
        case .data(let value):
            switch encoder.data {
            case .base64: value.base64EncodedString()
            case .numbers: nil
            case .custom(let write): try custom { try write(value) }
            }
        }
    }

    /// Returns the shortest decimal text that parses back to the number, by default without a fraction of zero; `nan`,
    /// `inf` or `-inf`.
    static func number(_ value: Double, _ style: QueryEncoder.NumberStyle = .shortest) -> String {
        if value.isNaN { return "nan" }
        let text = value.description
        return style == .shortest && text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// Returns a date in UTC by RFC 3339, with milliseconds only if they are not zero: `2020-01-02T03:04:05Z`.
    package static func date(_ date: Date) throws(ParameterError) -> String {
        let (day, time, fraction) = clock(try milliseconds(of: date))
        return "\(day)T\(time)\(fraction == 0 ? "" : ".\(padded(fraction, 3))")Z"
    }

    private static func date(
        _ date: Date, _ style: QueryEncoder.DateStyle, _ numbers: QueryEncoder.NumberStyle
    ) throws(ParameterError) -> String {
        switch style {
        case .iso8601: return try self.date(date)
        case .milliseconds: return String(try milliseconds(of: date)) + (numbers == .fraction ? ".0" : "")
        case .seconds: return seconds(try milliseconds(of: date), numbers)
        case .deferred:
            // Only checks the range; the digits are kept.
            _ = try milliseconds(of: date)
            return number(date.timeIntervalSinceReferenceDate, numbers)
        case .description:
            let (day, time, _) = clock(try milliseconds(of: date))
            return "\(day) \(time) +0000"
        case .custom(let write): return try custom { try write(date) }
        }
    }

    static func custom(_ write: () throws -> String) throws(ParameterError) -> String {
        do {
            return try write()
        } catch {
            throw ParameterError(.notEncodable("\(error)"))
        }
    }

    private static func milliseconds(of date: Date) throws(ParameterError) -> Int64 {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        // The first instants of the years 0000 and 10000, which also keeps the conversions below in range.
        guard milliseconds >= -62_167_219_200_000, milliseconds < 253_402_300_800_000 else {
            throw ParameterError(.dateOutOfRange)
        }
        return Int64(milliseconds)
    }

    private static func seconds(_ milliseconds: Int64, _ numbers: QueryEncoder.NumberStyle) -> String {
        let (whole, fraction) = milliseconds.magnitude.quotientAndRemainder(dividingBy: 1000)
        var text = milliseconds < 0 ? "-\(whole)" : "\(whole)"
        guard fraction != 0 else { return numbers == .fraction ? text + ".0" : text }
        text += ".\(padded(Int64(fraction), 3))"
        while text.hasSuffix("0") { text.removeLast() }
        return text
    }

    private static func clock(_ milliseconds: Int64) -> (day: String, time: String, fraction: Int64) {
        let (days, inDay) = floorDivide(milliseconds, 86_400_000)
        let (year, month, day) = civil(days)
        let second = inDay / 1000
        return (
            "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))",
            "\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))", inDay % 1000
        )
    }

    // Returns the proleptic Gregorian date of a day counted from 1970. Years are counted from March, so that the leap
    // day is a year's last and every month's length follows from one formula.
    private static func civil(_ daysSince1970: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let daysFromYear0ToEpoch: Int64 = 719_468
        let (era, dayOfEra) = floorDivide(daysSince1970 + daysFromYear0ToEpoch, 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, day)
    }

    private static func floorDivide(_ value: Int64, _ divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    private static func padded(_ value: Int64, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
