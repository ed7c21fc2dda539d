/// Decides when activity is shown. A value without a clock.
struct ActivityRule: Sendable, Hashable {
    /// The actions that a change requires.
    struct Step: Sendable, Hashable {
        /// Whether to show or to hide the activity; nil for no change.
        var shows: Bool?
        /// The timer to set in place of an earlier one; nil sets none.
        var timer: Timer?
        var cancelsTimer = false
    }

    enum Timer: Sendable, Hashable { case start, end }

    private(set) var state = NetworkActivity.State.notActive
    private(set) var count = 0

    /// Adds to the number of activities, which is never below zero.
    mutating func add(_ change: Int) -> Step {
        let (sum, isOver) = count.addingReportingOverflow(change)
        count = isOver ? count : max(0, sum)
        switch (state, count > 0) {
        case (.notActive, true):
            state = .delayingStart
            return Step(timer: .start)
        case (.delayingStart, false):
            state = .notActive
            return Step(cancelsTimer: true)
        case (.active, false):
            state = .delayingEnd
            return Step(timer: .end)
        case (.delayingEnd, true):
            state = .active
            return Step(cancelsTimer: true)
        case (.notActive, false), (.delayingStart, true), (.active, true), (.delayingEnd, false): return Step()
        }
    }

    /// Handles the end of the timer that was set last.
    mutating func timerFired() -> Step {
        switch state {
        case .delayingStart:
            state = .active
            return Step(shows: true)
        case .delayingEnd:
            state = .notActive
            return Step(shows: false)
        case .notActive, .active: return Step()
        }
    }

    /// Hides the activity at once, and resets the count.
    mutating func reset() -> Step {
        let isShown = state == .active || state == .delayingEnd
        (state, count) = (.notActive, 0)
        return Step(shows: isShown ? false : nil, cancelsTimer: true)
    }
}
