import SternaCore

extension RequestSettings {
    /// Whether this request carries the token of ``SessionSettings/tokenAuthentication``, and waits for it; true by default. Set it
    /// to false for requests without a token, such as a login.
    public var usesTokenAuthentication: Bool {
        get { state.choices.usesToken }
        set { state.choices.usesToken = newValue }
    }
}
