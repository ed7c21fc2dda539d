/// Adapts the number of connections for a file to the measured throughput. A value without a clock; times are in seconds.
///
/// After each interval, the throughput is compared with that of one connection fewer. While each connection is a gain, another is
/// opened; otherwise the number stays, and the last connection is closed if it was a loss.
struct SegmentPace: Sendable {
    private let rules: SegmentRules
    private let most: Int

    /// Whether more than one connection is allowed.
    var isShared: Bool { most > 1 }

    /// The number of connections that may run.
    private(set) var allowed = 1

    /// Whether the number no longer grows.
    private(set) var isSettled = false

    /// The throughput with one connection fewer, in bytes per second.
    private var before: Double?
    private var began: Double
    private var bytes = 0.0

    /// - Parameter most: the maximum number of connections; with 1, nothing is measured.
    init(most: Int, at now: Double, _ rules: SegmentRules = SegmentRules()) {
        self.rules = rules
        self.most = most
        began = now
        isSettled = most <= 1
    }

    /// Restarts the measurement, after a connection was opened, or after a pause.
    mutating func restart(at now: Double) { (began, bytes) = (now, 0) }

    /// Counts bytes. Returns whether the newest connection should be closed.
    ///
    /// - Parameter running: the number of connections that are receiving bytes.
    mutating func add(_ count: Int, at now: Double, running: Int) -> Bool {
        guard !isSettled else { return false }
        bytes += Double(count)
        guard now - began >= rules.interval else { return false }
        defer { restart(at: now) }
        // A measurement with fewer connections than allowed is not comparable.
        guard running == allowed else { return false }
        let rate = bytes / max(now - began, 1e-9)
        if let before, rate < before * (1 + rules.gain) {
            isSettled = true
            guard rate < before * (1 - rules.loss) else { return false }
            allowed -= 1
            return true
        }
        guard allowed < most else {
            isSettled = true
            return false
        }
        before = rate
        allowed += 1
        return false
    }

    /// Lowers the number by one, since a connection failed.
    mutating func failed() {
        isSettled = true
        allowed = max(0, allowed - 1)
    }

    /// Stops opening connections, even as replacements, since the server does not support ranges of this file.
    mutating func close() {
        isSettled = true
        allowed = 0
    }
}
