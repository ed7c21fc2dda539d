import SternaCore

/// The options of an upload of a ``TransferStore``.
public struct UploadOptions: Sendable, Hashable, Codable {
    /// How an interrupted upload resumes.
    public enum Resumption: Sendable, Hashable, Codable, CustomStringConvertible {
        /// By the protocol that the server names in its response to OPTIONS: the IETF protocol or tus; otherwise like ``off``.
        case automatic
        /// By draft-ietf-httpbis-resumable-upload: by interop version 8, or the one from 3 to 9 that the server names; if it
        /// names none and refuses 8, by 6, 5, 4 or 3.
        case ietf
        /// By tus 1.0.0.
        case tus
        /// By requests with `Content-Range` to a URL that the server names, as Google Cloud Storage supports them.
        case contentRange
        /// By a method of ``TransferStoreSettings/uploadMethods``, such as multipart uploads to S3.
        case method(String)
        /// Not at all: each attempt sends all content in one request.
        case off

        private static let prefix = "method:"

        public var description: String {
            switch self {
            case .automatic: "automatic"
            case .ietf: "ietf"
            case .tus: "tus"
            case .contentRange: "content-range"
            case .method(let name): Self.prefix + name
            case .off: "off"
            }
        }

        public init(from decoder: any Decoder) throws {
            let text = try decoder.singleValueContainer().decode(String.self)
            let plain: [Self] = [.automatic, .ietf, .tus, .contentRange, .off]
            if let found = plain.first(where: { $0.description == text }) {
                self = found
            } else if text.hasPrefix(Self.prefix) {
                self = .method(String(text.dropFirst(Self.prefix.count)))
            } else {
                throw DecodingError.dataCorrupted(
                    .init(
                        codingPath: decoder.codingPath,
                        debugDescription:
                            "it uploads by “\(FieldSyntax.printable(text))”, which this program does not know"
                    ))
            }
        }

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(description)
        }
    }

    /// A digest by which the server verifies the content.
    public enum Checksum: String, Sendable, Hashable, Codable, CaseIterable {
        /// MD5 and SHA-1, only for tus and upload methods that accept them.
        case md5, sha1
        case sha256 = "sha-256"
        case sha512 = "sha-512"
    }

    /// How the upload resumes after an interruption; ``Resumption/automatic`` by default.
    public var resumption = Resumption.automatic

    /// The method of the request that creates the upload, or of the whole upload without resumption; `POST` by default, not `GET`
    /// or `HEAD`. Tus always uses `POST`.
    public var method = "POST"

    /// The file name that the server receives; by default the name of the local file.
    public var fileName: String?

    /// Further metadata for tus servers (`Upload-Metadata`); none by default. At most 100 values, each with its key at most 8 KiB.
    /// Keys consist of ASCII characters without spaces and commas.
    public var metadata: [String: String] = [:]

    /// The digest that is sent with each request's content; nil by default.
    public var checksum: Checksum?

    /// The largest content of one request, in bytes, at least 1; nil, the default, for no limit. For servers and proxies that limit
    /// requests.
    public var maxRequestBytes: Int64?

    /// The number of parts that are uploaded at the same time and joined by the server; 1 by default, 1 to 64. It has effect with
    /// ``Resumption/tus``, which needs the concatenation extension, and with methods that upload parts.
    public var parts = 1

    /// Whether the request that creates the upload has content, which saves a round trip; false by default. If the process is
    /// killed during that request, the transfer fails, because the outcome on the server is unknown.
    public var createsWithContent = false

    /// Whether PATCH and DELETE are sent to tus servers as POST with `X-HTTP-Method-Override`; false by default.
    public var overridesMethods = false

    // Options that older descriptions lack.
    private var trailing: Bool?
    private var deferred: Bool?

    /// Whether ``checksum`` follows the content in a trailer field, so that it is computed while the content is sent; false by
    /// default. Needs tus with the checksum-trailer extension.
    public var sendsChecksumInTrailer: Bool {
        get { trailing ?? false }
        set { trailing = newValue ? true : nil }
    }

    /// Whether the server receives the length with the first content instead of when the upload is created; false by default. Needs
    /// tus with the creation-defer-length extension.
    public var defersLength: Bool {
        get { deferred ?? false }
        set { deferred = newValue ? true : nil }
    }

    /// Creates the default options.
    public init() {}

    /// Creates options with a way of resumption and otherwise the defaults.
    public init(_ resumption: Resumption) { self.resumption = resumption }

    /// Why the options are invalid; nil if they are valid.
    var fault: String? {
        guard FieldSyntax.isToken(method), method.utf8.count <= 64 else { return "its method is invalid" }
        let method = method.uppercased()
        guard method != "GET", method != "HEAD" else { return "\(method) has no content; use POST or PUT" }
        guard (1...64).contains(parts) else { return "its number of parts is out of range" }
        guard maxRequestBytes.map({ $0 > 0 }) ?? true else { return "its largest request has no bytes" }
        guard metadata.count <= 100, metadata.allSatisfy({ $0.key.utf8.count + $0.value.utf8.count <= 8_192 }) else {
            return "its metadata has more than 100 values, or one of more than 8 KiB"
        }
        guard let secret = metadata.keys.first(where: { Redaction.isSecretHeader($0) }) else { return nil }
        return "its metadata has a secret, \(FieldSyntax.printable(secret)); leave it to the session's credentials"
    }
}
