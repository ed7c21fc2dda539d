import SternaCore

/// What requests do for the integrity of content, by the digest fields of RFC 9530; nothing by default.
///
///     let api = try Session(baseURL: "https://api.example.com") { $0.digests = [.want, .verify] }
///     try await api.upload(file: "report.pdf", to: "reports") { $0.digests.insert(.send) }
///
/// Digests find damage, such as that of a faulty proxy. They do not protect against an attacker, who can replace them, too; TLS and
/// signatures do.
public struct DigestOptions: OptionSet, Sendable, Hashable {
    /// The options as bits.
    public let rawValue: UInt8

    /// Makes the options of those bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Verifies the content of responses by all SHA-256 and SHA-512 in `Content-Digest` and `Repr-Digest`, in header and trailer
    /// fields.
    ///
    /// Content that does not match fails with `digestMismatch`: a collected body before the caller gets it, a streamed one at its
    /// end. The content is verified as it was sent, before a content coding is undone. Other algorithms and malformed fields are
    /// ignored. So is a `Repr-Digest` that a single response cannot prove: that of a part (206), and that of a response to PUT,
    /// PATCH or DELETE without Content-Location, since it may be of the changed resource. Responses from the cache are not
    /// verified again.
    public static let verify = DigestOptions(rawValue: 1)

    /// Verifies responses, and fails successful ones without a digest that can be verified, with `unacceptableResponse`.
    ///
    /// Exempt are responses without content, except to GET. A download accepts the `Repr-Digest` of a part, too, since it verifies
    /// the whole file.
    public static let require = DigestOptions(rawValue: 1 | 2)

    /// Asks for digests, by `Want-Content-Digest` and `Want-Repr-Digest`, unless the request has these fields.
    public static let want = DigestOptions(rawValue: 4)

    /// Sends a `Content-Digest` with each body, unless the request has one.
    ///
    /// A body that can be sent again, such as bytes or a file, is read for its digest before the request is sent. The digest of
    /// another one, such as a stream, follows it as a trailer, so that even a body of known length is sent without Content-Length.
    public static let send = DigestOptions(rawValue: 8)

    /// Uses SHA-256 in digests that are sent or asked for; the default.
    public static let sha256 = DigestOptions(rawValue: 16)

    /// Uses SHA-512 in digests that are sent or asked for, together with SHA-256 only if ``sha256`` is set, too.
    public static let sha512 = DigestOptions(rawValue: 32)

    /// The algorithms of digests that are sent or asked for.
    var algorithms: [DigestAlgorithm] {
        guard contains(.sha512) else { return [.sha256] }
        return contains(.sha256) ? [.sha256, .sha512] : [.sha512]
    }
}

extension DigestOptions: CustomStringConvertible {
    /// The names of the options.
    public var description: String {
        let names: [(DigestOptions, String)] = [
            (.require, "require"), (.verify, "verify"), (.want, "want"), (.send, "send"), (.sha256, "sha256"),
            (.sha512, "sha512"),
        ]
        let set = names.filter { contains($0.0) && !($0.0 == .verify && contains(.require)) }
        return "[\(set.map { ".\($0.1)" }.joined(separator: ", "))]"
    }
}

/// The option that holds what a request does about digests.
enum DigestOptionsKey: RequestOptionKey {
    static var defaultValue: DigestOptions { [] }
    static var name: String? { "digests" }
}

extension SessionSettings {
    /// Which digests of content are verified, required, asked for and sent (RFC 9530); none by default.
    public var digests: DigestOptions {
        get { options[DigestOptionsKey.self] }
        set { options[DigestOptionsKey.self] = newValue }
    }
}

extension RequestSettings {
    /// Which digests of content this request verifies, requires, asks for and sends; the session's until it is set.
    public var digests: DigestOptions {
        get { options[DigestOptionsKey.self] }
        set { options[DigestOptionsKey.self] = newValue }
    }
}
