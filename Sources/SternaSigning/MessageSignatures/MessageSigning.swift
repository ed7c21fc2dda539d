import SternaCore
import SternaPlatform

/// Signs requests by HTTP Message Signatures (RFC 9421).
///
///     let api = try Session(baseURL: "https://api.example.com") {
///         $0.auth.messageSigning = MessageSigning(key: .hmacSHA256(id: "key-1", secret: secret))
///     }
///
/// Each attempt is signed anew. Only requests to the origin of a call's first request are signed; a redirect to another origin is
/// followed without a signature. So is a later redirect back, unless ``RedirectPolicy/keepsCredentialsAcrossOrigins`` is set.
public struct MessageSigning: Sendable {
    /// The key, which must be a shared secret or a private key.
    public var key: SignatureKey

    /// The components that the signature covers, in addition to ``optionalComponents`` and the digest of ``digestsContent``; method
    /// and URL by default.
    public var components: [SignatureComponent] = [.method, .targetURI]

    /// Components that are covered if the request has the field; Content-Type by default.
    public var optionalComponents: [SignatureComponent] = ["content-type"]

    /// Whether the signature of a request with a body covers a Content-Digest field (RFC 9530, 2), which is added in SHA-256 unless
    /// the request has one; true by default.
    ///
    /// A body that can be read only once is collected in memory first.
    public var digestsContent = true

    /// The name of the signature in its fields; `sig1` by default.
    public var label = "sig1"

    /// How long signatures are valid, in whole seconds; nil, the default, leaves that to the server.
    public var lifetime: Duration?

    /// The application's tag (RFC 9421, 2.3); none by default.
    public var tag: String?

    /// Whether each signature has a random nonce; false by default.
    public var addsNonce = false

    /// Whether the signature names its algorithm; false by default, since the key determines it.
    public var namesAlgorithm = false

    /// Returns the current time in seconds since 1970; replaced in tests.
    package var now: @Sendable () -> Int64 = { AWSTime.now() }

    /// Makes settings for a key.
    public init(key: SignatureKey) { self.key = key }
}
