package import NIOCore

/// One timer for the earliest of several times.
package struct EarliestTimer: Sendable {
    private var task: ClockTimer?

    /// When the timer fires; nil if it is not set.
    @usableFromInline package private(set) var moment: NIODeadline?

    package init() {}

    /// Returns whether the timer fires by a given time without a change.
    // Inlined, since the engine calls it for each request.
    @inlinable
    package func isSet(by moment: NIODeadline) -> Bool {
        guard let own = self.moment else { return false }
        return own <= moment
    }

    /// Cancels the timer, so that another can be set.
    package mutating func clear() {
        task?.cancel()
        (task, moment) = (nil, nil)
    }

    /// Records a scheduled timer.
    package mutating func set(_ task: ClockTimer, at moment: NIODeadline) { (self.task, self.moment) = (task, moment) }

    /// Records that the timer has fired.
    package mutating func fired() { (task, moment) = (nil, nil) }

    /// Cancels the timer permanently: from now on it counts as set. Has no effect if none is set.
    package mutating func stop() {
        task?.cancel()
        if moment != nil { moment = .uptimeNanoseconds(0) }
    }
}
