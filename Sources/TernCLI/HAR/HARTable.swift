import Sterna
import SternaPlatform
import SternaRecorder

/// The entries of a HAR file, listed for people and for programs.
struct HARTable {
    var isColoured = false

    /// The columns of a terminal; nil for no limit, and no waterfall.
    var width: Int?

    /// Whether bars are drawn in ASCII.
    var isPlain = false

    private static let heads = ["#", "METHOD", "STATUS", "TYPE", "SIZE", "TIME", "URL"]
    private static let gap = 2
    private static let leastURL = 20
    private static let leastBars = 16
    private static let mostBars = 60

    /// Returns the lines of a table; two lines for each entry if a table does not fit.
    ///
    /// The waterfall is left out where it would leave no room for URLs.
    func lines(_ entries: [HARDocument.Entry]) -> [String] {
        guard !entries.isEmpty else { return [] }
        let rows = entries.enumerated().map { Self.cells($0.element, $0.offset + 1) }
        let widths = Self.heads.indices.map { column in
            ([Self.heads] + rows).map { DisplayWidth.of($0[column]) }.max() ?? 0
        }
        let before = widths.dropLast().reduce(0) { $0 + $1 + Self.gap }
        let room = (width ?? .max) - before
        guard room >= Self.leastURL else { return narrow(rows) }
        let bars = width == nil ? 0 : min(Self.mostBars, room - Self.leastURL * 2 - Self.gap)
        let hasBars = bars >= Self.leastBars
        let urlRoom = hasBars ? room - bars - Self.gap : room
        func line(_ row: [String]) -> String {
            let padded = zip(row, widths).dropLast().map { DisplayWidth.padded($0, to: $1 + Self.gap) }
            let url = DisplayWidth.truncated(row[row.count - 1], to: urlRoom)
            return padded.joined()
                + (hasBars ? DisplayWidth.padded(url, to: min(urlRoom, widths[widths.count - 1])) : url)
        }
        let head = Colour.bold.wrap(line(Self.heads), if: isColoured)
        guard hasBars else { return [head] + rows.map(line) }
        let span = Self.span(entries)
        return [head]
            + zip(rows, entries).map { row, entry in
                let bar = bar(entry, since: span.start, for: span.length, columns: bars)
                return line(row) + String(repeating: " ", count: Self.gap) + bar
            }
    }

    private func narrow(_ rows: [[String]]) -> [String] {
        let columns = max(width ?? 80, Self.leastURL)
        return rows.flatMap { row in
            [
                DisplayWidth.truncated("\(row[0]) \(row[1]) \(row[6])", to: columns),
                "  " + DisplayWidth.truncated("\(row[2]), \(row[4]), \(row[5])", to: columns - 2),
            ]
        }
    }

    /// The beginning of the first entry, in seconds since 1970, and the seconds until the end of the last one.
    static func span(_ entries: [HARDocument.Entry]) -> (start: Double, length: Double) {
        let starts = entries.compactMap { $0.started?.timeIntervalSince1970 }
        let start = starts.min() ?? 0
        let end = entries.map { ($0.started?.timeIntervalSince1970 ?? start) + $0.time / 1_000 }.max() ?? start
        return (start, max(end - start, 0.000_001))
    }

    private static let phases: [(Colour, String)] = [
        (.dim, "."), (.cyan, "-"), (.blue, "-"), (.green, "="), (.yellow, "="), (.green, "#"),
    ]

    /// Returns an entry's phases on the axis of all entries; at least one column.
    private func bar(_ entry: HARDocument.Entry, since start: Double, for length: Double, columns: Int) -> String {
        let scale = Double(columns) / length
        let begin = (entry.started?.timeIntervalSince1970 ?? start) - start
        var position = min(columns - 1, Self.column(begin * scale, columns))
        var text = String(repeating: " ", count: position)
        let timings = entry.timings
        let parts = [timings.blocked, timings.dns, timings.connect, timings.send, timings.wait, timings.receive]
        var elapsed = begin
        var isEmpty = true
        for (part, (colour, sign)) in zip(parts, Self.phases) {
            elapsed += (part ?? 0) / 1_000
            let end = min(columns, Self.column(elapsed * scale, columns))
            guard end > position else { continue }
            text += colour.wrap(String(repeating: isPlain ? sign : "█", count: end - position), if: isColoured)
            (position, isEmpty) = (end, false)
        }
        if isEmpty { text += isPlain ? "|" : "▏" }
        return text
    }

    /// Returns a number of columns within bounds, also for times that are no numbers.
    private static func column(_ value: Double, _ columns: Int) -> Int {
        value.isFinite ? Int(min(max(value.rounded(), 0), Double(columns))) : 0
    }

    private static func cells(_ entry: HARDocument.Entry, _ number: Int) -> [String] {
        let response = entry.response
        let type = response.content.mimeType.prefix { $0 != ";" }
        let size = response.content.size.map { "\(ByteSize(Int64($0)))" } ?? "-"
        let method = DisplayWidth.truncated(TerminalText.line(entry.request.method), to: 10)
        return [
            "\(number)", method, response.status == 0 ? "failed" : "\(response.status)",
            DisplayWidth.truncated(TerminalText.line(String(type)), to: 24), size, time(entry.time),
            TerminalText.line(entry.request.url),
        ]
    }

