import ArgumentParser
import HTTPTypes
import Sterna
import SternaPlatform

/// Options for header fields that have a meaning of their own in curl: ranges, conditions, and the page with the link.
struct ConditionOptions: ParsableArguments {
    @Option(
        name: [.customShort("r", allowingJoined: true), .long],
        help: ArgumentHelp("Ask for these bytes only, as 0-99, 500- or -500.", valueName: "range"))
    var range: String?

    @Option(
        name: [.customShort("z", allowingJoined: true), .customLong("time-cond")], parsing: .unconditional,
        help: ArgumentHelp(
            "Ask for what is newer than a date or than this file; with - before it, for what is older. A file that has not changed is not written.",
            valueName: "date|file"))
    var time: String?

    @Option(
        name: [.customShort("e", allowingJoined: true), .long],
        help: ArgumentHelp(
            "The Referer field: the page with the link. With ;auto at its end requests after redirects name the redirecting URL.",
            valueName: "url"))
    var referer: String?

    @Option(
        help: ArgumentHelp("Ask for what has another ETag than the one in this file.", valueName: "file"))
    var etagCompare: String?

    @Option(help: ArgumentHelp("Save the response's ETag to this file.", valueName: "file"))
    var etagSave: String?

    /// Whether the response may be a 304, which leaves files as they are.
    var isConditional: Bool { time != nil || etagCompare != nil }

    /// The names of the options that are given.
    var given: [String] {
        let all: [(name: String, isGiven: Bool)] = [
            ("-r", range != nil), ("-z", time != nil), ("-e", referer != nil), ("--etag-compare", etagCompare != nil),
            ("--etag-save", etagSave != nil),
        ]
        return all.filter { $0.isGiven }.map { $0.name }
    }

    func validate() throws {
        if let range {
            guard range.contains("-"), range.utf8.allSatisfy({ (0x30...0x39).contains($0) || ",-".utf8.contains($0) })
            else { throw ValidationError("-r takes a range of bytes, as 0-99, 500- or -500.") }
        }
    }

    /// Whether requests that follow redirects name the URL that has redirected them.
    var refersAutomatically: Bool { referer?.hasSuffix(";auto") == true }

    /// The header field of `-e` as an item; empty without it.
    var refererItems: [Item] {
        guard let referer = refersAutomatically ? referer.map({ String($0.dropLast(5)) }) : referer else { return [] }
        // Without an address the first request has the field that it has anyway.
        if refersAutomatically, referer.isEmpty { return [] }
        return [referer.isEmpty ? .removedHeader(name: "referer") : .header(name: "Referer", value: referer)]
    }

    /// Returns the header fields of these options as items; throws `ValidationError` for an invalid time.
    func items() throws -> [Item] {
        var items: [Item] = []
        if let range { items.append(.header(name: "Range", value: "bytes=\(range)")) }
        items += refererItems
        if let etagSave, let slash = etagSave.lastIndex(of: "/"), slash > etagSave.startIndex,
            FileStatus(path: String(etagSave[..<slash]))?.isDirectory != true
        {
            // Before anything is sent.
            throw OutputError(name: etagSave, code: ENOENT)
        }
        if let time { items.append(try Self.condition(time)) }
        if let etagCompare {
            // As in curl, a file that --etag-save will make may be missing: no response is known.
            let isMissing = etagSave != nil && FileStatus(path: etagCompare) == nil
            let content = isMissing ? "" : try ItemFile.text(etagCompare)
            let tag = content.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
            items.append(.header(name: "If-None-Match", value: tag.isEmpty ? "\"\"" : tag))
        }
        return items
    }

    /// Whether a response to the condition of `-z` does not meet it, although the server sends its body; as in curl, the body is
    /// then left out.
    func excludes(_ response: Response) -> Bool {
        guard let time, response.status == .ok, let limit = Self.time(time),
            let modified = response.headers[.lastModified].flatMap(HTTPDate.seconds)
        else { return false }
        return time.hasPrefix("-") ? modified >= limit : modified <= limit
    }

    /// Writes the response's ETag to the file of `--etag-save`; throws `OutputError`.
    func saveTag(of response: Response) throws {
        guard let etagSave, let tag = response.headers[.eTag] else { return }
        let file = try OutputFile(etagSave)
        if !tag.isEmpty { try file.write(Bytes(text: tag + "\n")) }
        try file.complete()
    }

