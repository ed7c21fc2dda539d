import Sterna

/// The outcome of a step.
struct DemoOutcome: Sendable {
    var title: String
    var result = ""
    var failure: String?
    var time = Duration.zero
}

/// The table at the end of the demo.
enum DemoTable {
    private static let widestResult = 40

    /// Returns the lines of a table with aligned columns; times are right-aligned.
    static func render(_ outcomes: [DemoOutcome], isColoured: Bool) -> String {
        let rows = outcomes.map { outcome in
            [
                outcome.title, outcome.failure == nil ? "ok" : "FAILED", cut(outcome.failure ?? outcome.result),
                spoken(outcome.time),
            ]
        }
        let all = [["Step", "", "Result", "Time"]] + rows
        let widths = (0..<4).map { column in all.map { $0[column].count }.max() ?? 0 }
        return all.enumerated().map { number, row in
            let verdict = row[1] == "ok" ? Colour.green : .red
            let line = [
                pad(row[0], widths[0]), verdict.wrap(pad(row[1], widths[1]), if: isColoured && number > 0),
                pad(row[2], widths[2]), pad(row[3], widths[3], toRight: true),
            ].joined(separator: "  ")
            return number == 0 ? Colour.bold.wrap(line, if: isColoured) : line
        }.joined(separator: "\n")
    }

    static func spoken(_ time: Duration) -> String {
        let (seconds, attoseconds) = time.components
        let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        if microseconds < 10_000 { return "\(microseconds / 1_000).\(microseconds / 100 % 10) ms" }
        return microseconds < 10_000_000 ? "\(microseconds / 1_000) ms" : "\(microseconds / 1_000_000) s"
    }

    private static func cut(_ text: String) -> String {
        text.count > widestResult ? text.prefix(widestResult - 1) + "…" : text
    }

    private static func pad(_ text: String, _ width: Int, toRight: Bool = false) -> String {
        let blanks = String(repeating: " ", count: max(0, width - text.count))
        return toRight ? blanks + text : text + blanks
    }
}
