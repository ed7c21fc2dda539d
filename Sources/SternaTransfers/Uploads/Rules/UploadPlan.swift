import HTTPTypes
import SternaCore

/// The content, target and options of an upload, which do not change while it runs.
struct UploadPlan: Sendable, Hashable {
    /// A name with a value.
    struct Pair: Sendable, Hashable {
        var name: String
        var value: String
    }

    /// The protocol to use.
    enum Choice: Sendable, Hashable {
        /// The protocol that the server names in its response to OPTIONS.
        case discovered
        case named(UploadDialect)
    }

    /// The content of the request that creates the upload.
    enum Creation: Sendable, Hashable {
        /// No content, so that the upload's URL is known before anything is sent.
        case empty
        /// The content, or its first part. If the process is killed during that request, the outcome on the server is unknown.
        case withContent
    }

    /// The role of an upload in a concatenation of tus.
    enum Concatenation: Sendable, Hashable {
        case none
        /// One of several uploads that are joined later.
        case partial
        /// Joins uploads in their order; nothing is sent.
        case final([HTTPURL])
    }

    /// The URL at which the upload is created.
    var target: HTTPURL

    /// The length of the content in bytes.
    var length: Int64

    var choice = Choice.discovered
    var creation = Creation.empty
    var concatenation = Concatenation.none

    /// The method of the request that creates an upload by the IETF protocol or by Content-Range. Tus always uses POST.
    var method = Request.Method.post

    /// The media type and the name of the file.
    var mediaType = "application/octet-stream"
    var fileName: String?

    /// Further metadata for tus.
    var metadata: [Pair] = []

    /// The caller's header fields, sent only to the origin of ``target``.
    var headers = Headers()

    /// The largest content of one request, in bytes; nil for no limit.
    var largestAppend: Int64?

    /// Whether a tus server receives the length only with the first content (creation-defer-length).
    var defersLength = false

    /// Whether PATCH and DELETE are sent to a tus server as POST with X-HTTP-Method-Override, for proxies that refuse other
    /// methods.
    var overridesMethods = false

    /// The algorithm of the digests that are sent with content; nil for none.
    var checksum: UploadDigest.Algorithm?

    /// Whether the digest follows the content (checksum-trailer of tus).
    var sendsDigestInTrailer = false

    /// The digest of the whole file, which the server can verify (Repr-Digest, RFC 9530).
    var fileDigest: UploadDigest?

    init(target: HTTPURL, length: Int64) {
        self.target = target
        self.length = max(0, length)
    }
}

/// A digest of content.
struct UploadDigest: Sendable, Hashable {
    enum Algorithm: String, Sendable, Hashable, Codable, CaseIterable {
        case md5, sha1
        case sha256 = "sha-256"
        case sha512 = "sha-512"

        /// The name in tus.
        var tusName: String { rawValue.filter { $0 != "-" } }

        /// The name in Content-Digest and Repr-Digest; nil for algorithms that must not be used there (RFC 9530, 5).
        var fieldName: String? {
            switch self {
            case .md5, .sha1: nil
            case .sha256, .sha512: rawValue
            }
        }
    }

    var algorithm: Algorithm
    var bytes: [UInt8]
}
