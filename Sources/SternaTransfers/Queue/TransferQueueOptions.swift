import Sterna
public import SternaCore

/// The options of a ``TransferQueue``.
public struct TransferQueueOptions: Sendable {
    /// The maximum number of transfers that run at the same time; 4 by default, at least 1.
    public var concurrency = 4

    /// The maximum number of transfers with one host that run at the same time; unlimited by default, at least 1.
    public var perHost = Int.max

    /// The order of transfers with the same priority; first in, first out by default.
    public var order = QueueOrder.firstInFirstOut

    /// Whether the first transfer that fails cancels all others; false by default. A cancelled transfer does not count as failed,
    /// nor does a transfer of a store that lacks credentials.
    public var cancelsAllOnFailure = false

    /// Whether a transfer runs even if a dependency has failed; false by default: it then fails without being begun. If the
    /// dependency is blocked, a transfer of a store returns to its store.
    public var runsAfterFailure = false

    /// How often a task is retried after a transient failure: no connection, a time-out, an incomplete or damaged response, 408,
    /// 421, 425, 429, and 5xx except 501, 505, 506, 508 and 510; 0 by default, at most 1,000.
    ///
    /// These are attempts of the whole task, in addition to those of the session's retry policy. A download resumes after the bytes
    /// received. Tasks with callbacks, and tasks whose body can be read only once, are not retried. Transfers of a
    /// ``TransferStore`` have their own ``TransferOptions/maxAttempts``.
    public var retries = 0

    /// The longest pause before a task is retried; 30 s by default. The first pause is up to 1 s, and each further one up to twice
    /// as long. A server may ask for a longer one by `Retry-After`, up to a day.
    public var longestPause = Duration.seconds(30)

    /// Whether the queue requests the length of each download by a HEAD request before it begins; false by default.
    ///
    /// A download of unknown length counts with an estimate.
    public var asksForLengths = false

    /// The bandwidth limit of all transfers of the queue, in bytes per second; unlimited by default. Other queues and sessions may
    /// share it. It may be changed at any time.
    public var bandwidth = BandwidthLimit()

    /// The schedule that changes ``bandwidth`` by the time of day; nil by default.
    public var schedule: BandwidthSchedule?

    /// The observers of the queue's events; none by default. The session's observers receive the events first.
    public var observers: [EventObserver] = []

    /// The clock of schedules.
    var wallClock: @Sendable (BandwidthSchedule.Zone) -> WeekMoment = { WeekMoment.now(in: $0) }

    /// Creates the default options.
    public init() {}
}

/// The order of the transfers of a queue that have the same priority.
public enum QueueOrder: String, Sendable, Hashable, CaseIterable {
    /// In the order of their addition; the default.
    case firstInFirstOut
    /// The last added begins first.
    case lastInFirstOut
}
