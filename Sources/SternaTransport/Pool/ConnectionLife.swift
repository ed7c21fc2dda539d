import NIOCore
import SternaCore

/// Limits how long a connection is used, for HTTP/1 and HTTP/2.
struct ConnectionLife {
    private let born: NIODeadline
    private let maximumAge: TimeAmount?
    private let maximumUses: Int?

    init(_ options: EngineOptions, from born: NIODeadline) {
        self.born = born
        maximumAge = options.maximumAge.map { TimeAmount(clamping: $0) }
        maximumUses = options.maximumUses
    }

    /// Returns whether the connection has reached its maximum age or number of uses.
    func isOver(after uses: Int, at now: @autoclosure () -> NIODeadline) -> Bool {
        if let maximumUses, uses >= maximumUses { return true }
        guard let maximumAge else { return false }
        return now() - born >= maximumAge
    }

    /// Returns the idle deadline: a while after the last use, but no later than the maximum age.
    func idleLimit(since used: NIODeadline, patience: TimeAmount) -> NIODeadline {
        let limit = used + patience
        return maximumAge.map { min(limit, born + $0) } ?? limit
    }
}
