import Sterna

/// The timings of a call, drawn for standard error: a line about the call, and the phases of its attempts.
enum Timeline {
    /// Returns the lines, without line ends.
    static func lines(_ metrics: RequestMetrics, width: Int, isColoured: Bool, isPlain: Bool) -> [String] {
        guard let first = metrics.attempts.first, let last = metrics.attempts.last else { return [] }
        let count = metrics.attempts.count
        var parts = ["Call: \(first.method) \(TerminalText.line(first.url))"]
        parts.append(last.status.map { "\($0)" } ?? last.failure.map { "failed: \($0.rawValue)" } ?? "no response")
        parts.append(Waterfall.time(metrics.duration))
        parts.append(count == 1 ? "1 attempt" : "\(count) attempts")
        let heading = Colour.bold.wrap(parts.joined(separator: isPlain ? ", " : " · "), if: isColoured)
        return [heading] + Waterfall(metrics: metrics, width: width, isColoured: isColoured, isPlain: isPlain).lines
    }
}
