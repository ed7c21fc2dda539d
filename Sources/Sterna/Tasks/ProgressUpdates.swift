public import SternaCore

/// The progress of a task in one direction: its present value, and a sequence of its changes.
///
///     for await step in task.progress { print(step) }  // 37% of 1.2 GB, 48 MB/s, 16 s left
///
/// A reader receives the newest value and misses those that were replaced meanwhile, so that a slow reader delays nothing. The
/// sequence ends with the task, after its last value. Any number of readers may iterate it at the same time.
public struct ProgressUpdates: AsyncSequence, Sendable {
    public typealias Element = TransferProgress
    public typealias Failure = Never

    let channel: ProgressChannel

    /// The progress so far.
    public var current: TransferProgress { channel.current }

    public func makeAsyncIterator() -> Iterator { Iterator(channel: channel) }

    /// Waits for changes of the progress.
    public struct Iterator: AsyncIteratorProtocol {
        let channel: ProgressChannel
        var seen = 0

        /// Returns the newest progress once it has changed; nil at the end of the task, or if the Swift task is cancelled.
        public mutating func next() async -> TransferProgress? {
            guard let (version, progress) = await channel.change(after: seen) else { return nil }
            seen = version
            return progress
        }
    }
}

typealias ProgressChannel = UpdateChannel<TransferProgress>

extension UpdateChannel<TransferProgress> {
    convenience init() { self.init(TransferProgress(completed: 0)) }
}