    /// Formats milliseconds, for instance `12.3 ms`.
    static func time(_ milliseconds: Double) -> String {
        // A day, as no exchange of a terminal's table takes longer.
        Waterfall.time(.microseconds(Int64(min(max(milliseconds, 0), 86_400_000) * 1_000)))
    }

    /// Returns entries as JSON: an array of objects with their numbers, and times in milliseconds.
    static func json(_ entries: [HARDocument.Entry]) -> JSON {
        .array(
            entries.enumerated().map { index, entry in
                .object(
                    .init(pairs: [
                        ("number", JSON(index + 1)), ("method", JSON(entry.request.method)),
                        ("url", JSON(entry.request.url)), ("status", JSON(entry.response.status)),
                        ("mimeType", JSON(entry.response.content.mimeType)),
                        ("size", entry.response.content.size.map { JSON($0) } ?? .null),
                        ("startedDateTime", entry.json["startedDateTime"]), ("time", JSON(entry.time)),
                        ("timings", entry.json["timings"]),
                    ]))
            })
    }
}

/// One entry of a HAR file, for people.
struct HARDetail {
    var width = 80
    var isColoured = false
    var isPlain = false

    private static let longestBody = 64 << 10

    /// Returns the request, the phases and the response.
    func lines(_ entry: HARDocument.Entry, _ number: Int) -> [String] {
        let (request, response) = (entry.request, entry.response)
        var lines = [
            bold("Entry \(number): \(TerminalText.line(request.method)) \(TerminalText.line(request.url))"),
            "started \(TerminalText.line(entry.json["startedDateTime"].string ?? "at an unknown time")), "
                + "took \(HARTable.time(entry.time))",
        ]
        let place = [
            entry.serverIPAddress.map { "server \($0)" }, entry.connection.map { "connection \($0)" },
            request.httpVersion.isEmpty ? nil : request.httpVersion,
        ].compactMap { $0 }
        if !place.isEmpty { lines.append(TerminalText.line(place.joined(separator: ", "))) }
        if let failure = entry.failure { lines.append("failed: \(TerminalText.line(failure))") }
        lines += phases(entry)
        lines += ["", bold("Request")] + fields(request.headers) + body(request.postData)
        lines += [
            "", bold("Response: \(response.status) \(TerminalText.line(response.statusText))"),
        ]
        lines += fields(response.headers) + body(response.content)
        for (title, messages) in [("Messages", entry.webSocketMessages), ("Events", entry.events)] {
            guard let messages else { continue }
            lines += ["", bold(title)]
            lines += messages.map { message in
                let sign = title == "Events" ? "" : message.isSent ? "> " : "< "
                let binary = message.bytes.map { "\($0.count) bytes" } ?? "broken base64"
                return sign + (message.opcode == 2 ? binary : TerminalText.line(message.data))
            }
        }
        return lines
    }

    private func bold(_ text: String) -> String { Colour.bold.wrap(text, if: isColoured) }

    private func phases(_ entry: HARDocument.Entry) -> [String] {
        let timings = entry.timings
        let all = [
            ("blocked", timings.blocked), ("dns", timings.dns), ("connect", timings.connect), ("ssl", timings.ssl),
            ("send", timings.send), ("wait", timings.wait), ("receive", timings.receive),
        ]
        let whole = max(timings.sum, entry.time, 0.001)
        let room = Double(max(8, min(60, width - 24)))
        var position = 0.0
        return all.compactMap { name, value in
            guard let value else { return nil }
            // The handshake is the end of `connect`, which comes before it here.
            let start = name == "ssl" ? max(0, position - value) : position
            if name != "ssl" { position += value }
            let (before, length) = (start / whole * room, value / whole * room)
            let bar =
                String(repeating: " ", count: Self.count(before, room))
                + String(repeating: isPlain ? "=" : "█", count: Self.count(length, room))
            let label = DisplayWidth.padded(name, to: 8)
            return "  \(label)\(DisplayWidth.padded(HARTable.time(value), to: 10))  \(bar)"
        }
    }

    private static func count(_ value: Double, _ most: Double) -> Int {
        value.isFinite ? Int(min(max(value.rounded(), 0), most)) : 0
    }

    private func fields(_ fields: [HARDocument.Field]) -> [String] {
        fields.map { "\(TerminalText.line($0.name)): \(TerminalText.line($0.value))" }
    }

    private func body(_ content: HARDocument.Content?) -> [String] {
        guard let content else { return [] }
        guard let bytes = content.bytes else {
            let size = content.size ?? 0
            return size > 0 ? ["", "(\(ByteSize(Int64(size))), not recorded)"] : []
        }
        guard !bytes.isEmpty else { return [] }
        guard let text = String(validating: bytes, as: UTF8.self), bytes.count <= Self.longestBody else {
            return ["", "(\(ByteSize(Int64(bytes.count))); tern har show FILE NUMBER --json has them)"]
        }
        return ["", TerminalText.block(text)]
    }
}
