import SternaCore
import SternaPlatform

/// Signs requests by HTTP Message Signatures (RFC 9421).
///
///     let api = try Session(baseURL: "https://api.example.com") {
///         $0.messageSigning = MessageSigning(key: .hmacSHA256(id: "key-1", secret: secret))
///     }
///
/// Each attempt is signed anew. Only requests to the origin that a call begins with are signed, so a redirect to another one is
/// followed without a signature, and so is a later one that returns, unless ``RedirectPolicy/keepsCredentialsAcrossOrigins`` is set.
public struct MessageSigning: Sendable {
    /// The key, which must be a secret or a private one.
    public var key: SignatureKey

    /// What the signature covers; by default method, URL, Content-Type where there is one, and the content's digest.
    public var components: [SignatureComponent] = [.method, .targetURI]

    /// Components that are covered if the request has the field; Content-Type by default.
    public var optionalComponents: [SignatureComponent] = ["content-type"]

    /// Whether a request with a body gets a Content-Digest field (RFC 9530, 2), in SHA-256, that is covered; yes by default.
    ///
    /// A body that can be read only once is collected for it.
    public var digestsContent = true

    /// The name of the signature in its fields; `sig1` by default.
    public var label = "sig1"

    /// How long signatures are valid; nil, the default, leaves that to the server.
    public var lifetime: Duration?

    /// The application's tag (RFC 9421, 2.3); none by default.
    public var tag: String?

    /// Whether each signature has a random nonce; no by default.
    public var addsNonce = false

    /// Whether the signature names its algorithm; no by default, since the key determines it.
    public var namesAlgorithm = false

    /// The present moment in seconds since 1970, for tests.
    package var now: @Sendable () -> Int64 = { AWSTime.now() }

    /// Makes settings for a key.
    public init(key: SignatureKey) { self.key = key }
}
