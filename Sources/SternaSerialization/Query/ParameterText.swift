import SternaCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The text of single values, as queries, forms and JSON strings write them.
enum ParameterText {
    /// The text of a value that is not a container; nil for null and for containers.
    static func text(
        of value: ParameterValue, booleans: QueryEncoder.BooleanStyle
    ) throws(ParameterError) -> String? {
        switch value {
        case .null, .array, .set, .dictionary: nil
        case .bool(let value):
            switch booleans {
            case .numeric: value ? "1" : "0"
            case .literal: value ? "true" : "false"
            }
        case .integer(let value): String(value)
        case .unsigned(let value): String(value)
        case .double(let value): number(value)
        case .string(let value): value
        case .date(let value): try date(value)
        case .data(let value): value.base64EncodedString()
        }
    }

    /// The shortest decimal text that reads back as the number, without a fraction of zero; `nan`, `inf` or `-inf`.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "nan" }
        let text = value.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// A date in UTC by RFC 3339, with milliseconds only when they are not zero: `2020-01-02T03:04:05Z`.
    static func date(_ date: Date) throws(ParameterError) -> String {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        // The first instants of the years 0000 and 10000, which also keeps the conversions below in range.
        guard milliseconds >= -62_167_219_200_000, milliseconds < 253_402_300_800_000 else {
            throw ParameterError(.dateOutOfRange)
        }
        let (days, inDay) = floorDivide(Int64(milliseconds), 86_400_000)
        let (year, month, day) = civil(days)
        let second = inDay / 1000
        let fraction = inDay % 1000
        var text = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
        text += "T\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
        if fraction != 0 { text += ".\(padded(fraction, 3))" }
        return text + "Z"
    }

    // The proleptic Gregorian date of a day counted from 1970. Years are counted from March, so that the leap day is a
    // year's last and every month's length follows from one formula.
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
