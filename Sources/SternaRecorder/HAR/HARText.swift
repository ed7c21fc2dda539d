import SternaCore
import SternaPlatform

/// Texts of HAR documents.
package enum HARText {
    /// Returns JSON in which characters that a terminal or a web page interprets are escapes.
    ///
    /// Outside strings JSON is ASCII without these characters, so that each escape is within a string.
    package static func harmless(_ json: [UInt8]) -> [UInt8] {
        guard json.contains(where: { $0 >= 0x7F || $0 == UInt8(ascii: "<") }) else { return json }
        var result: [UInt8] = []
        result.reserveCapacity(json.count)
        for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
            if scalar == "<" || !(scalar == "\n" || isShown(scalar)) {
                for unit in UTF16.encode(scalar) ?? .init() {
                    let digits = String(unit, radix: 16)
                    result += "\\u".utf8
                    result += repeatElement(UInt8(ascii: "0"), count: 4 - digits.utf8.count)
                    result += digits.utf8
                }
            } else {
                result += UTF8.encode(scalar) ?? .init()
            }
        }
        return result
    }

    /// Returns whether a terminal shows a character as itself, and in its place.
    static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value >= 0x20 && scalar.value != 0x7F }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }

    static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    /// Decodes base64, whose line breaks are ignored.
    static func bytes(base64 text: String) -> [UInt8]? {
        Data(base64Encoded: text, options: .ignoreUnknownCharacters).map { Array($0) }
    }

    /// Returns the decoded pairs of a query.
    static func pairs(_ query: Substring) -> [HARDocument.Field] {
        query.utf8.split(separator: UInt8(ascii: "&")).map { pair in
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            return HARDocument.Field(
                name: decoded(pair[..<equals]), value: decoded(pair[equals...].dropFirst()))
        }
    }

    /// Percent-decodes a text; malformed escapes stay as they are.
    private static func decoded(_ text: Substring.UTF8View) -> String {
        var result: [UInt8] = []
        var rest = Array(text)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.prefix(2).allSatisfy(isHexDigit),
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16), rest.count >= 2
            {
                result.append(value)
                rest = rest.dropFirst(2)
            } else {
                result.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool { UInt8(String(Unicode.Scalar(byte)), radix: 16) != nil }

    /// Returns pairs as application/x-www-form-urlencoded.
    static func form(_ pairs: [HARDocument.Field]) -> [UInt8] {
        Array(pairs.map { "\(encoded($0.name))=\(encoded($0.value))" }.joined(separator: "&").utf8)
    }

    private static func encoded(_ text: String) -> String {
        var result: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "*"):
                result.append(byte)
            case UInt8(ascii: " "): result.append(UInt8(ascii: "+"))
            default:
                let digits = Array("0123456789ABCDEF".utf8)
                result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

/// Dates of HAR documents: ISO 8601 with an offset.
enum HARDate {
    /// Returns a date in UTC with milliseconds. Years outside 0001 to 9999 become the nearest one.
    static func text(_ date: Date) -> String {
        let seconds = date.timeIntervalSince1970
        let bounded = seconds.isNaN ? 0 : min(max(seconds, -62_135_596_800), 253_402_300_799)
        // Whole milliseconds, since the formatter truncates.
        let whole = (bounded * 1_000).rounded() / 1_000 + 0.000_1
        return Date(timeIntervalSince1970: whole).formatted(
            Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// Reads `2026-11-30T19:51:37.123456+01:00`, with or without fraction and offset; nil for other texts.
    static func date(_ text: String) -> Date? {
        var rest = Array(text.utf8)[...]
        guard let year = number(&rest, 4), take("-", &rest), let month = number(&rest, 2), take("-", &rest),
            let day = number(&rest, 2), take("T", &rest) || take("t", &rest) || take(" ", &rest),
            let hour = number(&rest, 2), take(":", &rest), let minute = number(&rest, 2), take(":", &rest),
            let second = number(&rest, 2), (1...12).contains(month), (1...31).contains(day), hour <= 24, minute < 60,
            second <= 60
        else { return nil }
        var fraction = 0.0
        if take(".", &rest) || take(",", &rest) {
            let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard !digits.isEmpty else { return nil }
            fraction = Double("0." + String(decoding: digits.prefix(18), as: UTF8.self)) ?? 0
            rest = rest[digits.endIndex...]
        }
        guard let offset = offset(rest) else { return nil }
        let clock = hour * 3_600 + minute * 60 + second - offset
        return Date(timeIntervalSince1970: Double(days(year, month, day) * 86_400 + clock) + fraction)
    }

    /// Returns the seconds of an offset; 0 for none.
    private static func offset(_ text: ArraySlice<UInt8>) -> Int? {
        var rest = text
        if rest.isEmpty { return 0 }
        if take("Z", &rest) || take("z", &rest) { return rest.isEmpty ? 0 : nil }
        let sign = take("-", &rest) ? -1 : take("+", &rest) ? 1 : 0
        guard sign != 0, let hours = number(&rest, 2) else { return nil }
        _ = take(":", &rest)
        let minutes = rest.isEmpty ? 0 : number(&rest, 2)
        guard let minutes, rest.isEmpty, hours < 24, minutes < 60 else { return nil }
        return sign * (hours * 3_600 + minutes * 60)
    }

    /// Returns the days since 1970 of a date in the Gregorian calendar. Years begin in March here, so that leap days are last.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month > 2 ? year : year - 1
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func number(_ text: inout ArraySlice<UInt8>, _ digits: Int) -> Int? {
        let found = text.prefix(digits)
        guard found.count == digits, found.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        text = text.dropFirst(digits)
        return found.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func take(_ character: Unicode.Scalar, _ text: inout ArraySlice<UInt8>) -> Bool {
        guard text.first.map({ UInt32($0) == character.value }) == true else { return false }
        text = text.dropFirst()
        return true
    }
}
