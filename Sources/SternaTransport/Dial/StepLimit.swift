import NIOCore
import SternaCore

/// A time limit that several steps of a dial share: its end, and its whole length, which errors state.
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

    /// Returns the same limit with another end: the given time from now.
    func again(_ time: TimeAmount) -> StepLimit { StepLimit(whole, end: clock.now + time, clock) }

    /// The time left; at least a millisecond.
    var left: TimeAmount { max(.milliseconds(1), end - clock.now) }

    /// Runs work on an event loop when the limit has passed.
    ///
    /// - Parameter time: a maximum delay from now, if shorter.
    func schedule(
        on loop: any EventLoop, noLaterThan time: TimeAmount? = nil, _ work: @escaping @Sendable () -> Void
    ) -> ClockTimer {
        clock.schedule(in: time.map { min($0, left) } ?? left, on: loop, work)
    }
}
