import SternaCore
import Synchronization

/// How a request is signed, and whether the request or its session has set that.
struct AWSSigningChoice: Sendable {
    var signing: AWSSigning?

    /// Whether the request itself has set it, so that it is signed whatever its origin.
    var isOfRequest: Bool

    /// Whether a property of a signing was changed where there was none, so that the choice means nothing.
    var changesNone = false
}

/// The option that holds a request's signing by AWS Signature Version 4.
enum AWSSigningKey: RequestOptionKey {
    static var defaultValue: AWSSigningChoice? { nil }
    static var name: String? { "auth.awsSigning" }

    static func shown(_ value: AWSSigningChoice?) -> Any { value?.signing as Any }
}

/// Where redirects have led a signed request.
final class AWSTrail: Sendable {
    /// The origin of the call's first request.
    let origin: Origin
    private let foreign = Atomic<Bool>(false)

    init(from origin: Origin) { self.origin = origin }

    /// Whether a redirect has led to an untrusted host, which could have chosen the redirects after it.
    var hasLeft: Bool { foreign.load(ordering: .relaxed) }

    func leave() { foreign.store(true, ordering: .relaxed) }
}

extension RequestSettings.Auth {
    /// Signs this request by AWS Signature Version 4; nil sends it without a signature, even if the session signs. The session's
    /// value by default.
    ///
    /// A value assigned here signs the request whatever its origin. The session's value, even with properties changed here, signs
    /// only requests that ``SessionSettings/Auth/awsSigning`` signs.
    ///
    /// A draft does not know its session's: assign a whole value there. A change of a property where there is none, as by
    /// `$0.auth.awsSigning?.region = …` in a draft's closure, fails the request with `invalidRequest`.
    public var awsSigning: AWSSigning? {
        get { settings.options[AWSSigningKey.self]?.signing }
        _modify {
            let former = settings.options[AWSSigningKey.self]
            var signing = former?.signing
            defer {
                settings.options[AWSSigningKey.self] = AWSSigningChoice(
                    signing: signing, isOfRequest: former?.signing == nil || former?.isOfRequest == true,
                    changesNone: former?.signing == nil && signing == nil)
            }
            yield &signing
        }
        set { settings.options[AWSSigningKey.self] = AWSSigningChoice(signing: newValue, isOfRequest: true) }
    }
}
