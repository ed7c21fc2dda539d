/// What readers of a queue's progress receive.
struct QueueSnapshot: Sendable {
    var progress = QueueProgress()
    var isFinished = false
}

/// The progress of a ``TransferQueue``: its present value, and a sequence of its changes.
///
/// A reader receives the newest value and misses those that were replaced meanwhile. The sequence ends when no transfer is left. Any
/// number of readers may iterate it at the same time.
public struct QueueUpdates: AsyncSequence, Sendable {
    public typealias Element = QueueProgress
    public typealias Failure = Never

    let queue: TransferQueue

    /// The progress so far, with the rate of this moment.
    public var current: QueueProgress { queue.currentProgress }

    public func makeAsyncIterator() -> Iterator { Iterator(queue: queue) }

    /// Waits for changes of the progress.
    public struct Iterator: AsyncIteratorProtocol {
        let queue: TransferQueue
        var seen = 0
        var isOver = false

        /// Returns the newest progress once it has changed; nil when the queue has finished, or if the Swift task is cancelled.
        public mutating func next() async -> QueueProgress? {
            guard !isOver, let (version, snapshot) = await queue.change(after: seen) else { return nil }
            seen = version
            isOver = snapshot.isFinished
            return snapshot.progress
        }
    }
}
