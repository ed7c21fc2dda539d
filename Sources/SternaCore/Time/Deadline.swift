public import NIOCore

/// A point in time on the monotonic clock, in nanoseconds, by which something must be done.
public struct Deadline: Sendable, Hashable, Comparable {
    /// The same point as SwiftNIO's type.
    public var instant: NIODeadline

    public init(_ instant: NIODeadline) { self.instant = instant }

    /// The point that lies `duration` from now.
    public static func after(_ duration: Duration) -> Deadline {
        Deadline(.now() + TimeAmount(clamping: duration))
    }

    /// Whether the point has passed.
    public var hasPassed: Bool { instant <= .now() }

    public static func < (one: Deadline, other: Deadline) -> Bool { one.instant < other.instant }
}

extension TimeAmount {
    /// A duration in whole nanoseconds, clamped to between nothing and a hundred years.
    public init(clamping duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let century: Int64 = 100 * 366 * 86_400
        guard seconds >= 0, attoseconds >= 0 else {
            self = .nanoseconds(0)
            return
        }
        self = .nanoseconds(min(seconds, century) * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}
