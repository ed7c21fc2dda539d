import Sterna
import SternaPlatform

/// A part that the server has.
struct S3Part: Sendable, Hashable, Codable {
    /// The number, from 1 to 10,000.
    let number: Int

    /// The entity tag as the server wrote it, including quotation marks.
    let entityTag: String

    /// The size in bytes.
    let size: Int64

    /// The checksum in Base64, for uploads with checksums.
    var checksum: String?

    private enum CodingKeys: String, CodingKey {
        case number = "n"
        case entityTag = "e"
        case size = "s"
        case checksum = "c"
    }

    /// Returns whether a text can be an entity tag: printable, without characters that are special in XML or a header field.
    static func isEntityTag(_ text: String) -> Bool {
        let bytes = text.utf8
        return (1...256).contains(bytes.count)
            && bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x3C && $0 != 0x3E && $0 != 0x26 }
    }

    /// Returns an entity tag without quotation marks, in lower case.
    static func bare(_ entityTag: String) -> String { entityTag.replacing("\"", with: "").lowercased() }
}

/// The state of a multipart upload, which the journal records as a note.
struct S3UploadState: Sendable, Hashable, Codable {
    /// The server's identifier of the upload; nil before it was created, and once the server has forgotten it.
    var uploadID: String?

    /// The size of each part but the last, in bytes.
    var partBytes: Int64

    /// The length of the file in bytes.
    var length: Int64

    /// The time of the upload's creation by the server's clock, in seconds since 1970; nil if the server sent no date.
    var created: Int64?

    /// How often the upload was created again because the server had forgotten it.
    var restarts = 0

    /// Whether the completion was requested.
    var isCompleting = false

    /// The expected entity tag of the object, without quotation marks; nil if it cannot be predicted.
    var objectTag: String?

    /// The parts that the server has confirmed, in order of their numbers. A long note leaves them out, since the server lists
    /// them.
    var parts: [S3Part] = []

    /// The maximum number of times that an upload is created again.
    static let mostRestarts = 3

    /// The maximum length of an identifier, in bytes.
    static let longestID = 2_048

    /// The maximum length of a note, in bytes.
    static let longestNote = 200 << 10

    init(_ plan: S3PartPlan) { (partBytes, length) = (plan.partBytes, plan.length) }

    /// Returns the state for creating an upload again that the server has forgotten.
    func forgotten() -> S3UploadState {
        var next = self
        next.drop()
        next.restarts += 1
        return next
    }

    /// Removes the identifier and parts of an upload that was aborted at the server.
    mutating func drop() { (uploadID, created, isCompleting, objectTag, parts) = (nil, nil, false, nil, []) }

    /// The bytes that the server has confirmed.
    var confirmed: Int64 { min(length, parts.reduce(0) { $0 &+ max(0, $1.size) }) }

    /// Returns whether a text can be the identifier of an upload.
    static func isID(_ text: String) -> Bool {
        (1...longestID).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    /// The note, as JSON.
    var note: String {
        let text = Self.json(self)
        guard text.utf8.count > Self.longestNote else { return text }
        var short = self
        short.parts = []
        return Self.json(short)
    }

    private static func json(_ state: S3UploadState) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Strings and integers can always be encoded.
        return (try? encoder.encode(state)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    /// Reads a note; nil for an invalid one, and for one of another file.
    ///
    /// - Parameter smallest: a smaller limit on parts than S3's, for tests.
    init?(note: String, length: Int64, smallest: Int64 = S3PartPlan.Limits.smallestPart) {
        let limits = JSON.ParseLimits(depth: 4, bytes: 2 * Self.longestNote, values: 100_000)
        guard let state = try? JSON(parsing: Data(note.utf8), limits: limits).decode(S3UploadState.self),
            state.length == length,
            let plan = S3PartPlan(length: length, partBytes: state.partBytes, smallest: smallest),
            state.uploadID.map(Self.isID) ?? true, state.restarts >= 0, state.restarts <= Self.mostRestarts,
            state.objectTag.map(S3Part.isEntityTag) ?? true
        else { return nil }
        var last = 0
        for part in state.parts {
            guard part.number > last, part.number <= plan.count, part.size == plan.size(part.number),
                S3Part.isEntityTag(part.entityTag), part.checksum?.utf8.count ?? 0 <= 128
            else { return nil }
            last = part.number
        }
        self = state
    }
}
