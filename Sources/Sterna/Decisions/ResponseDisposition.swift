/// What a task does after the head of its response has arrived.
public enum ResponseDisposition: Sendable {
    /// Reads the body.
    case allow

    /// Cancels the task: it completes with an error of kind `cancelled`.
    case cancel

    /// Saves the body to a file, by a ``DownloadTask`` that takes the response over; nothing is sent again. The new task has an
    /// ``SessionTask/id`` of its own and starts at once, unless this task was suspended.
    ///
    /// This task then completes with an error of kind `cancelled`, since it has no value: ``SternaCore/SternaError/downloadTask``
    /// of the error is the new task. For a ``DownloadTask`` it means the same as `allow`: the body goes to the task's own
    /// destination.
    case becomeDownload(to: DownloadDestination)
}
