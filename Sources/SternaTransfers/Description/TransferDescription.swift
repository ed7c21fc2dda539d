import HTTPTypes
import Sterna
public import SternaCore
import SternaPlatform

/// The description of a transfer, as its file `description.json` has it. The file is complete before the first request.
///
///     {
///       "version": 1,
///       "id": "5f0c…", "created": 1795593600000, "kind": "download",
///       "url": "https://example.com/big.iso",
///       "destination": "/data/big.iso",
///       "headers": [["Accept-Language", "de"]],
///       "session": "default",
///       "options": {…},
///       "context": "a note of the program"
///     }
///
/// An upload has `source` in place of `destination`, and also `content` (``TransferContent``) and `upload` (``UploadOptions``).
///
/// It contains no secrets: URLs and header fields with secrets are refused. The session has the credentials. `secrets` lists secret
/// header fields with the names under which ``TransferStoreSettings/secret`` returns their values.
public struct TransferDescription: Sendable, Hashable, Codable {
    /// The direction of a transfer.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// From the server to a local file.
        case download
        /// From local content to the server.
        case upload
    }

    /// The identifier.
    public let id: TransferID

    /// The time at which the transfer was added, in milliseconds since 1970.
    public let created: Int64

    /// Whether it is a download or an upload.
    public let kind: Kind

    /// The URL, without its fragment, which is never sent.
    public let url: HTTPURL

    /// The absolute path of the local file or folder. For uploads from a body or form, the path of the content that the store
    /// keeps.
    public let path: String

    /// Whether ``path`` is a folder, in which the response or the URL names the downloaded file.
    public let isFolder: Bool

    /// The header fields of each request, as pairs of name and value; at most 100.
    public let headers: [[String]]

    /// Secret header fields, as pairs of the field's name and the name under which ``TransferStoreSettings/secret`` returns the
    /// value; at most 100.
    public let secrets: [[String]]

    /// The session name by which ``TransferStore/resumeAll(with:named:startsAtOnce:)`` selects it.
    public let session: String

    /// The limits, the priority and the digest.
    public let options: TransferOptions

    /// How the content is uploaded; nil for downloads.
    public let upload: UploadOptions?

    /// The content; nil for downloads.
    let content: TransferContent?

    /// A note of the program, at most 64 KiB; nil for none.
    public let context: String?

    /// The version of the format.
    static let version = 1

    /// The limits on descriptions, for writing and reading.
    enum Limits {
        /// The maximum size of the JSON in bytes.
        static let bytes = 4 << 20

        /// The maximum number of values in the JSON.
        static let values = 131_072

        /// The maximum size of the context in bytes.
        static let context = 64 << 10

        /// The maximum size of a path and of a URL in bytes.
        static let path = 4_096

        /// The maximum number of header fields, and of secrets.
        static let headers = 100
    }

    /// Creates a description. Throws `invalidRequest` for values that must not or cannot be stored.
    init(
        _ kind: Kind, id: TransferID = TransferID(), created: Int64, url: HTTPURL, path: String, isFolder: Bool = false,
        headers: [[String]], secrets: [[String]] = [], session: String, options: TransferOptions,
        upload: UploadOptions? = nil, content: TransferContent? = nil, context: String?
    ) throws(SternaError) {
        (self.kind, self.id, self.created, self.url, self.path) = (kind, id, created, url.removingFragment(), path)
        (self.isFolder, self.headers, self.secrets) = (isFolder, headers, secrets)
        (self.session, self.options, self.context) = (session, options, context)
        (self.upload, self.content) = (upload, content)
        if let fault { throw SternaError(.invalidRequest, phase: .prepare, "The transfer cannot be stored: \(fault).") }
    }

    /// The destination that no other unfinished download of the store may have; nil for uploads and folders.
    var claimedPath: String? { kind == .download && !isFolder ? path : nil }

    /// Why the description is invalid; nil if it is valid.
    private var fault: String? {
        guard url.scheme == .http || url.scheme == .https else { return "its URL is not one of http or https" }
        guard url == url.removingUserinfo() else {
            return "its URL has credentials; set them on the session, which sends them to its own origin"
        }
        guard !Redaction.show(url).contains(Redaction.mark) else {
            return
                "its URL has a secret in its query, \(Redaction.show(url)); let the session sign or authorize the request instead"
        }
        guard path.hasPrefix("/"), path.utf8.count <= Limits.path, !path.utf8.contains(0) else {
            return "its path is not an absolute one of at most \(Limits.path) bytes"
        }
        guard url.href.utf8.count <= Limits.path else { return "its URL is longer than \(Limits.path) bytes" }
        guard headers.count <= Limits.headers else { return "it has more than \(Limits.headers) header fields" }
        for field in headers {
            guard field.count == 2, HTTPField.Name(field[0]) != nil, FieldSyntax.isValue(field[1]) else {
                return "one of its header fields is invalid"
            }
            guard !Redaction.isSecretHeader(field[0]) else {
                return
                    "the field \(field[0]) is a secret; set it on the session, which is asked for it at each request, or name it in secrets"
            }
        }
        guard secrets.count <= Limits.headers else { return "it has more than \(Limits.headers) secrets" }
        for field in secrets {
            guard field.count == 2, HTTPField.Name(field[0]) != nil, field[1].utf8.count <= 256 else {
                return "one of its secret fields is invalid"
            }
        }
        guard context?.utf8.count ?? 0 <= Limits.context else { return "its context is longer than 64 KiB" }
        guard (1...1_000_000).contains(options.maxAttempts), (1...16).contains(options.maxSegments) else {
            return "its number of attempts or segments is out of range"
        }
        guard (kind == .upload) == (content != nil), (kind == .upload) == (upload != nil) else {
            return "it has no content to upload"
        }
        return upload?.fault ?? content?.fault
    }
}

