import SternaPlatform

/// What a server knows of an upload beside its content; stored as JSON next to it.
struct UploadRecord: Sendable, Codable {
    enum Dialect: String, Sendable, Codable {
        case ietf, tus
    }

    var dialect: Dialect
    /// The query of the URL that created the upload: its faults and limits.
    var query: String
    /// The length of the whole content in bytes; nil until the client has told it.
    var length: Int64?
    var isComplete = false
    /// The value of Upload-Metadata.
    var metadata: String?
    /// The value of Upload-Concat.
    var concatenation: String?
    /// When the upload expires, in seconds since 1970.
    var expires: Int64?
    /// Content from this offset on waits for its checksum, and counts only once that is found right.
    var unverified: Int64?
    /// How often each fault has occurred.
    var faults: [String: Int] = [:]

    var isPartial: Bool { concatenation == "partial" }
    var isFinal: Bool { concatenation?.hasPrefix("final;") == true }
}

/// The state of an upload on an ``UploadServer``.
public struct UploadStatus: Sendable, Hashable {
    /// The last part of the upload's URL, 32 hexadecimal digits.
    public var id: String
    /// `ietf` or `tus`.
    public var dialect: String
    /// The number of content bytes that are stored, which the server reports as the upload's offset.
    public var offset: Int64
    /// The length of the whole content in bytes; `nil` if unknown.
    public var length: Int64?
    /// Whether the server has all of the content.
    public var isComplete: Bool
    /// The number of body bytes that the server has read for this upload, those that it discarded included.
    public var received: Int64
}
