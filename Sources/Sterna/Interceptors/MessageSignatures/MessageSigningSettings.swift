import SternaCore

/// The option that holds a request's message signing.
enum MessageSigningOptionKey: RequestOptionKey {
    static var defaultValue: MessageSigningChoice? { nil }
    static var name: String? { "messageSigning" }

    static func shown(_ value: MessageSigningChoice?) -> Any { value?.signing as Any }
}

/// Whether a request is signed, and whether it says so itself.
struct MessageSigningChoice: Sendable {
    var signing: MessageSigning?

    /// Whether the choice is the request's own, so that its origin does not matter.
    var isOfRequest: Bool
}

extension SessionSettings {
    /// Signs the session's requests by HTTP Message Signatures (RFC 9421); nil, the default, signs none.
    ///
    /// With a base URL only requests to its origin are signed.
    public var messageSigning: MessageSigning? {
        get { options[MessageSigningOptionKey.self]?.signing }
        set {
            options[ifSet: MessageSigningOptionKey.self] = newValue.map {
                .some(MessageSigningChoice(signing: $0, isOfRequest: false))
            }
        }
    }
}

extension RequestSettings {
    /// Signs this request by HTTP Message Signatures (RFC 9421), whatever its origin; nil, the default, keeps the session's
    /// choice.
    public var messageSigning: MessageSigning? {
        get { options[MessageSigningOptionKey.self]?.signing }
        set {
            options[ifSet: MessageSigningOptionKey.self] = newValue.map {
                .some(MessageSigningChoice(signing: $0, isOfRequest: true))
            }
        }
    }

    /// Sends this request without a message signature, though the session signs.
    public mutating func disableMessageSigning() {
        options[ifSet: MessageSigningOptionKey.self] = .some(MessageSigningChoice(signing: nil, isOfRequest: true))
    }
}
