import Sterna
import SternaPlatform

/// Stored responses, listed for people and for programs.
struct CacheTable {
    var isColoured = false

    /// The columns of a terminal; nil for no limit.
    var width: Int?

    private static let heads = ["STATUS", "SIZE", "AGE", "FRESH FOR", "URL"]
    private static let gap = 2

    /// The fewest columns for a URL beside the other cells; if fewer are left, the URL has a line of its own.
    private static let leastURL = 20

    /// Returns the lines of a table; two lines for each response if a table does not fit.
    func lines(_ entries: [ResponseCache.Entry]) -> [String] {
        guard !entries.isEmpty else { return [] }
        let rows = entries.map(Self.cells)
        let widths = Self.heads.indices.map { column in
            ([Self.heads] + rows).map { DisplayWidth.of($0[column]) }.max() ?? 0
        }
        let before = widths.dropLast().reduce(0) { $0 + $1 + Self.gap }
        let room = (width ?? .max) - before
        guard room >= Self.leastURL else {
            let columns = max(width ?? 80, Self.leastURL)
            return rows.flatMap { row in
                let facts =
                    "\(row[0]), \(row[1]), \(row[2]) old, " + (row[3] == Self.stale ? row[3] : "fresh for \(row[3])")
                return [
                    DisplayWidth.truncated(row[4], to: columns), "  " + DisplayWidth.truncated(facts, to: columns - 2),
                ]
            }
        }
        func line(_ row: [String]) -> String {
            let padded = zip(row, widths).dropLast().map { DisplayWidth.padded($0, to: $1 + Self.gap) }
            return padded.joined() + DisplayWidth.truncated(row[row.count - 1], to: room)
        }
        return [Colour.bold.wrap(line(Self.heads), if: isColoured)] + rows.map(line)
    }

    private static let stale = "stale"

    private static func cells(_ entry: ResponseCache.Entry) -> [String] {
        [
            "\(entry.status)", "\(ByteSize(entry.length))" + (entry.isComplete ? "" : " of more"), time(entry.age),
            entry.timeLeft > 0 ? time(entry.timeLeft) : stale, TerminalText.line(entry.url),
        ]
    }

    /// Returns a sentence about a response's age.
    static func state(of entry: ResponseCache.Entry) -> String {
        let fresh = entry.timeLeft > 0 ? "fresh for another \(time(entry.timeLeft))" : "stale"
        return "Stored at \(entry.stored.formatted(.iso8601)), \(time(entry.age)) old, \(fresh)"
    }

    /// Returns a time in its largest unit that leaves two figures or more.
    static func time(_ seconds: Int64) -> String {
        switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7_200: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3_600) h"
        default: "\(seconds / 86_400) d"
        }
    }

    /// Returns responses as JSON: an array of objects, with dates in ISO 8601, and times in seconds.
    static func json(_ entries: [ResponseCache.Entry]) -> JSON {
        .array(
            entries.map { entry in
                .object(
                    .init(pairs: [
                        ("url", .string(entry.url)), ("status", .number(.init(entry.status))),
                        ("length", .number(.init(entry.length))), ("complete", .bool(entry.isComplete)),
                        ("stored", .string(entry.stored.formatted(.iso8601))), ("age", .number(.init(entry.age))),
                        ("timeLeft", .number(.init(entry.timeLeft))),
                    ]))
            })
    }
}