extension TransferDescription {
    private enum CodingKeys: String, CodingKey {
        case version, id, created, kind, url, headers, secrets, session, options, upload, content, context
        case destination, source, isFolder = "folder"
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        func corrupted(_ reason: String) -> DecodingError {
            .dataCorrupted(DecodingError.Context(codingPath: decoder.codingPath, debugDescription: reason))
        }
        let version = try members.decode(Int.self, forKey: .version)
        guard version == Self.version else {
            throw corrupted(
                "its version is \(version), and this program knows version \(Self.version); use the program that wrote it, or a newer one"
            )
        }
        guard let url = try? HTTPURL(try members.decode(String.self, forKey: .url)) else {
            throw corrupted("its URL is invalid")
        }
        do {
            let kind = try members.decode(Kind.self, forKey: .kind)
            try self.init(
                kind, id: try members.decode(TransferID.self, forKey: .id),
                created: try members.decode(Int64.self, forKey: .created), url: url,
                path: try members.decode(String.self, forKey: kind == .download ? .destination : .source),
                isFolder: try members.decodeIfPresent(Bool.self, forKey: .isFolder) ?? false,
                headers: try members.decode([[String]].self, forKey: .headers),
                secrets: try members.decodeIfPresent([[String]].self, forKey: .secrets) ?? [],
                session: try members.decode(String.self, forKey: .session),
                options: try members.decode(TransferOptions.self, forKey: .options),
                upload: try members.decodeIfPresent(UploadOptions.self, forKey: .upload),
                content: try members.decodeIfPresent(TransferContent.self, forKey: .content),
                context: try members.decodeIfPresent(String.self, forKey: .context))
        } catch let error as SternaError {
            throw corrupted(error.message)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(Self.version, forKey: .version)
        try members.encode(id, forKey: .id)
        try members.encode(created, forKey: .created)
        try members.encode(kind, forKey: .kind)
        try members.encode(url.href, forKey: .url)
        try members.encode(path, forKey: kind == .download ? .destination : .source)
        if isFolder { try members.encode(isFolder, forKey: .isFolder) }
        try members.encode(headers, forKey: .headers)
        if !secrets.isEmpty { try members.encode(secrets, forKey: .secrets) }
        try members.encode(session, forKey: .session)
        try members.encode(options, forKey: .options)
        try members.encodeIfPresent(upload, forKey: .upload)
        try members.encodeIfPresent(content, forKey: .content)
        try members.encodeIfPresent(context, forKey: .context)
    }
}
