/// How often time limits are checked; a value without a clock.
///
/// A check passes over all requests. Checks of many requests keep a distance that grows with their number, so that a series of
/// time-outs costs only a part of the loop's time. A limit is late by that distance at most.
enum LimitCheckSchedule {
    /// Checks of at most this many requests need no distance.
    static var few: Int { 256 }

    /// Returns the distance between checks of that many requests, in nanoseconds: about ten times the cost of a check.
    static func distance(for count: Int) -> Int64 {
        guard count > few else { return 0 }
        let (distance, overflows) = Int64(clamping: count).multipliedReportingOverflow(by: 1_000)
        return overflows ? .max : distance
    }
}
