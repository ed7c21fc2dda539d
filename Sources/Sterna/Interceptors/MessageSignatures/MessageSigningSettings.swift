import SternaCore

/// The option that holds a request's message signing.
enum MessageSigningOptionKey: RequestOptionKey {
    static var defaultValue: MessageSigningChoice? { nil }
    static var name: String? { "auth.messageSigning" }

    static func shown(_ value: MessageSigningChoice?) -> Any { value?.signing as Any }
}

/// How a request is signed, and whether the request or its session has set that.
struct MessageSigningChoice: Sendable {
    var signing: MessageSigning?

    /// Whether the request itself has set it, so that it is signed whatever its origin.
    var isOfRequest: Bool

    /// Whether a property of a signing was changed where there was none, so that the choice means nothing.
    var changesNone = false
}

extension RequestSettings.Auth {
    /// Signs this request by HTTP Message Signatures (RFC 9421); nil sends it without a signature, even if the session signs. The
    /// session's value by default.
    ///
    /// A value assigned here signs the request whatever its origin. The session's value, even with properties changed here, signs
    /// only requests that ``SessionSettings/Auth/messageSigning`` signs.
    ///
    /// A draft does not know its session's: assign a whole value there. A change of a property where there is none, as by
    /// `$0.auth.messageSigning?.label = …` in a draft's closure, fails the request with `invalidRequest`.
    public var messageSigning: MessageSigning? {
        get { settings.options[MessageSigningOptionKey.self]?.signing }
        _modify {
            let former = settings.options[MessageSigningOptionKey.self]
            var signing = former?.signing
            defer {
                settings.options[MessageSigningOptionKey.self] = MessageSigningChoice(
                    signing: signing, isOfRequest: former?.signing == nil || former?.isOfRequest == true,
                    changesNone: former?.signing == nil && signing == nil)
            }
            yield &signing
        }
        set {
            settings.options[MessageSigningOptionKey.self] = MessageSigningChoice(signing: newValue, isOfRequest: true)
        }
    }
}
