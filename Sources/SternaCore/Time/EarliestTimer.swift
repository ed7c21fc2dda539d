package import NIOCore

/// One timer for the earliest of many moments.
package struct EarliestTimer: Sendable {
    private var next: (at: NIODeadline, task: ClockTimer)?

    package init() {}

    /// Returns whether the timer needs no change to fire by a moment.
    package func isSet(by moment: NIODeadline) -> Bool {
        guard let next else { return false }
        return next.at <= moment
    }

    /// Cancels the timer, so that another can be set.
    package mutating func clear() {
        next?.task.cancel()
        next = nil
    }

    /// Records a timer that was scheduled.
    package mutating func set(_ task: ClockTimer, at moment: NIODeadline) { next = (moment, task) }

    /// Records that the timer has fired.
    package mutating func fired() { next = nil }

    /// Cancels the timer for good: from now on it counts as set.
    package mutating func stop() {
        next?.task.cancel()
        next?.at = .uptimeNanoseconds(0)
    }
}
