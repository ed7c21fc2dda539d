import Sterna
import SternaTransfers

/// Chooses the program's header fields for each request of an upload, and the fields of digests. Functions of values.
enum S3UploadFields {
    /// The requests of an upload.
    enum Purpose: Sendable, Hashable, CaseIterable {
        /// PutObject: the whole file in one request.
        case whole
        case create, part, list, complete, abort, head
    }

    /// Returns the fields of a request: those of the object in the request that creates it, conditions in the request that gives it
    /// its name, and others, such as customer-provided keys or the expected owner, in all.
    static func fields(_ headers: Headers, for purpose: Purpose, mediaType: String? = nil) -> Headers {
        var chosen = Headers(
            headers.lines.filter { isSent($0.name.lowercased(), purpose) }.map { ($0.name, $0.value) })
        if purpose == .whole || purpose == .create, let mediaType, chosen["Content-Type"] == nil {
            chosen["Content-Type"] = mediaType
        }
        return chosen
    }

    private static func isSent(_ name: String, _ purpose: Purpose) -> Bool {
        if conditions.contains(name) { return purpose == .whole || purpose == .complete }
        // The program's digests are those of the whole file.
        if name == "content-md5" || name.hasPrefix("x-amz-checksum-") || name == "x-amz-content-sha256" {
            return purpose == .whole
        }
        let isOfObject =
            descriptions.contains(name)
            || prefixes.contains { name.hasPrefix($0) }
                && !name.hasPrefix("x-amz-server-side-encryption-customer-")
        return isOfObject ? purpose == .whole || purpose == .create : true
    }

    private static let conditions: Set<String> = ["if-match", "if-none-match"]

    private static let descriptions: Set<String> = [
        "content-type", "content-disposition", "content-encoding", "content-language", "cache-control", "expires",
        "x-amz-acl", "x-amz-storage-class", "x-amz-tagging", "x-amz-website-redirect-location",
    ]

    private static let prefixes = [
        "x-amz-meta-", "x-amz-grant-", "x-amz-object-lock-", "x-amz-server-side-encryption",
    ]

    // MARK: Digests

    /// The digests that S3 checks, as the field of a request and the element in lists of parts.
    struct Checksum: Sendable, Hashable {
        let field: String
        /// The name of the algorithm; nil for MD5, which the server does not store.
        let algorithm: String?

        /// The element of lists of parts; nil for MD5.
        var element: String? { algorithm.map { "Checksum\($0)" } }

        /// Creates the digest of a checksum. Throws `invalidRequest` for a digest that S3 does not support.
        init(_ checksum: UploadOptions.Checksum) throws(SternaError) {
            switch checksum {
            case .md5: (field, algorithm) = ("Content-MD5", nil)
            case .sha1: (field, algorithm) = ("x-amz-checksum-sha1", "SHA1")
            case .sha256: (field, algorithm) = ("x-amz-checksum-sha256", "SHA256")
            case .sha512:
                throw SternaError(
                    .invalidRequest, phase: .prepare,
                    "S3 does not support SHA-512. Choose the checksum sha256, sha1 or md5.")
            }
        }
    }
}
