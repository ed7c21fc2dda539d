public import SternaCore

/// What happens to a redirect.
public enum RedirectDecision: Sendable {
    /// Sends the proposed request, or a changed one. Credentials that the policy has dropped do not come back by themselves.
    case follow(Request)

    /// Takes the redirect as the response; its status is not an error.
    case deliver

    /// Fails the request with `redirectRefused`.
    case refuse
}

/// What a task does after the head of its response has arrived.
public enum ResponseDisposition: Sendable {
    /// Reads the body.
    case allow

    /// Cancels the task.
    case cancel

    /// Saves the body to a file, by a ``DownloadTask`` that takes the response over; nothing is sent again. The hook
    /// ``SessionHooks/becameDownload`` receives the new task, which has an ``SessionTask/id`` of its own and starts at once, unless this
    /// task was suspended.
    ///
    /// This task then completes with an error of kind `cancelled`, since it has no value: ``SternaCore/SternaError/downloadTask`` of the
    /// error is the new task. A download takes the response into its own file, as by `allow`.
    case becomeDownload(to: DownloadDestination)
}
