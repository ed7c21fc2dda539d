import SternaCore

extension RequestSettings {
    /// Whether this request carries the token of ``SessionSettings/tokenAuthentication``, and waits for it; yes by default. Turn it off
    /// for requests that need none, such as a login.
    public var usesTokenAuthentication: Bool {
        get { state.choices.usesToken }
        set { state.choices.usesToken = newValue }
    }
}
