import Sterna

/// The times of a transfer by curl's names, each counted from its beginning.
///
/// As in curl, the times of several attempts are added up, but for the total and the time of redirects.
struct TransferTimes: Hashable, Sendable {
    var nameLookup = Duration.zero
    var connect = Duration.zero
    /// Zero without TLS.
    var appConnect = Duration.zero
    var preTransfer = Duration.zero
    var startTransfer = Duration.zero
    /// The time before the request that the last redirect led to.
    var redirect = Duration.zero
    var total = Duration.zero

    /// - Parameter duration: the time by the command's clock, for a transfer without metrics.
    init(_ metrics: RequestMetrics?, duration: Duration) {
        guard let metrics, !metrics.attempts.isEmpty else {
            total = duration
            return
        }
        total = metrics.duration
        for attempt in metrics.attempts { add(attempt) }
        if let last = metrics.attempts.last(where: { $0.reason == .redirect }) { redirect = last.whole.start }
    }

    private mutating func add(_ attempt: AttemptMetrics) {
        let start = attempt.whole.start
        func time(_ moment: Duration?) -> Duration { moment.map { max(.zero, $0 - start) } ?? .zero }
        // A reused connection was ready when the request left the queue.
        let ready = attempt.isReused ? attempt.queue?.end ?? start : nil
        nameLookup += time(attempt.resolve?.end ?? ready)
        guard attempt.remoteAddress != nil else { return }
        connect += time(attempt.connect?.end ?? ready)
        appConnect += time(attempt.tls?.end)
        preTransfer += time(attempt.write?.start)
        startTransfer += time(attempt.read?.start)
    }

    /// Writes a duration in seconds with six digits after the point; a negative one is zero.
    static func text(_ duration: Duration) -> String {
        let microseconds = Int64(max(.zero, duration) / .microseconds(1))
        let digits = String(microseconds % 1_000_000)
        return "\(microseconds / 1_000_000)." + String(repeating: "0", count: 6 - digits.count) + digits
    }
}
