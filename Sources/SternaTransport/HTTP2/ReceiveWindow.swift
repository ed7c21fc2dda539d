import NIOCore

/// Tracks how much the peer may send on a stream, and when to allow more (RFC 9113, 5.2); a value without I/O.
struct ReceiveWindow {
    /// The size that a stream begins with, and has while its reader does not keep up.
    static let initial = 256 << 10

    /// The number of bytes that the peer may still send.
    private(set) var size: Int

    init(size: Int = ReceiveWindow.initial) { self.size = size }

    /// Sets the size that is left, as the library counts it.
    mutating func isLeft(_ size: Int) { self.size = size }

    /// Returns how much more to allow, so that there is room for `target` again; nil while more than three quarters of it are
    /// left. With half, the bytes on their way would settle above that mark, and never show that there is room for more.
    ///
    /// - Parameter expected: how many bytes may still arrive, if that is known: no more are needed.
    mutating func credit(upTo target: Int, expected: Int64? = nil) -> Int? {
        guard size <= target / 4 * 3 else { return nil }
        if let expected, expected <= Int64(size) { return nil }
        let more = target - size
        size = target
        return more
    }
}

/// Learns how many bytes must be on their way to use a connection in full: twice the bytes that arrive within a round trip. If
/// window updates would otherwise be too frequent, windows grow as well.
///
/// A probe (PING) and its acknowledgement measure a round trip; later rounds are timed by the clock. Some servers end a connection
/// for its fourth PING within half a minute.
struct WindowTuner {
    static let probeInterval: Int64 = 60_000_000_000

    /// The shortest round, in nanoseconds: within less time, bytes arrive in too few reads to be a measure.
    static let shortestRound: Int64 = 1_000_000

    /// The size from which a body is worth a probe: a shorter one fits into the first window.
    static let probedBytes = ReceiveWindow.initial / 2

    /// The shortest interval of window updates before windows grow: more frequent updates cost both sides.
    static let leastCreditInterval = TimeAmount.milliseconds(1)

    /// The largest window for that reason.
    static let busyTarget = 4 << 20

    /// The number of bytes that a stream may have on its way if its reader keeps up.
    private(set) var target = ReceiveWindow.initial
    let maximum: Int
    private var lastProbe: Int64?
    private var isProbing = false

    /// The duration of a round trip, in nanoseconds, once a probe has been acknowledged.
    private var round: Int64?
    private var roundStart: Int64 = 0
    private var counted = 0

    init(maximum: Int = 16 << 20) { self.maximum = max(maximum, ReceiveWindow.initial) }

    /// Counts bytes that have arrived. Returns whether a probe is due.
    ///
    /// - Parameter mayProbe: whether the bytes are of a body so large that its window matters.
    mutating func received(_ bytes: Int, at now: Int64, mayProbe: Bool = true) -> Bool {
        guard target < maximum else { return false }
        if isProbing {
            counted += bytes
            return false
        }
        if mayProbe, lastProbe.map({ now - $0 >= Self.probeInterval }) ?? true {
            lastProbe = now
            isProbing = true
            beginRound(at: now, with: bytes)
            return true
        }
        guard let round else { return false }
        let time = now - roundStart
        if time < round {
            counted += bytes
        } else {
            // Bytes that arrive in bursts end a round late.
            adapt(to: Int(Double(counted) * Double(round) / Double(time)))
            beginRound(at: now, with: bytes)
        }
        return false
    }

    /// Doubles the target, up to `busyTarget`: a stream whose reader keeps up was allowed more twice within `leastCreditInterval`.
    mutating func isAskedOften() { target = max(target, min(maximum, Self.busyTarget, 2 * target)) }

    /// Adapts the target when a probe is acknowledged.
    mutating func answered(at now: Int64) {
        guard isProbing else { return }
        isProbing = false
        round = max(now - roundStart, Self.shortestRound)
        adapt(to: counted)
        beginRound(at: now, with: 0)
    }

    private mutating func beginRound(at now: Int64, with bytes: Int) { (roundStart, counted) = (now, bytes) }

    private mutating func adapt(to bytes: Int) {
        // With fewer bytes on their way, something other than the windows limited them.
        guard bytes >= target / 3 * 2 else { return }
        target = min(maximum, max(target, 2 * bytes))
    }
}
