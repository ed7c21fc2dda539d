/// A retry that begins after a wait.
public struct ScheduledRetry: Sendable, Hashable {
    /// The cause of the retry.
    public let reason: RetryReason

    /// The wait before it.
    public let delay: Duration

    /// The number of the retry, counted from 1, without repeats by the engine and without retries before the last redirect.
    public let number: Int

    package init(reason: RetryReason, delay: Duration, number: Int) {
        self.reason = reason
        self.delay = delay
        self.number = number
    }
}

/// The cause of a retry.
public enum RetryReason: Sendable, Hashable, CustomStringConvertible {
    /// The attempt failed, before its response or while the body was collected.
    case error(SternaError.Kind)

    /// The response's status, for which the policy permits a retry.
    case status(Int)

    /// One of the program's retriers asked for it.
    case retrier

    public var description: String {
        switch self {
        case .error(let kind): kind.rawValue
        case .status(let code): "status \(code)"
        case .retrier: "a retrier asked for it"
        }
    }
}
