import SternaCore

/// How a durable upload is made.
public struct UploadOptions: Sendable, Hashable, Codable {
    /// How an upload goes on behind what the server has.
    public enum Resumption: Sendable, Hashable, Codable, CustomStringConvertible {
        /// By the protocol that the server names in its answer to OPTIONS: the IETF's or tus; else like ``off``.
        case automatic
        /// By draft-ietf-httpbis-resumable-upload, interop versions 3 to 8.
        case ietf
        /// By tus 1.0.0.
        case tus
        /// By requests with `Content-Range` to a URL that the server names, as Google's storage has them.
        case contentRange
        /// By a method of ``TransferStoreSettings/uploadMethods``, such as S3's multipart uploads.
        case method(String)
        /// Not at all: each attempt sends everything, in one request.
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

    /// A digest by which the server checks what arrives.
    public enum Checksum: String, Sendable, Hashable, Codable, CaseIterable {
        /// For tus alone.
        case md5, sha1
        case sha256 = "sha-256"
        case sha512 = "sha-512"
    }

    /// How the upload goes on after an interruption; ``Resumption/automatic`` by default.
    public var resumption = Resumption.automatic

    /// The method of the request that creates the upload, or of the whole upload without resumption; `POST` by default. Tus has `POST`.
    public var method = "POST"

    /// The name that the server is told; by default that of the file.
    public var fileName: String?

    /// Further metadata, which tus servers are told; none by default. Keys are of ASCII characters without blanks and commas.
    public var metadata: [String: String] = [:]

    /// The digest that is sent with each request's content; none by default.
    public var checksum: Checksum?

    /// The largest content of one request, in bytes; nil, the default, for all of it. For servers and proxies with a limit.
    public var maxRequestBytes: Int64?

    /// The number of parts that are uploaded at the same time and joined by the server: 1 by default, at most 64. Where the protocol is named:
    /// for ``Resumption/tus`` with its concatenation extension, and for methods that have parts.
    public var parts = 1

    /// Whether the request that creates the upload has content, which saves a round trip; false by default. After a kill during that request
    /// nobody knows what the server has, and the transfer fails.
    public var createsWithContent = false

    /// Whether PATCH and DELETE are sent as POST with `X-HTTP-Method-Override`, which tus servers understand; false by default.
    public var overridesMethods = false

    // Options that older descriptions do not have.
    private var trailing: Bool?
    private var deferred: Bool?

    /// Whether ``checksum`` follows the content in a trailer field, so that it is computed while the content is sent; false by default. For tus
    /// with its checksum-trailer extension.
    public var sendsChecksumInTrailer: Bool {
        get { trailing ?? false }
        set { trailing = newValue ? true : nil }
    }

    /// Whether the server learns the length with the first content rather than when the upload is created; false by default. For tus with its
    /// creation-defer-length extension.
    public var defersLength: Bool {
        get { deferred ?? false }
        set { deferred = newValue ? true : nil }
    }

    public init() {}

    /// By a protocol, with the other options as they are by default.
    public init(_ resumption: Resumption) { self.resumption = resumption }

    /// Why the options are not accepted; nil if they are.
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
