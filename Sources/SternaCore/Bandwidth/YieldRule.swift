/// Decides the rate of background transfers while others run.
package enum YieldRule {
    /// The minimum rate of background transfers in bytes per second, so that they do not stall.
    package static let least = 16 << 10

    /// Returns the bytes per second of all background transfers of an engine together: a tenth of the measured rate, at least
    /// ``least``; nil, for no limit, unless foreground transfers run.
    ///
    /// - Parameters:
    ///   - foreground: the number of other transfers that run.
    ///   - measured: the rate of all transfers of the engine in bytes per second; nil before it is known.
    package static func limit(foreground: Int, measured: Double?) -> Int? {
        guard foreground > 0 else { return nil }
        guard let measured, measured.isFinite else { return least }
        return max(least, Int(min(measured, 1e15) / 10))
    }
}
