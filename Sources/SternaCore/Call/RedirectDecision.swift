/// What happens to a redirect.
public enum RedirectDecision: Sendable {
    /// Sends the proposed request, or a changed one. Credentials that the policy has dropped do not come back by themselves.
    case follow(Request)

    /// Takes the redirect as the response; its status is not an error.
    case deliver

    /// Fails the request with `redirectRefused`.
    case refuse
}
