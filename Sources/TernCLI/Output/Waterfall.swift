import Sterna

/// The timings of a request, drawn as bars over its duration.
struct Waterfall {
    let metrics: RequestMetrics

    /// The columns of the terminal.
    var width = 80
    var isColoured = false

    /// Whether bars are drawn in ASCII.
    var isPlain = false

    private static let labelWidth = 8
    private static let timeWidth = 10

    /// The lines of all attempts, without line ends.
    var lines: [String] {
        var lines: [String] = []
        let end = max(metrics.duration, .nanoseconds(1))
        for attempt in metrics.attempts {
            lines.append(heading(attempt))
            for (label, span, colour) in Self.phases(of: attempt) {
                lines.append(line(label, span, colour, until: end))
            }
            lines.append(footing(attempt))
        }
        if metrics.attempts.count > 1 {
            lines.append(
                "\(metrics.attempts.count) attempts, \(Self.time(metrics.duration)) in all: "
                    + metrics.attempts.map { Self.reason($0.reason) }.joined(separator: ", "))
        }
        return lines
    }

    private static func phases(of attempt: AttemptMetrics) -> [(String, AttemptMetrics.Span, Colour)] {
        let all: [(String, AttemptMetrics.Span?, Colour)] = [
            ("queue", attempt.queue, .dim), ("resolve", attempt.resolve, .cyan), ("connect", attempt.connect, .blue),
            ("proxy", attempt.proxying, .yellow), ("TLS", attempt.tls, .magenta), ("write", attempt.write, .green),
            ("wait", attempt.wait, .yellow), ("read", attempt.read, .green),
        ]
        return all.compactMap { label, span, colour in span.map { (label, $0, colour) } }
    }

    private func heading(_ attempt: AttemptMetrics) -> String {
        var parts = ["\(attempt.method) \(TerminalText.line(attempt.url))"]
        if let status = attempt.status { parts.append("\(status)") }
        if let failure = attempt.failure { parts.append("failed: \(failure.rawValue)") }
        if let version = attempt.version { parts.append("\(version)") }
        if let tls = attempt.tlsVersion { parts.append(tls) }
        if let remote = attempt.remoteAddress { parts.append(TerminalText.line(remote)) }
        if let proxy = attempt.proxy { parts.append("via \(TerminalText.line(proxy))") }
        if attempt.isReused { parts.append("reused connection") }
        return Colour.bold.wrap(parts.joined(separator: isPlain ? ", " : " · "), if: isColoured)
    }

    private func footing(_ attempt: AttemptMetrics) -> String {
        var text = "  \(Self.time(attempt.whole.duration)); sent \(ByteSize(attempt.bytesSent))"
        text += ", received \(ByteSize(attempt.bytesReceived))"
        if attempt.decodedBytes > 0, attempt.decodedBytes > attempt.bytesReceived {
            text += ", decoded \(ByteSize(attempt.decodedBytes))"
        }
        return text
    }

    private func line(
        _ label: String, _ span: AttemptMetrics.Span, _ colour: Colour, until end: Duration
    ) -> String {
        let room = max(8, min(100, width - Self.labelWidth - Self.timeWidth - 5))
        let start = min(room - 1, Int(span.start / end * Double(room)))
        let stop = min(room, max(start + 1, Int((span.end / end * Double(room)).rounded())))
        let bar = String(repeating: isPlain ? "=" : "█", count: stop - start)
        let label = label + String(repeating: " ", count: max(0, Self.labelWidth - label.count))
        let time = Self.time(span.duration)
        let padding = String(repeating: " ", count: max(0, Self.timeWidth - time.count))
        return "  \(label)\(padding)\(time)  " + String(repeating: " ", count: start)
            + colour.wrap(bar, if: isColoured)
    }

    private static func reason(_ reason: AttemptMetrics.Reason) -> String {
        switch reason {
        case .first: "the first"
        case .redirect: "a redirect"
        case .staleConnection: "again, as the server had closed the connection"
        case .expectationRefused: "again, as the server refused Expect: 100-continue"
        case .refused: "again, as the server had not processed it"
        case .misdirected: "again, as that connection was another origin's"
        case .retry: "again"
        case .hedge: "again, as the answer was late"
        case .authentication: "again with credentials, as the server asked for them"
        }
    }

    /// Formats a duration, for instance `12.3 ms`.
    static func time(_ duration: Duration) -> String {
        let microseconds = Int64(duration / .microseconds(1))
        switch microseconds {
        case ..<1_000: return "\(microseconds) us"
        case ..<100_000: return "\(microseconds / 1_000).\(microseconds / 100 % 10) ms"
        case ..<10_000_000: return "\(microseconds / 1_000) ms"
        default: return "\(microseconds / 1_000_000).\(microseconds / 100_000 % 10) s"
        }
    }
}
