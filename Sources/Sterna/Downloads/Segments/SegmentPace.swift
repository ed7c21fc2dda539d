/// How many connections fetch a file at once, adapted by measurement. A value without a clock; moments are in seconds.
///
/// After each interval the throughput is compared with that of one connection fewer. Another connection is opened as long as that
/// was a gain; otherwise the number stays, and the last connection is given up if it was a loss.
struct SegmentPace: Sendable {
    private let rules: SegmentRules
    private let most: Int

    /// Whether there may be more than one connection at all.
    var isShared: Bool { most > 1 }

    /// The number of connections that may run.
    private(set) var allowed = 1

    /// Whether the number grows no more.
    private(set) var isSettled = false

    /// The throughput with one connection fewer, in bytes per second.
    private var before: Double?
    private var began: Double
    private var bytes = 0.0

    /// - Parameter most: the most connections; 1 measures nothing.
    init(most: Int, at now: Double, _ rules: SegmentRules = SegmentRules()) {
        self.rules = rules
        self.most = most
        began = now
        isSettled = most <= 1
    }

    /// Begins the measurement anew: a connection was opened, or the download stood still.
    mutating func restart(at now: Double) { (began, bytes) = (now, 0) }

    /// Counts bytes; returns whether the newest connection is to be given up.
    ///
    /// - Parameter running: the number of connections that bring bytes.
    mutating func add(_ count: Int, at now: Double, running: Int) -> Bool {
        guard !isSettled else { return false }
        bytes += Double(count)
        guard now - began >= rules.interval else { return false }
        defer { restart(at: now) }
        // With fewer connections than allowed the measurement says nothing.
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

    /// Records that a connection failed: one fewer from now on.
    mutating func failed() {
        isSettled = true
        allowed = max(0, allowed - 1)
    }

    /// Opens no further connection, also none in place of another one: the server does not support ranges of this file.
    mutating func close() {
        isSettled = true
        allowed = 0
    }
}
