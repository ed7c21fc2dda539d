/// The states of a task: the present one, then its changes, up to ``TaskState/completed``.
///
///     for await state in task.states { spinner.isSpinning = state == .running }
///
/// A reader receives the newest state and misses those that were replaced meanwhile. The sequence ends behind `completed`, or when the Swift
/// task is cancelled. Any number of readers may iterate it at the same time.
public struct StateUpdates: AsyncSequence, Sendable {
    public typealias Element = TaskState
    public typealias Failure = Never

    let channel: UpdateChannel<TaskState>

    public func makeAsyncIterator() -> Iterator { Iterator(channel: channel) }

    /// Waits for changes of the state.
    public struct Iterator: AsyncIteratorProtocol {
        let channel: UpdateChannel<TaskState>
        // Below any version, so that the present state comes first.
        var seen = -1
        var isOver = false

        /// Returns the newest state once it has changed; nil behind `completed`, or if the Swift task is cancelled.
        public mutating func next() async -> TaskState? {
            guard !isOver, let (version, state) = await channel.change(after: seen) else { return nil }
            seen = version
            isOver = state == .completed
            return state
        }
    }
}
