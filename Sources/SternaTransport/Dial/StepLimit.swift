import NIOCore
import SternaCore

/// A limit that several steps of a dial share: its end, and its whole length, which errors name.
struct StepLimit: Sendable {
    let whole: Duration
    private let end: NIODeadline

    init(_ whole: Duration) {
        self.whole = whole
        end = .now() + TimeAmount(clamping: whole)
    }

    private init(_ whole: Duration, end: NIODeadline) {
        self.whole = whole
        self.end = end
    }

    /// Returns the same limit with another end: that much time from now.
    func again(_ time: TimeAmount) -> StepLimit { StepLimit(whole, end: .now() + time) }

    /// What is left now; at least a millisecond.
    var left: TimeAmount { max(.milliseconds(1), end - .now()) }
}
