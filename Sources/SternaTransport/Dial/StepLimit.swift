import NIOCore
import SternaCore

/// A limit that several steps of a dial share: its end, and its whole length, which errors name.
struct StepLimit: Sendable {
    let whole: Duration
    private let end: NIODeadline
    private let clock: NetworkClock

    init(_ whole: Duration, by clock: NetworkClock) {
        self.init(whole, end: clock.now + TimeAmount(clamping: whole), clock)
    }

    private init(_ whole: Duration, end: NIODeadline, _ clock: NetworkClock) {
        self.whole = whole
        self.end = end
        self.clock = clock
    }

    /// Returns the same limit with another end: that much time from now.
    func again(_ time: TimeAmount) -> StepLimit { StepLimit(whole, end: clock.now + time, clock) }

    /// What is left now; at least a millisecond.
    var left: TimeAmount { max(.milliseconds(1), end - clock.now) }

    /// Runs work on an event loop when the limit has passed.
    ///
    /// - Parameter time: the longest time from now, where that is less.
    func schedule(
        on loop: any EventLoop, noLaterThan time: TimeAmount? = nil, _ work: @escaping @Sendable () -> Void
    ) -> ClockTimer {
        clock.schedule(in: time.map { min($0, left) } ?? left, on: loop, work)
    }
}