    private static func condition(_ text: String) throws -> Item {
        let isOlder = text.hasPrefix("-")
        let value = isOlder ? String(text.dropFirst()) : text
        guard let seconds = time(text) else {
            throw ValidationError(
                "-z takes a date, as in 'Sun, 06 Nov 1994 08:49:37 GMT', 2024-01-31 or '2024-01-31 10:00:00', or a file that exists; “\(value)” is neither."
            )
        }
        return .header(name: isOlder ? "If-Unmodified-Since" : "If-Modified-Since", value: TimeText.field(seconds))
    }

    /// Returns the time of `-z`, in seconds since 1970; nil for a text that is neither date nor file.
    private static func time(_ text: String) -> Int64? {
        let value = text.hasPrefix("-") ? String(text.dropFirst()) : text
        return TimeText.seconds(value) ?? modification(of: value)
    }

    private static func modification(of path: String) -> Int64? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.modificationDate] as? Date).map { Int64($0.timeIntervalSince1970.rounded(.down)) }
    }
}

/// Dates of command lines and of header fields, in UTC.
enum TimeText {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]

    /// Returns the seconds since 1970 of a header field's date, of `2024-01-31`, `20240131`, `31 Jan 2024`, `Jan 31 2024`, and of
    /// these with a time, which may also stand before the year; nil for other texts.
    static func seconds(_ text: String) -> Int64? {
        if let known = HTTPDate.seconds(text) ?? HTTPDate.seconds(text + " GMT") { return known }
        // Before the text is split: the zones have a T, too.
        let zone = ["Z", "GMT", "UTC"].first { text.hasSuffix($0) } ?? ""
        var words = text.dropLast(zone.count).split { " T".contains($0) }.map(String.init)
        var clock: Int64 = 0
        if let index = words.lastIndex(where: { $0.contains(":") }), index >= words.count - 2 {
            let parts = words[index].split(separator: ":").map { Int64($0) }
            guard (2...3).contains(parts.count), let hours = parts[0], let minutes = parts[1],
                let rest = parts.count == 3 ? parts[2] : 0, (0..<24).contains(hours), (0..<60).contains(minutes),
                (0...60).contains(rest)
            else { return nil }
            clock = hours * 3_600 + minutes * 60 + rest
            words.remove(at: index)
        }
        return date(words).map { $0 * 86_400 + clock }
    }

    /// Returns the day of a date since 1970.
    private static func date(_ words: [String]) -> Int64? {
        var fields: [String] = []
        switch words.count {
        case 1 where words[0].contains("-"): fields = words[0].split(separator: "-").map(String.init)
        case 1 where words[0].utf8.count == 8:
            fields = [String(words[0].prefix(4)), String(words[0].dropFirst(4).prefix(2)), String(words[0].suffix(2))]
        case 3:
            // The month is the first word or the second one.
            for (place, day) in [(1, 0), (0, 1)] {
                guard let month = months.firstIndex(where: { words[place].lowercased() == $0.lowercased() }) else {
                    continue
                }
                fields = [words[2], "\(month + 1)", words[day]]
            }
        default: return nil
        }
        guard fields.count == 3, let year = Int64(fields[0]), let month = Int64(fields[1]), let day = Int64(fields[2]),
            (1_970...9_999).contains(year), (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        let result = days(year, month, day)
        // A day that does not exist would be one of the next month.
        let back = civil(result)
        return back.month == month && back.day == day ? result : nil
    }

    /// Returns a date for a header field (RFC 9110, 5.6.7).
    static func field(_ seconds: Int64) -> String {
        let seconds = max(0, seconds)
        let (day, rest) = (seconds / 86_400, seconds % 86_400)
        let date = civil(day)
        let pad = { (number: Int64) in number < 10 ? "0\(number)" : "\(number)" }
        let clock = "\(pad(rest / 3_600)):\(pad(rest / 60 % 60)):\(pad(rest % 60))"
        return "\(days[Int(day % 7)]), \(pad(date.day)) \(months[Int(date.month) - 1]) \(date.year) \(clock) GMT"
    }

    /// Returns the days from 1970 to a date; years begin in March, so that a leap day is the last of its year.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let ofYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return 365 * year + year / 4 - year / 100 + year / 400 + ofYear - 719_468
    }

    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = shifted / 146_097
        let ofEra = shifted - era * 146_097
        let year = (ofEra - ofEra / 1_460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * year + year / 4 - year / 100)
        let part = (5 * ofYear + 2) / 153
        let month = part < 10 ? part + 3 : part - 9
        return (year + era * 400 + (month <= 2 ? 1 : 0), month, ofYear - (153 * part + 2) / 5 + 1)
    }
}
