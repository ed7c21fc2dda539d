package import NIOCore

/// The progress of a transfer.
public struct TransferProgress: Sendable, Hashable, CustomStringConvertible {
    /// Bytes transferred so far.
    public var completed: Int64

    /// The total number of bytes; nil if unknown.
    public var total: Int64?

    /// Recent throughput in bytes per second; nil until there is enough data.
    public var rate: Double?

    /// Makes the progress that a program's own way of uploading reports.
    public init(completed: Int64, total: Int64? = nil, rate: Double? = nil) {
        self.completed = completed
        self.total = total
        self.rate = rate
    }

    /// The completed fraction, between 0 and 1; nil if the total is unknown.
    public var fraction: Double? {
        guard let total else { return nil }
        guard total > 0 else { return 1 }
        return min(1, max(0, Double(completed) / Double(total)))
    }

    /// The estimated remaining time at the current rate; nil without a total or a rate.
    public var remaining: Duration? {
        guard let total, let rate, rate > 0, completed <= total else { return nil }
        let seconds = (Double(total) - Double(completed)) / rate
        return seconds < 1e9 ? .seconds(seconds) : nil
    }

    /// For instance `37% of 1.2 GB, 48 MB/s, 16 s left`.
    public var description: String {
        var parts: [String] = []
        if let fraction, let total {
            parts.append("\(Self.percent(completed, of: total) ?? Int(fraction * 100))% of \(ByteSize(total))")
        } else {
            parts.append("\(ByteSize(completed))")
        }
        if let rate, rate.isFinite { parts.append("\(ByteSize(Int64(min(max(rate, 0), 9e18))))/s") }
        if let remaining, completed != total { parts.append("\(Self.spoken(remaining)) left") }
        return parts.joined(separator: ", ")
    }

    // In integers, since 0.29 as a `Double` would be rounded down to 28 percent.
    private static func percent(_ completed: Int64, of total: Int64) -> Int? {
        guard total > 0, completed >= 0, completed <= total else { return nil }
        let product = completed.multipliedFullWidth(by: 100)
        return Int(total.dividingFullWidth(product).quotient)
    }

    // Rounded up, so that “0 s left” appears only at the end.
    static func spoken(_ duration: Duration) -> String {
        let (whole, attoseconds) = duration.components
        let seconds = max(0, attoseconds > 0 ? whole + 1 : whole)
        if seconds < 100 { return "\(seconds) s" }
        if seconds < 6_000 { return "\(seconds / 60) min \(seconds % 60) s" }
        return "\(seconds / 3_600) h \(seconds % 3_600 / 60) min"
    }
}

/// Computes progress from byte counts, with a rate over the last seconds. It has no clock; callers pass the time.
package struct ProgressMeter: Sendable {
    private var samples: [(at: NIODeadline, completed: Int64)] = []

    /// Bytes counted so far.
    package private(set) var completed: Int64 = 0

    /// The total number of bytes if known.
    package var total: Int64?

    package init(total: Int64? = nil) { self.total = total }

    /// Adds bytes transferred now.
    package mutating func add(_ bytes: Int, at now: NIODeadline) {
        let (sum, overflow) = completed.addingReportingOverflow(Int64(bytes))
        completed = overflow ? .max : sum
        if let last = samples.last, now - last.at < .milliseconds(100), samples.count > 1 {
            samples[samples.count - 1].completed = completed
            return
        }
        samples.append((now, completed))
        while samples.count > 2, let first = samples.first, samples.count > 30 || now - first.at > .seconds(5) {
            samples.removeFirst()
        }
    }

    /// Returns the current progress; the rate covers at most the last five seconds.
    package func progress(at now: NIODeadline) -> TransferProgress {
        var rate: Double?
        if let first = samples.first, now > first.at {
            let seconds = Double((now - first.at).nanoseconds) / 1e9
            // The counts come from the caller, so their difference may overflow.
            if seconds > 0.05 { rate = (Double(completed) - Double(first.completed)) / seconds }
        }
        return TransferProgress(completed: completed, total: total, rate: rate)
    }
}
