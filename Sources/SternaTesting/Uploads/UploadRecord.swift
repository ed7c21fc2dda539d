import SternaPlatform

/// What a server knows of an upload apart from its content; stored as JSON next to the content.
struct UploadRecord: Sendable, Codable {
    enum Dialect: String, Sendable, Codable {
        case ietf, tus
    }

    var dialect: Dialect
    /// The query of the URL that created the upload: its faults and limits.
    var query: String
    /// The length of the whole content in bytes; nil until the client has sent it.
    var length: Int64?
    var isComplete = false
    /// The value of Upload-Metadata.
    var metadata: String?
    /// The value of Upload-Concat.
    var concatenation: String?
    /// When the upload expires, in seconds since 1970.
    var expires: Int64?
    /// Content from this offset on waits for its checksum, and counts only once that is verified.
    var unverified: Int64?
    /// How often each fault has occurred.
    var faults: [String: Int] = [:]

    /// Reads a stored record; nil for what this server cannot have written, such as another program's file or wrong numbers.
    init?(stored data: Data) {
        guard let record = try? JSONDecoder().decode(UploadRecord.self, from: data), record.isSound else { return nil }
        self = record
    }

    init(dialect: Dialect, query: String, length: Int64? = nil, expires: Int64? = nil) {
        (self.dialect, self.query, self.length, self.expires) = (dialect, query, length, expires)
    }

    /// Whether the values of a record are valid in messages, and within the bounds of calculations.
    private var isSound: Bool {
        (try? UploadFaults(query)) != nil
            && [length, unverified].allSatisfy { $0.map { (0...UploadText.most).contains($0) } ?? true }
            && faults.values.allSatisfy { (0...UploadFaults.most).contains($0) }
            && (metadata.map(UploadText.isMetadata) ?? true)
            && (concatenation == nil || isPartial || concatenation.flatMap(UploadText.parts) != nil)
            && (dialect == .tus || metadata == nil && concatenation == nil)
    }

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
