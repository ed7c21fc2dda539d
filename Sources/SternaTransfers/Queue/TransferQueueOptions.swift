import Sterna
public import SternaCore

/// How a ``TransferQueue`` runs its transfers.
public struct TransferQueueOptions: Sendable {
    /// The maximum number of transfers that run at the same time, at least 1; 4 by default.
    public var concurrency = 4

    /// The maximum number of them with one host; without a limit of its own by default.
    public var perHost = Int.max

    /// The order of transfers with the same priority.
    public var order = QueueOrder.firstInFirstOut

    /// Whether the first transfer that fails cancels all others; off by default. One that was cancelled has not failed, nor has one of a store
    /// that lacks credentials.
    public var cancelsAllOnFailure = false

    /// Whether a transfer runs, too, if one that it waits for has failed; otherwise, by default, it fails without being begun. One of a store that
    /// waits for one that lacks credentials is left to its store.
    public var runsAfterFailure = false

    /// How often a task is tried again after a failure that may pass (no connection, a time-out, 408, 429, 5xx); 0 by default, at most 1,000.
    ///
    /// These are attempts of the whole task, besides those of the session's own policy. A download goes on behind the bytes that are
    /// there. Tasks with callbacks, and those whose body can be read only once, are not tried again. The transfers of a
    /// ``TransferStore`` have their own ``TransferOptions/maxAttempts``.
    public var retries = 0

    /// The longest pause before a task is tried again; 30 s by default. The first is of a second, and each further one is twice as long.
    public var longestPause = Duration.seconds(30)

    /// Whether the lengths of downloads are asked for before they begin, with a HEAD request each; off by default.
    ///
    /// A download whose length the server does not say counts with an estimate.
    public var asksForLengths = false

    /// The limit on the bandwidth of all transfers of the queue; other queues and sessions may share it. It may be changed at any time.
    public var bandwidth = BandwidthLimit()

    /// Changes the limit by the time of the day; none by default.
    public var schedule: BandwidthSchedule?

    /// Receive the queue's events, after the observers of its session.
    public var observers: [EventObserver] = []

    /// The clock of schedules.
    var wallClock: @Sendable (BandwidthSchedule.Zone) -> WeekMoment = { WeekMoment.now(in: $0) }

    public init() {}
}

/// The order of the transfers of a queue that have the same priority.
public enum QueueOrder: String, Sendable, Hashable, CaseIterable {
    /// In the order in which they were added; the default.
    case firstInFirstOut
    /// The one that was added last comes first.
    case lastInFirstOut
}
