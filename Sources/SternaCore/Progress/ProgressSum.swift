/// Adds up the bytes of several transfers, each of which has a number. A value without a clock, to which an update costs the same for any
/// number of transfers.
package struct ProgressSum: Sendable {
    private struct Entry: Sendable {
        var completed: Int64 = 0
        var total: Int64?
        /// The bytes that a rate counts: without those that were there before.
        var moved: Int64 = 0
    }

    private var entries: [Int: Entry] = [:]
    private var (known, unknown) = (0, 0)

    // Wider than what is added, so that absurd lengths do not overflow.
    private var (bytes, lengths) = (Int128(0), Int128(0))

    /// The numbers of transfers that have succeeded, and that have failed.
    package private(set) var (finished, failed) = (0, 0)

    package init() {}

    /// The number of all transfers.
    package var count: Int { known + unknown }

    /// The bytes of all transfers so far.
    package var completed: Int64 { Int64(clamping: bytes) }

    /// The length of all; nil while that of one is unknown.
    package var total: Int64? { unknown == 0 ? Int64(clamping: lengths) : nil }

    /// The length of all, where an unknown one counts with the mean of those that are known; nil while none is.
    package var estimate: Int64? {
        guard unknown > 0, known > 0 else { return total }
        let rest = Double(lengths) / Double(known) * Double(unknown)
        return Int64(clamping: max(bytes, lengths + Int128(rest)))
    }

    /// Returns the progress of a transfer; nil for one that is over, or is not there.
    package subscript(_ id: Int) -> TransferProgress? {
        entries[id].map { TransferProgress(completed: $0.completed, total: $0.total) }
    }

    /// Adds a transfer; its length is nil if unknown.
    package mutating func add(_ id: Int, total: Int64? = nil) {
        if entries[id] == nil { replace(id, by: Entry(total: total.map { max(0, $0) })) }
    }

    /// Sets the progress of a transfer. Returns the bytes that it has moved meanwhile; nil if it is over, or is not there.
    ///
    /// - Parameter resumedAt: the bytes of it that were there before.
    @discardableResult
    package mutating func set(_ id: Int, _ progress: TransferProgress, resumedAt: Int64) -> Int64? {
        guard let old = entries[id] else { return nil }
        var new = Entry(completed: max(0, progress.completed), total: progress.total.map { max(0, $0) })
        // Bytes that come a second time count from where they exceed the first.
        new.moved = max(old.moved, new.completed - min(new.completed, max(0, resumedAt)))
        replace(id, by: new)
        return new.moved - old.moved
    }

    /// Forgets a transfer that is not over.
    package mutating func remove(_ id: Int) { replace(id, by: nil) }

    /// Notes the end of a transfer, which counts from now on with the bytes that it got.
    package mutating func end(_ id: Int, succeeded: Bool) {
        guard let entry = entries[id] else { return }
        replace(id, by: Entry(completed: entry.completed, total: entry.completed))
        entries[id] = nil
        if succeeded { finished += 1 } else { failed += 1 }
    }

    private mutating func replace(_ id: Int, by new: Entry?) {
        if let old = entries[id] { count(old, -1) }
        if let new { count(new, 1) }
        entries[id] = new
    }

    private mutating func count(_ entry: Entry, _ sign: Int) {
        bytes += Int128(sign) * Int128(entry.completed)
        lengths += Int128(sign) * Int128(entry.total ?? 0)
        if entry.total == nil { unknown += sign } else { known += sign }
    }

    /// Returns the sums of both, without their transfers.
    package static func + (one: ProgressSum, other: ProgressSum) -> ProgressSum {
        var sum = ProgressSum()
        (sum.bytes, sum.lengths) = (one.bytes + other.bytes, one.lengths + other.lengths)
        (sum.known, sum.unknown) = (one.known + other.known, one.unknown + other.unknown)
        (sum.finished, sum.failed) = (one.finished + other.finished, one.failed + other.failed)
        return sum
    }
}
