import NIOCore

/// Says how much has to be there before a reader that waits is woken, a value without I/O.
///
/// Each look at the socket of a fast download brings some 16 KiB, and waking a thread for them that goes to sleep again before the
/// next costs as much as reading them. So a reader that has just had a large piece is woken for many at once, or when a short time
/// is over. Where that brought nothing, as with large messages of which each waits for an answer, ever more pieces go by before it
/// is tried again.
struct DeliveryPace {
    /// How long bytes are held at most.
    static let interval = TimeAmount.microseconds(250)

    /// So many are not held.
    static let batch = 128 << 10

    /// The least that counts as a large piece.
    static let large = 8 << 10

    /// How many pieces go by at most before holding is tried again.
    static let mostSkipped = 256

    /// When the reader was woken last, and for how many bytes.
    private var last: (moment: NIODeadline, count: Int)?
    private var toSkip = 0
    private var skipped = 0

    /// How much has to be there now.
    func least(at now: NIODeadline) -> Int {
        guard skipped >= toSkip, let last, last.count >= Self.large, now - last.moment < Self.interval else { return 1 }
        return Self.batch
    }

    /// The reader was woken.
    mutating func delivered(_ count: Int, at now: NIODeadline) {
        last = (now, count)
        if skipped < toSkip { skipped += 1 }
        if count >= Self.batch { toSkip = 0 }
    }

    /// Nothing came while bytes were held.
    mutating func wasFruitless() {
        toSkip = min(Self.mostSkipped, max(4, 4 * toSkip))
        skipped = 0
    }
}
