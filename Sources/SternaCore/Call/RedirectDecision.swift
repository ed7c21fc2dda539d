/// The decision on a redirect.
public enum RedirectDecision: Sendable {
    /// Sends the proposed request, or a changed one. Credentials that the policy has dropped are not added again.
    case follow(Request)

    /// Returns the redirect response; its status is not an error.
    case deliver

    /// Fails the request with `redirectRefused`.
    case refuse
}
