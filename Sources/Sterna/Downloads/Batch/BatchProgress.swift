import NIOCore
public import SternaCore

/// The progress of a ``DownloadBatch`` over all its files.
public struct BatchProgress: Sendable, Hashable, CustomStringConvertible {
    /// The number of all files.
    public var files: Int

    /// The number of files that are at their destinations.
    public var finished = 0

    /// The number of files whose downloads failed or were cancelled.
    public var failed = 0

    /// The bytes of all files, with the rate and the time that is left. The total is nil until the length of each file is known.
    public var bytes = TransferProgress(completed: 0)

    public init(files: Int) { self.files = files }

    /// For instance `3 of 8 files, 1 failed, 37% of 1.2 GB, 48 MB/s, 16 s left`.
    public var description: String {
        var parts = ["\(finished) of \(files) files"]
        if failed > 0 { parts.append("\(failed) failed") }
        parts.append("\(bytes)")
        return parts.joined(separator: ", ")
    }
}

/// Adds up the progress of files; a value without a clock of its own.
struct BatchMeter: Sendable {
    private struct File: Sendable {
        var completed: Int64 = 0
        var total: Int64?
        /// The bytes that the rate counts: without those that an earlier attempt had left.
        var fetched: Int64 = 0
    }

    private var files: [File]
    private var meter = ProgressMeter()
    private var sum: BatchProgress

    // Sums of the files, so that an update costs the same for any number of them.
    private var completed: Int64 = 0
    private var total: Int64 = 0
    private var unknown: Int

    init(files count: Int) {
        files = Array(repeating: File(), count: max(0, count))
        unknown = files.count
        sum = BatchProgress(files: files.count)
    }

    /// Sets the progress of a file.
    ///
    /// - Parameter resumedAt: the bytes of it that were not fetched in this attempt.
    mutating func set(_ index: Int, _ progress: TransferProgress, resumedAt: Int64, at now: NIODeadline) {
        guard files.indices.contains(index) else { return }
        let old = files[index]
        var new = File(completed: max(0, progress.completed), total: progress.total.map { max(0, $0) })
        // A download that begins anew fetches bytes a second time, which the rate counts from where they exceed the first.
        new.fetched = max(old.fetched, new.completed.subtractingSaturated(max(0, resumedAt)))
        files[index] = new
        completed = completed.subtractingSaturated(old.completed).addingSaturated(new.completed)
        if let known = old.total { total = total.subtractingSaturated(known) } else { unknown -= 1 }
        if let known = new.total { total = total.addingSaturated(known) } else { unknown += 1 }
        meter.add(Int(clamping: new.fetched - old.fetched), at: now)
    }

    /// Notes the end of a file: with its length, or failed with nil. A failed one counts with the bytes that it got.
    mutating func end(_ index: Int, length: Int64?, resumedAt: Int64, at now: NIODeadline) {
        guard files.indices.contains(index) else { return }
        if length == nil { sum.failed += 1 } else { sum.finished += 1 }
        let bytes = length ?? files[index].completed
        set(index, TransferProgress(completed: bytes, total: bytes), resumedAt: resumedAt, at: now)
    }

    /// Returns the progress at a moment.
    func progress(at now: NIODeadline) -> BatchProgress {
        var progress = sum
        progress.bytes = meter.progress(at: now)
        progress.bytes.completed = completed
        progress.bytes.total = unknown == 0 ? total : nil
        return progress
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
