import Sterna

/// The timings of a request as JSON, for programs. Times are in seconds, counted from the request's beginning.
enum TimingJSON {
    /// Returns the timings on one line.
    static func text(_ metrics: RequestMetrics) -> String {
        object([
            ("duration", seconds(metrics.duration)), ("redirects", "\(metrics.redirectCount)"),
            ("retries", "\(metrics.retryCount)"), ("bytes_sent", "\(metrics.bytesSent)"),
            ("bytes_received", "\(metrics.bytesReceived)"),
            ("attempts", "[" + metrics.attempts.map(attempt).joined(separator: ",") + "]"),
        ])
    }

    private static func attempt(_ attempt: AttemptMetrics) -> String {
        let spans: [(String, AttemptMetrics.Span?)] = [
            ("queue", attempt.queue), ("resolve", attempt.resolve), ("connect", attempt.connect),
            ("proxy", attempt.proxying), ("tls", attempt.tls), ("write", attempt.write), ("wait", attempt.wait),
            ("read", attempt.read),
        ]
        let phases = object(spans.compactMap { name, span in span.map { (name, self.span($0)) } })
        return object([
            ("reason", text(attempt.reason.rawValue)), ("method", text(attempt.method)), ("url", text(attempt.url)),
            ("status", attempt.status.map { "\($0)" } ?? "null"), ("failure", text(attempt.failure?.rawValue)),
            ("version", text(attempt.version?.description)), ("tls_version", text(attempt.tlsVersion)),
            ("local_address", text(attempt.localAddress)), ("remote_address", text(attempt.remoteAddress)),
            ("proxy", text(attempt.proxy)), ("reused", attempt.isReused ? "true" : "false"),
            ("start", seconds(attempt.whole.start)), ("end", seconds(attempt.whole.end)),
            ("bytes_sent", "\(attempt.bytesSent)"), ("bytes_received", "\(attempt.bytesReceived)"),
            ("decoded_bytes", "\(attempt.decodedBytes)"), ("phases", phases),
        ])
    }

    private static func span(_ span: AttemptMetrics.Span) -> String {
        object([("start", seconds(span.start)), ("end", seconds(span.end))])
    }

    private static func object(_ members: [(String, String)]) -> String {
        "{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    }

    private static func text(_ text: String?) -> String {
        text.map { WriteOut.quoted(TerminalText.line($0)) } ?? "null"
    }

    private static func seconds(_ duration: Duration) -> String { TransferTimes.text(duration) }
}
