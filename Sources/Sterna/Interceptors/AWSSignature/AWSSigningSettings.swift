import SternaCore
import Synchronization

/// Whether a request is signed, and whether it says so itself.
struct AWSSigningChoice: Sendable {
    var signing: AWSSigning?

    /// Whether the choice is the request's own, so that its origin does not matter.
    var isOfRequest: Bool

    /// Whether a property of a signing was changed where there was none, so that the choice means nothing.
    var changesNone = false
}

/// The option that holds a request's signing by AWS Signature Version 4.
enum AWSSigningKey: RequestOptionKey {
    static var defaultValue: AWSSigningChoice? { nil }
    static var name: String? { "awsSigning" }

    static func shown(_ value: AWSSigningChoice?) -> Any { value?.signing as Any }
}

/// Where the redirects of a signed request have led.
final class AWSTrail: Sendable {
    /// The origin that the request begins with.
    let origin: Origin
    private let foreign = Atomic<Bool>(false)

    init(from origin: Origin) { self.origin = origin }

    /// Whether a redirect has led to a host that is neither the first nor trusted, so that it could choose what follows.
    var hasLeft: Bool { foreign.load(ordering: .relaxed) }

    func leave() { foreign.store(true, ordering: .relaxed) }
}

extension SessionSettings {
    /// Signs the session's requests by AWS Signature Version 4; nil, the default, signs none.
    ///
    /// With a base URL only requests to its origin are signed.
    public var awsSigning: AWSSigning? {
        get { options[AWSSigningKey.self]?.signing }
        set {
            options[ifSet: AWSSigningKey.self] = newValue.map {
                .some(AWSSigningChoice(signing: $0, isOfRequest: false))
            }
        }
    }
}

extension RequestSettings {
    /// Signs this request by AWS Signature Version 4; nil sends it without such a signature, though the session signs.
    ///
    /// What is assigned here signs the request whatever its origin. The session's, of which properties may be changed, does so as
    /// ``SessionSettings/awsSigning`` says.
    ///
    /// A draft does not know its session's: assign a whole value there. A change of a property where there is none, as by
    /// `$0.awsSigning?.region = …` in a draft's closure, fails the request with `invalidRequest`.
    public var awsSigning: AWSSigning? {
        get { options[AWSSigningKey.self]?.signing }
        _modify {
            let former = options[AWSSigningKey.self]
            var signing = former?.signing
            defer {
                options[AWSSigningKey.self] = AWSSigningChoice(
                    signing: signing, isOfRequest: former?.signing == nil || former?.isOfRequest == true,
                    changesNone: former?.signing == nil && signing == nil)
            }
            yield &signing
        }
        set { options[AWSSigningKey.self] = AWSSigningChoice(signing: newValue, isOfRequest: true) }
    }
}
