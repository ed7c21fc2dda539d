import Sterna
import Testing

/// Checks that apply to the metrics of every request.
enum MetricsCheck {
    static func spans(_ attempt: AttemptMetrics) -> [(name: String, span: AttemptMetrics.Span)] {
        let all: [(String, AttemptMetrics.Span?)] = [
            ("queue", attempt.queue), ("resolve", attempt.resolve), ("connect", attempt.connect),
            ("proxy", attempt.proxying), ("TLS", attempt.tls), ("write", attempt.write), ("wait", attempt.wait),
            ("read", attempt.read),
        ]
        return all.compactMap { name, span in span.map { (name, $0) } }
    }

    /// Expects attempts in order, and the parts of each in order within it.
    static func expectOrder(_ metrics: RequestMetrics, location: SourceLocation = #_sourceLocation) {
        var last = Duration.zero
        for (number, attempt) in metrics.attempts.enumerated() {
            #expect(attempt.whole.start >= last, "attempt \(number + 1)", sourceLocation: location)
            last = attempt.whole.start
            var before = ("the attempt's begin", attempt.whole.start)
            for (name, span) in spans(attempt) {
                #expect(
                    span.start >= before.1, "attempt \(number + 1): \(name) after \(before.0)", sourceLocation: location
                )
                #expect(span.end >= span.start, "attempt \(number + 1): \(name)", sourceLocation: location)
                before = (name, span.end)
            }
            #expect(
                before.1 <= attempt.whole.end, "attempt \(number + 1): \(before.0) within it", sourceLocation: location)
        }
        #expect(metrics.duration == metrics.attempts.last?.whole.end ?? .zero, sourceLocation: location)
    }

    /// The names of the parts that an attempt has.
    static func names(_ attempt: AttemptMetrics) -> [String] { spans(attempt).map(\.name) }
}
