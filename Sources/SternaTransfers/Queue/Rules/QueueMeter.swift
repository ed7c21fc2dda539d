import NIOCore
public import SternaCore

/// The progress of a ``TransferQueue`` over all transfers since it was last empty.
public struct QueueProgress: Sendable, Hashable, CustomStringConvertible {
    /// The number of transfers.
    public internal(set) var count = 0

    /// The number of transfers that have succeeded.
    public internal(set) var finished = 0

    /// The number of transfers that have failed or were cancelled.
    public internal(set) var failed = 0

    /// The bytes of uploads and downloads together, with the smoothed rate and the remaining time.
    public internal(set) var bytes = TransferProgress(completed: 0)

    /// The bytes of uploads.
    public internal(set) var uploads = TransferProgress(completed: 0)

    /// The bytes of downloads.
    public internal(set) var downloads = TransferProgress(completed: 0)

    /// Whether a total is an estimate: a transfer of unknown length counts with the mean of the known lengths. Totals are nil while
    /// no length is known.
    public internal(set) var isEstimated = false

    /// Creates the progress of an empty queue.
    public init() {}

    /// Whether no transfer is left.
    var isOver: Bool { count > 0 && finished + failed == count }

    /// For instance `3 of 8 transfers, 1 failed, 37% of 1.2 GB, 48 MB/s, 16 s left`.
    public var description: String {
        "\(finished) of \(count) transfers, \(failed > 0 ? "\(failed) failed, " : "")\(bytes)"
    }
}

/// Sums the progress of transfers by direction. A value without a clock.
struct QueueMeter: Sendable {
    private struct Direction: Sendable {
        var sum = ProgressSum()
        var rate = SmoothedRate()

        mutating func set(_ id: Int, _ progress: TransferProgress, resumedAt: Int64, at now: NIODeadline) {
            var progress = progress
            // A known total is kept, for example when a transfer restarts.
            progress.total = progress.total ?? sum[id]?.total
            if let moved = sum.set(id, progress, resumedAt: resumedAt) { rate.add(moved, at: now) }
        }

        func progress(at now: NIODeadline) -> TransferProgress {
            TransferProgress(completed: sum.completed, total: sum.estimate, rate: rate.rate(at: now))
        }
    }

    // Each transfer is in one of them.
    private var uploads = Direction()
    private var downloads = Direction()

    /// Adds a transfer; its length is nil if unknown.
    mutating func add(_ id: Int, isUpload: Bool, total: Int64?) {
        if isUpload { uploads.sum.add(id, total: total) } else { downloads.sum.add(id, total: total) }
    }

    /// Sets the length of a download, unless its progress already has a total.
    mutating func setTotal(_ total: Int64, of id: Int) {
        guard let present = downloads.sum[id], present.total == nil else { return }
        let progress = TransferProgress(completed: present.completed, total: total)
        downloads.sum.set(id, progress, resumedAt: present.completed)
    }

    /// Sets the progress of a transfer.
    ///
    /// - Parameter resumedAt: the bytes that earlier attempts transferred.
    mutating func set(_ id: Int, _ progress: TransferProgress, resumedAt: Int64, at now: NIODeadline) {
        uploads.set(id, progress, resumedAt: resumedAt, at: now)
        downloads.set(id, progress, resumedAt: resumedAt, at: now)
    }

    /// Removes a transfer.
    mutating func remove(_ id: Int) {
        uploads.sum.remove(id)
        downloads.sum.remove(id)
    }

    /// Records the end of a transfer. A failed one counts with the bytes transferred, a successful upload with its length.
    mutating func end(_ id: Int, succeeded: Bool) {
        if succeeded, let sent = uploads.sum[id], let total = sent.total, sent.completed < total {
            uploads.sum.set(id, TransferProgress(completed: total), resumedAt: 0)
        }
        uploads.sum.end(id, succeeded: succeeded)
        downloads.sum.end(id, succeeded: succeeded)
    }

    /// Returns the progress at a moment.
    func progress(at now: NIODeadline) -> QueueProgress {
        var progress = QueueProgress()
        (progress.uploads, progress.downloads) = (uploads.progress(at: now), downloads.progress(at: now))
        let all = uploads.sum + downloads.sum
        (progress.count, progress.finished, progress.failed) = (all.count, all.finished, all.failed)
        let rates = [progress.uploads.rate, progress.downloads.rate].compactMap { $0 }
        progress.bytes = TransferProgress(
            completed: all.completed, total: all.estimate, rate: rates.isEmpty ? nil : rates.reduce(0, +))
        progress.isEstimated = all.total != all.estimate
        return progress
    }
}
