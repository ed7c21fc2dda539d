/// How often time limits are looked at; a value without a clock.
///
/// A look passes over all requests. Looks at many requests keep a distance that grows with their number, so that many time-outs
/// one after the other cost no more than a part of the loop's time; a limit is late by that much at most.
enum LookSchedule {
    /// Looks at so few requests need no distance.
    static var few: Int { 256 }

    /// The distance between looks at so many requests, in nanoseconds: about ten times what a look costs.
    static func distance(for count: Int) -> Int64 {
        guard count > few else { return 0 }
        let (distance, overflows) = Int64(clamping: count).multipliedReportingOverflow(by: 1_000)
        return overflows ? .max : distance
    }
}
