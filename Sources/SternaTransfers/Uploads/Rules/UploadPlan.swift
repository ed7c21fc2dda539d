import HTTPTypes
import SternaCore

/// What a caller wants to upload, where to, and how: what stays the same during the whole upload.
struct UploadPlan: Sendable, Hashable {
    /// A name with a value.
    struct Pair: Sendable, Hashable {
        var name: String
        var value: String
    }

    /// The protocol to use.
    enum Choice: Sendable, Hashable {
        /// The one that the server names when it is asked by OPTIONS.
        case discovered
        case named(UploadDialect)
    }

    /// What the request has that creates the upload.
    enum Creation: Sendable, Hashable {
        /// No content, so that the upload's URL is known before anything is sent.
        case empty
        /// The content, or its first part. After a kill during that request it is unknown what the server has stored.
        case withContent
    }

    /// The part of an upload in a concatenation of tus.
    enum Concatenation: Sendable, Hashable {
        case none
        /// One of several uploads that are joined later.
        case partial
        /// Joins uploads in their order; nothing is sent.
        case final([HTTPURL])
    }

    /// The URL at which the upload is created.
    var target: HTTPURL

    /// The number of bytes.
    var length: Int64

    var choice = Choice.discovered
    var creation = Creation.empty
    var concatenation = Concatenation.none

    /// The method of the request that creates an upload by the IETF protocol. Tus has POST.
    var method = Request.Method.post

    /// The media type and the name of the file.
    var mediaType = "application/octet-stream"
    var fileName: String?

    /// Further metadata for tus.
    var metadata: [Pair] = []

    /// Fields of the caller, sent to the origin of ``target`` alone.
    var headers = Headers()

    /// The largest content of one request, in bytes; nil for all of it.
    var largestAppend: Int64?

    /// Whether a tus server learns the length with the first content only (creation-defer-length).
    var defersLength = false

    /// Whether PATCH and DELETE are sent to a tus server as POST with X-HTTP-Method-Override, for proxies that let nothing else through.
    var overridesMethods = false

    /// The algorithm of the digests that are sent with content; nil for none.
    var checksum: UploadDigest.Algorithm?

    /// Whether the digest follows the content, which tus calls checksum-trailer.
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

        /// The name in Content-Digest and Repr-Digest; nil for algorithms that are not to be used there (RFC 9530, 5).
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
