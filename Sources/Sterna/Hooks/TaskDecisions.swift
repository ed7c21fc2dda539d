public import SternaCore

/// What a task does with a redirect.
public enum RedirectDecision: Sendable {
    /// Sends the proposed request, or a changed one. Credentials that the policy has dropped do not come back by themselves.
    case follow(Request)

    /// Takes the redirect as the response.
    case deliver

    /// Fails the task with `redirectRefused`.
    case refuse
}

/// What a task does after the head of its response has arrived.
public enum ResponseDisposition: Sendable {
    /// Reads the body.
    case allow

    /// Cancels the task.
    case cancel
}
