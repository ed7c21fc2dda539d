import NIOCore
public import SternaCore

/// The progress of a ``DownloadBatch`` over all its files.
public struct BatchProgress: Sendable, Hashable, CustomStringConvertible {
    /// The number of files.
    public var files: Int

    /// The number of files that were moved to their destinations.
    public var finished = 0

    /// The number of files whose downloads failed or were cancelled.
    public var failed = 0

    /// The bytes of all files, their rate and the time left. The total is nil until the length of each file is known.
    public var bytes = TransferProgress(completed: 0)

    /// Makes the progress of a batch that has not started.
    package init(files: Int) { self.files = files }

    /// A line such as `3 of 8 files, 1 failed, 37% of 1.2 GB, 48 MB/s, 16 s left`.
    public var description: String {
        "\(finished) of \(files) files, \(failed > 0 ? "\(failed) failed, " : "")\(bytes)"
    }
}

/// Adds up the progress of files; a value without a clock.
struct BatchMeter: Sendable {
    private var sum = ProgressSum()
    private var meter = ProgressMeter()

    init(files count: Int) {
        for index in 0..<max(0, count) { sum.add(index) }
    }

    /// Sets the progress of a file.
    ///
    /// - Parameter resumedAt: the number of its bytes that an earlier attempt received.
    mutating func set(_ index: Int, _ progress: TransferProgress, resumedAt: Int64, at now: NIODeadline) {
        let moved = sum.set(index, progress, resumedAt: resumedAt)
        if let moved { meter.add(Int(clamping: moved), at: now) }
    }

    /// Records the end of a file: its length, or nil if it failed, in which case its received bytes count.
    mutating func end(_ index: Int, length: Int64?, resumedAt: Int64, at now: NIODeadline) {
        let bytes = length ?? sum[index]?.completed ?? 0
        set(index, TransferProgress(completed: bytes, total: bytes), resumedAt: resumedAt, at: now)
        sum.end(index, succeeded: length != nil)
    }

    /// Returns the progress at a time.
    func progress(at now: NIODeadline) -> BatchProgress {
        var progress = BatchProgress(files: sum.count)
        (progress.finished, progress.failed) = (sum.finished, sum.failed)
        progress.bytes = meter.progress(at: now)
        (progress.bytes.completed, progress.bytes.total) = (sum.completed, sum.total)
        return progress
    }
}
