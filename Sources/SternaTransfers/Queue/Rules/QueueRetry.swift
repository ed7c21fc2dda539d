import SternaCore

/// Decides whether a queue retries a failed task.
enum QueueRetry {
    /// Returns the pause before the next attempt in milliseconds; nil to let the task fail.
    ///
    /// - Parameters:
    ///   - asked: the pause that the server requested.
    ///   - attempts: the number of attempts, including the failed one.
    ///   - random: from 0 to 1.
    static func pause(
        after error: SternaError, asked: Duration?, attempts: Int, retries: Int, longest: Duration, random: Double
    ) -> Int64? {
        guard attempts <= retries, TransferRule.isTransient(error) else { return nil }
        // Unlike a store's transfer, a task has a caller that waits for its end, and a wrong clock may stay wrong for long.
        guard error.kind != .certificateRejected else { return nil }
        return TransferRule.delay(afterFailures: attempts, asked: asked, longest: longest, random: random)
    }
}
