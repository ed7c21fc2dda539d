public import Sterna

extension SessionSettings.Auth {
    /// Signs the session's requests by AWS Signature Version 4; nil, the default, signs none.
    ///
    /// With a base URL, only requests to its origin are signed.
    public var awsSigning: AWSSigning? {
        get { self[AWSSigning.self] }
        set { self[AWSSigning.self] = newValue }
    }

    /// Signs the session's requests by HTTP Message Signatures (RFC 9421); nil, the default, signs none.
    ///
    /// With a base URL, only requests to its origin are signed.
    public var messageSigning: MessageSigning? {
        get { self[MessageSigning.self] }
        set { self[MessageSigning.self] = newValue }
    }
}

extension RequestSettings.Auth {
    /// Signs this request by AWS Signature Version 4; nil sends it without a signature, even if the session signs. The session's
    /// value by default.
    ///
    /// A value assigned here signs the request whatever its origin. The session's value, even with properties changed here, signs
    /// only requests that ``Sterna/SessionSettings/Auth/awsSigning`` signs.
    ///
    /// A draft does not know its session's: assign a whole value there. A change of a property where there is none, as by
    /// `$0.auth.awsSigning?.region = …` in a draft's closure, fails the request with `invalidRequest`.
    public var awsSigning: AWSSigning? {
        get { self[AWSSigning.self] }
        _modify { yield &self[AWSSigning.self] }
        set { self[AWSSigning.self] = newValue }
    }

    /// Signs this request by HTTP Message Signatures (RFC 9421), under the rules of ``awsSigning``; nil sends it without a
    /// signature, even if the session signs. The session's value by default.
    public var messageSigning: MessageSigning? {
        get { self[MessageSigning.self] }
        _modify { yield &self[MessageSigning.self] }
        set { self[MessageSigning.self] = newValue }
    }
}
