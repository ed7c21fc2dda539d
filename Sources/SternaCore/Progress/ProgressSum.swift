/// The sum of the progress of several transfers, identified by numbers. An update takes constant time.
package struct ProgressSum: Sendable {
    private struct Entry: Sendable {
        var completed: Int64 = 0
        var total: Int64?
        /// The transferred bytes, without those present before, for rates.
        var moved: Int64 = 0
    }

    private var entries: [Int: Entry] = [:]
    private var (known, unknown) = (0, 0)

    // Wider than the summands, so that absurd lengths do not overflow.
    private var (bytes, lengths) = (Int128(0), Int128(0))

    /// The numbers of succeeded and failed transfers.
    package private(set) var (finished, failed) = (0, 0)

    package init() {}

    /// The number of all transfers.
    package var count: Int { known + unknown }

    /// The bytes of all transfers so far.
    package var completed: Int64 { Int64(clamping: bytes) }

    /// The total length; nil while the length of any transfer is unknown.
    package var total: Int64? { unknown == 0 ? Int64(clamping: lengths) : nil }

    /// The total length, with the mean of the known lengths for each unknown one; nil while no length is known.
    package var estimate: Int64? {
        guard unknown > 0, known > 0 else { return total }
        let rest = Double(lengths) / Double(known) * Double(unknown)
        return Int64(clamping: max(bytes, lengths + Int128(rest)))
    }

    /// Returns the progress of a transfer; nil if it has ended or does not exist.
    package subscript(_ id: Int) -> TransferProgress? {
        entries[id].map { TransferProgress(completed: $0.completed, total: $0.total) }
    }

    /// Adds a transfer; its length is nil if unknown.
    package mutating func add(_ id: Int, total: Int64? = nil) {
        if entries[id] == nil { replace(id, by: Entry(total: total.map { max(0, $0) })) }
    }

    /// Sets the progress of a transfer. Returns the bytes transferred since the last update; nil if it has ended or does not exist.
    ///
    /// - Parameter resumedAt: the number of its bytes that were present before.
    @discardableResult
    package mutating func set(_ id: Int, _ progress: TransferProgress, resumedAt: Int64) -> Int64? {
        guard let old = entries[id] else { return nil }
        var new = Entry(completed: max(0, progress.completed), total: progress.total.map { max(0, $0) })
        // Bytes transferred a second time count only beyond the previous maximum.
        new.moved = max(old.moved, new.completed - min(new.completed, max(0, resumedAt)))
        replace(id, by: new)
        return new.moved - old.moved
    }

    /// Removes a transfer that has not ended.
    package mutating func remove(_ id: Int) { replace(id, by: nil) }

    /// Records the end of a transfer, whose length becomes the number of its received bytes.
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

    /// Adds the sums of both, without their single transfers.
    package static func + (one: ProgressSum, other: ProgressSum) -> ProgressSum {
        var sum = ProgressSum()
        (sum.bytes, sum.lengths) = (one.bytes + other.bytes, one.lengths + other.lengths)
        (sum.known, sum.unknown) = (one.known + other.known, one.unknown + other.unknown)
        (sum.finished, sum.failed) = (one.finished + other.finished, one.failed + other.failed)
        return sum
    }
}
