import NIOCore

/// How much the peer may send on a stream, and when it is told that it may send more (RFC 9113, 5.2); a value without I/O.
struct ReceiveWindow {
    /// What a stream begins with, and what it has while nobody reads on.
    static let initial = 256 << 10

    /// What the peer may still send.
    private(set) var size: Int

    init(size: Int = ReceiveWindow.initial) { self.size = size }

    /// The library that counts says how much is left.
    mutating func isLeft(_ size: Int) { self.size = size }

    /// How much more to allow, so that there is room for `target` again; nothing while more than three quarters
    /// of it are left. With half, what is on its way would settle above that, and never show that there is room for more.
    ///
    /// - Parameter expected: how much may still come, where that is known: no more than this is needed.
    mutating func credit(upTo target: Int, expected: Int64? = nil) -> Int? {
        guard size <= target / 4 * 3 else { return nil }
        if let expected, expected <= Int64(size) { return nil }
        let more = target - size
        size = target
        return more
    }
}

/// Learns from the time that bytes take how much has to be on its way for a connection to be used in full: twice what comes
/// within the time of a probe (a PING) and its answer; and where it would have to allow more all the time, allows more at once.
struct WindowTuner {
    static let probeInterval: Int64 = 1_000_000_000

    /// The size from which a body is worth a probe: a shorter one comes within the first window.
    static let probedBytes = ReceiveWindow.initial / 2

    /// Telling the peer more often than this that it may go on is worth larger windows: it costs both sides.
    static let leastCreditInterval = TimeAmount.milliseconds(1)

    /// As large as windows become for that.
    static let busyTarget = 4 << 20

    /// What a stream may have on its way whose reader keeps up.
    private(set) var target = ReceiveWindow.initial
    let maximum: Int
    private var isProbing = false
    private var counted = 0
    private var lastProbe: Int64?

    init(maximum: Int = 16 << 20) { self.maximum = max(maximum, ReceiveWindow.initial) }

    /// Counts bytes that have come; returns whether a probe is due.
    ///
    /// - Parameter mayProbe: whether the bytes are of a body so large that its window matters.
    mutating func received(_ bytes: Int, at now: Int64, mayProbe: Bool = true) -> Bool {
        if isProbing {
            counted += bytes
            return false
        }
        guard mayProbe, target < maximum, lastProbe.map({ now - $0 >= Self.probeInterval }) ?? true else {
            return false
        }
        lastProbe = now
        isProbing = true
        counted = bytes
        return true
    }

    /// A stream whose reader keeps up was allowed more twice within `leastCreditInterval`.
    mutating func isAskedOften() { target = max(target, min(maximum, Self.busyTarget, 2 * target)) }

    /// The probe was answered.
    mutating func answered() {
        guard isProbing else { return }
        isProbing = false
        // With less than that on its way the windows were not what held it up.
        guard counted >= target / 3 * 2 else { return }
        target = min(maximum, max(target, 2 * counted))
    }
}
