import NIOCore
public import SternaCore

/// The progress of a ``TransferQueue`` over all transfers since it was last empty.
public struct QueueProgress: Sendable, Hashable, CustomStringConvertible {
    /// The number of all transfers.
    public internal(set) var count = 0

    /// The number of transfers that have succeeded.
    public internal(set) var finished = 0

    /// The number of transfers that have failed or were cancelled.
    public internal(set) var failed = 0

    /// The bytes of uploads and downloads together, with the smoothed rate and the time that is left.
    public internal(set) var bytes = TransferProgress(completed: 0)

    /// The bytes of uploads.
    public internal(set) var uploads = TransferProgress(completed: 0)

    /// The bytes of downloads.
    public internal(set) var downloads = TransferProgress(completed: 0)

    /// Whether a total is an estimate: a transfer whose length is unknown counts with the mean of those that are known. Totals are nil
    /// as long as no length is known.
    public internal(set) var isEstimated = false

    public init() {}

    /// Whether no transfer is left.
    var isOver: Bool { count > 0 && finished + failed == count }

    /// For instance `3 of 8 transfers, 1 failed, 37% of 1.2 GB, 48 MB/s, 16 s left`.
    public var description: String {
        var parts = ["\(finished) of \(count) transfers"]
        if failed > 0 { parts.append("\(failed) failed") }
        parts.append("\(bytes)")
        return parts.joined(separator: ", ")
    }
}

/// Adds up the progress of transfers; a value without a clock of its own.
struct QueueMeter: Sendable {
    private struct Entry: Sendable {
        let isUpload: Bool
        var completed: Int64 = 0
        var total: Int64?
        /// The bytes that the rate counts: without those that were there before.
        var moved: Int64 = 0
    }

    /// The sums of one direction, so that an update costs the same for any number of transfers.
    private struct Sums: Sendable {
        var completed: Int64 = 0
        var total: Int64 = 0
        var known = 0
        var unknown = 0
        var rate = SmoothedRate()

        /// The total, and whether it is an estimate.
        var estimate: (total: Int64?, isEstimated: Bool) {
            guard unknown > 0 else { return (total, false) }
            guard known > 0 else { return (nil, false) }
            let mean = Double(total) / Double(known) * Double(unknown)
            let rest = mean < 4e18 ? Int64(mean) : .max
            return (max(completed, total.addingSaturated(rest)), true)
        }

        mutating func remove(_ entry: Entry) {
            completed = completed.subtractingSaturated(entry.completed)
            if let known = entry.total { total = total.subtractingSaturated(known) }
            if entry.total == nil { unknown -= 1 } else { known -= 1 }
        }

        mutating func add(_ entry: Entry) {
            completed = completed.addingSaturated(entry.completed)
            if let known = entry.total { total = total.addingSaturated(known) }
            if entry.total == nil { unknown += 1 } else { known += 1 }
        }
    }

    private var entries: [Int: Entry] = [:]
    private var uploads = Sums()
    private var downloads = Sums()
    private var sum = QueueProgress()

    /// Adds a transfer.
    ///
    /// - Parameter total: its length; nil if unknown.
    mutating func add(_ id: Int, isUpload: Bool, total: Int64?) {
        guard entries[id] == nil else { return }
        let entry = Entry(isUpload: isUpload, total: total.map { max(0, $0) })
        entries[id] = entry
        change(isUpload) { $0.add(entry) }
        sum.count += 1
    }

    /// Sets the length of a transfer, unless its progress has told it.
    mutating func setTotal(_ total: Int64, of id: Int) {
        guard let old = entries[id], old.total == nil else { return }
        replace(id, old) { $0.total = max(0, total) }
    }

    /// Sets the progress of a transfer.
    ///
    /// - Parameter resumedAt: the bytes of it that were there before.
    mutating func set(_ id: Int, _ progress: TransferProgress, resumedAt: Int64, at now: NIODeadline) {
        guard let old = entries[id] else { return }
        var moved: Int64 = 0
        replace(id, old) { entry in
            entry.completed = max(0, progress.completed)
            // What is known is not forgotten, as when a transfer begins anew.
            if let total = progress.total { entry.total = max(0, total) }
            // Bytes that come a second time count from where they exceed the first.
            entry.moved = max(old.moved, entry.completed.subtractingSaturated(max(0, resumedAt)))
            moved = entry.moved - old.moved
        }
        change(old.isUpload) { $0.rate.add(moved, at: now) }
    }

    /// Forgets a transfer.
    mutating func remove(_ id: Int) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        change(entry.isUpload) { $0.remove(entry) }
        sum.count -= 1
    }

    /// Notes the end of a transfer. One that has failed counts with the bytes that it moved.
    mutating func end(_ id: Int, succeeded: Bool) {
        guard let old = entries[id] else { return }
        replace(id, old) { entry in
            if succeeded, let total = entry.total, entry.completed < total, old.isUpload { entry.completed = total }
            entry.total = entry.completed
        }
        entries[id] = nil
        if succeeded { sum.finished += 1 } else { sum.failed += 1 }
    }

    /// Returns the progress at a moment.
    func progress(at now: NIODeadline) -> QueueProgress {
        var progress = sum
        let (up, down) = (uploads.estimate, downloads.estimate)
        let (upRate, downRate) = (uploads.rate.rate(at: now), downloads.rate.rate(at: now))
        progress.uploads = TransferProgress(completed: uploads.completed, total: up.total, rate: upRate)
        progress.downloads = TransferProgress(completed: downloads.completed, total: down.total, rate: downRate)
        var all = uploads
        all.completed = all.completed.addingSaturated(downloads.completed)
        all.total = all.total.addingSaturated(downloads.total)
        (all.known, all.unknown) = (all.known + downloads.known, all.unknown + downloads.unknown)
        let both = all.estimate
        progress.bytes = TransferProgress(completed: all.completed, total: both.total)
        if upRate != nil || downRate != nil { progress.bytes.rate = (upRate ?? 0) + (downRate ?? 0) }
        progress.isEstimated = both.isEstimated
        return progress
    }

    private mutating func replace(_ id: Int, _ old: Entry, _ edit: (inout Entry) -> Void) {
        var new = old
        edit(&new)
        entries[id] = new
        change(old.isUpload) { sums in
            sums.remove(old)
            sums.add(new)
        }
    }

    private mutating func change(_ isUpload: Bool, _ edit: (inout Sums) -> Void) {
        if isUpload { edit(&uploads) } else { edit(&downloads) }
    }
}

extension Int64 {
    fileprivate func addingSaturated(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }

    /// For operands that are not negative.
    fileprivate func subtractingSaturated(_ other: Int64) -> Int64 { Swift.max(0, self - other) }
}
