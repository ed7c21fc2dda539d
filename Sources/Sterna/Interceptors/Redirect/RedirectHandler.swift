public import SternaCore

/// Decides on a redirect that the policy would follow, given the redirect response and the proposed next request.
///
/// The proposed request has the method, the body and the fields that ``RedirectPolicy`` permits. If a closure changes the URL to
/// another origin, the request's credentials are dropped, unless the closure has set them or the policy keeps credentials.
public typealias RedirectHandler = @Sendable (_ response: Response, _ proposed: Request) async -> RedirectDecision

/// The option that holds the closure for a request's redirects.
enum RedirectHandlerKey: RequestOptionKey {
    static var defaultValue: RedirectHandler? { nil }
    static var name: String? { "redirectHandler" }
    static func shown(_ value: RedirectHandler?) -> Any { value == nil ? "none" : "set" }
}

extension SessionSettings {
    /// A closure that follows, changes, delivers or refuses each redirect that ``redirects`` would follow; none by default. The
    /// counterpart of Alamofire's `redirectHandler`.
    ///
    ///     settings.redirectHandler = { response, proposed in
    ///         proposed.url.path.hasPrefix("/login") ? .deliver : .follow(proposed)
    ///     }
    ///
    /// It is called once for each redirect of each request. A task's ``TaskDecisions/redirect`` is called after it.
    public var redirectHandler: RedirectHandler? {
        get { options[RedirectHandlerKey.self] }
        set { options[ifSet: RedirectHandlerKey.self] = newValue.map(Optional.some) }
    }
}

extension RequestSettings {
    /// A closure that follows, changes, delivers or refuses each redirect of this request, instead of the session's
    /// ``SessionSettings/redirectHandler``, which is the default; nil for none.
    public var redirectHandler: RedirectHandler? {
        get { options[RedirectHandlerKey.self] }
        set { options[RedirectHandlerKey.self] = newValue }
    }
}
