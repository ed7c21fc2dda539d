import NIOCore

/// Decides how many bytes must be buffered before a waiting reader is woken. A value without I/O.
///
/// Each socket read of a fast download brings some 16 KiB. Waking a thread for so few bytes, which then goes back to sleep, costs
/// as much as reading them. A reader that has just received a large piece is therefore woken for many bytes at once, or after a
/// short time.
///
/// If holding gained nothing, as with large messages that each wait for a response, the pace skips ever more pieces before the next
/// try.
struct DeliveryPace {
    /// The longest time that bytes are held.
    static let interval = TimeAmount.microseconds(250)

    /// The number of bytes that is delivered without delay.
    static let batch = 128 << 10

    /// The minimum size of a large piece.
    static let large = 8 << 10

    /// The maximum number of pieces skipped before holding is tried again.
    static let mostSkipped = 256

    /// When the reader was last woken, and for how many bytes.
    private var last: (moment: NIODeadline, count: Int)?
    private var toSkip = 0
    private var skipped = 0

    /// Returns how many bytes must be buffered now.
    func least(at now: NIODeadline) -> Int {
        guard skipped >= toSkip, let last, last.count >= Self.large, now - last.moment < Self.interval else { return 1 }
        return Self.batch
    }

    /// Records that the reader was woken.
    mutating func delivered(_ count: Int, at now: NIODeadline) {
        last = (now, count)
        if skipped < toSkip { skipped += 1 }
        if count >= Self.batch { toSkip = 0 }
    }

    /// Records that no bytes arrived while others were held.
    mutating func wasFruitless() {
        toSkip = min(Self.mostSkipped, max(4, 4 * toSkip))
        skipped = 0
    }
}
