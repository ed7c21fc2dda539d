public import NIOCore

/// A point in time on the monotonic clock, in nanoseconds, by which an operation must be complete.
///
///     let deadline = Deadline.now + .seconds(5)
///     let user: User = try await api.get("user") { $0.deadline = deadline }.decode()
///     let feed: Feed = try await api.get("feed") { $0.deadline = deadline }.decode()
public struct Deadline: Sendable, Hashable, Comparable {
    /// The same point as SwiftNIO's type.
    public var instant: NIODeadline

    public init(_ instant: NIODeadline) { self.instant = instant }

    /// The current time.
    public static var now: Deadline { Deadline(.now()) }

    /// Whether the point has passed.
    public var hasPassed: Bool { instant <= .now() }

    /// The remaining time; zero once the point has passed.
    public var remaining: Duration { max(.zero, self - .now) }

    public static func < (one: Deadline, other: Deadline) -> Bool { one.instant < other.instant }

    /// The point that lies a duration later; the duration is clamped to a hundred years in either direction.
    public static func + (deadline: Deadline, duration: Duration) -> Deadline {
        let (sum, overflow) = deadline.nanoseconds.addingReportingOverflow(nanoseconds(of: duration))
        return Deadline(.uptimeNanoseconds(overflow ? UInt64(Int64.max) : UInt64(max(0, sum))))
    }

    /// The point that lies a duration earlier; the duration is clamped to a hundred years in either direction.
    public static func - (deadline: Deadline, duration: Duration) -> Deadline {
        deadline + .nanoseconds(-nanoseconds(of: duration))
    }

    /// The time from one point to another; negative if the first is later than the second.
    public static func - (end: Deadline, start: Deadline) -> Duration {
        // Neither is negative, so the difference fits.
        .nanoseconds(end.nanoseconds - start.nanoseconds)
    }

    private var nanoseconds: Int64 { Int64(clamping: instant.uptimeNanoseconds) }

    private static func nanoseconds(of duration: Duration) -> Int64 {
        duration < .zero
            ? -TimeAmount(clamping: .zero - max(duration, .seconds(-century))).nanoseconds
            : TimeAmount(clamping: duration).nanoseconds
    }

    /// In seconds.
    fileprivate static let century: Int64 = 100 * 366 * 86_400
}

extension TimeAmount {
    /// Makes a duration to the nearest nanosecond, clamped to between zero and a hundred years.
    package init(clamping duration: Duration) {
        let attoseconds = min(max(duration.attoseconds, 0), Int128(Deadline.century) * 1_000_000_000_000_000_000)
        // Rounded to the nearest, since for example 4.1 as a `Double` is slightly less.
        self = .nanoseconds(Int64((attoseconds + 500_000_000) / 1_000_000_000))
    }
}
