public import SternaCore

/// Decides on a redirect that the policy would follow, with the response that redirects and the request that would follow.
///
/// The request has the method, the body and the fields that ``RedirectPolicy`` leaves it. A closure that changes its URL to another
/// origin loses the credentials that the request still has, unless it sets others or the policy keeps them.
public typealias RedirectHandler = @Sendable (_ response: Response, _ proposed: Request) async -> RedirectDecision

/// The option that holds the closure for a request's redirects.
enum RedirectHandlerKey: RequestOptionKey {
    static var defaultValue: RedirectHandler? { nil }
    static var name: String? { "redirectHandler" }
    static func shown(_ value: RedirectHandler?) -> Any { value == nil ? "none" : "set" }
}

extension SessionSettings {
    /// A closure that follows, changes, delivers or refuses each redirect which ``redirects`` would follow; Alamofire's
    /// `redirectHandler`. None by default.
    ///
    ///     settings.redirectHandler = { response, proposed in
    ///         proposed.url.path.hasPrefix("/login") ? .deliver : .follow(proposed)
    ///     }
    ///
    /// It is called once for each redirect, of all requests. A task's ``TaskDecisions/redirect`` is asked after it.
    public var redirectHandler: RedirectHandler? {
        get { options[RedirectHandlerKey.self] }
        set { options[ifSet: RedirectHandlerKey.self] = newValue.map(Optional.some) }
    }
}

extension RequestSettings {
    /// A closure that follows, changes, delivers or refuses each redirect of this request, in place of the session's
    /// ``SessionSettings/redirectHandler``; nil for none.
    public var redirectHandler: RedirectHandler? {
        get { options[RedirectHandlerKey.self] }
        set { options[RedirectHandlerKey.self] = newValue }
    }
}
