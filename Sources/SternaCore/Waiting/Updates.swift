/// The present value of something that changes, and a sequence of its changes.
///
///     for await step in task.progress { print(step) }  // 37% of 1.2 GB, 48 MB/s, 16 s left
///
/// A reader receives the newest value and misses those that were replaced meanwhile, so that a slow reader delays nothing. The sequence
/// ends after the last value, or when the Swift task is cancelled. Any number of readers may iterate it at the same time.
public struct Updates<Value: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Value
    public typealias Failure = Never

    private let channel: UpdateChannel<Value>
    private let startsAtOnce: Bool
    private let isLast: @Sendable (Value) -> Bool
    private let present: @Sendable () -> Value

    /// - Parameters:
    ///   - startsAtOnce: whether a reader receives the present value at once, rather than the first that was reported.
    ///   - isLast: whether a reader ends after a value, before the channel does.
    ///   - current: the present value; that of the channel by default. Readers retain what the closure captures.
    package init(
        _ channel: UpdateChannel<Value>, startsAtOnce: Bool = false,
        until isLast: @escaping @Sendable (Value) -> Bool = { _ in false }, current: (@Sendable () -> Value)? = nil
    ) {
        (self.channel, self.startsAtOnce, self.isLast) = (channel, startsAtOnce, isLast)
        present = current ?? { channel.current }
    }

    /// The present value.
    public var current: Value { present() }

    public func makeAsyncIterator() -> Iterator {
        // Versions begin with 0.
        Iterator(updates: self, seen: startsAtOnce ? -1 : 0)
    }

    /// Waits for changes of the value.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let updates: Updates
        fileprivate var seen: Int
        fileprivate var isOver = false

        /// Returns the newest value once it has changed; nil after the last one, or if the Swift task is cancelled.
        public mutating func next(isolation: isolated (any Actor)?) async -> Value? {
            guard !isOver, let (version, value) = await updates.channel.change(after: seen) else { return nil }
            (seen, isOver) = (version, updates.isLast(value))
            return value
        }
    }
}
