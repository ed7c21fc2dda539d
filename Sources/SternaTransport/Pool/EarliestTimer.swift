import NIOCore
import SternaCore

/// One timer for the earliest of many moments.
struct EarliestTimer {
    private var next: (at: NIODeadline, task: ClockTimer)?

    /// Returns whether the timer needs no change to fire by a moment.
    func isSet(by moment: NIODeadline) -> Bool {
        guard let next else { return false }
        return next.at <= moment
    }

    /// Cancels the timer, so that another can be set.
    mutating func clear() {
        next?.task.cancel()
        next = nil
    }

    /// Records a timer that was scheduled.
    mutating func set(_ task: ClockTimer, at moment: NIODeadline) { next = (moment, task) }

    /// Records that the timer has fired.
    mutating func fired() { next = nil }

    /// Cancels the timer for good: from now on it counts as set.
    mutating func stop() {
        next?.task.cancel()
        next?.at = .uptimeNanoseconds(0)
    }
}
