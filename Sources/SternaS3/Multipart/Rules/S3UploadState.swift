import Sterna
import SternaPlatform

/// A part that the server has.
struct S3Part: Sendable, Hashable, Codable {
    /// The number, 1 to 10,000.
    let number: Int

    /// The entity tag as the server wrote it, quotation marks included.
    let entityTag: String

    /// The number of bytes.
    let size: Int64

    /// The checksum in base64, for uploads that have one.
    var checksum: String?

    private enum CodingKeys: String, CodingKey {
        case number = "n"
        case entityTag = "e"
        case size = "s"
        case checksum = "c"
    }

    /// Whether a text can be an entity tag: printable, without what would need care in XML or a header field.
    static func isEntityTag(_ text: String) -> Bool {
        let bytes = text.utf8
        return (1...256).contains(bytes.count)
            && bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x3C && $0 != 0x3E && $0 != 0x26 }
    }

    /// An entity tag without quotation marks, in small letters.
    static func bare(_ entityTag: String) -> String { entityTag.replacing("\"", with: "").lowercased() }
}

/// How far a multipart upload is: the note of its journal.
struct S3UploadState: Sendable, Hashable, Codable {
    /// The server's identifier of the upload; nil before one was made, and once the server has forgotten it.
    var uploadID: String?

    /// The number of bytes of each part but the last.
    var partBytes: Int64

    /// The number of bytes of the file.
    var length: Int64

    /// When the upload was made by the server's clock, in seconds since 1970; nil if it did not say.
    var created: Int64?

    /// How often an upload was made anew since the server had forgotten it.
    var restarts = 0

    /// Whether the server was asked to join the parts.
    var isCompleting = false

    /// The entity tag that the object is to have, without quotation marks; nil if it cannot be foreseen.
    var objectTag: String?

    /// The parts that the server has confirmed, in order of their numbers. A note of many parts leaves them out: the server lists them.
    var parts: [S3Part] = []

    /// How often an upload may be made anew.
    static let mostRestarts = 3

    /// The longest identifier, in bytes.
    static let longestID = 2_048

    /// The longest note, in bytes.
    static let longestNote = 200 << 10

    init(_ plan: S3PartPlan) { (partBytes, length) = (plan.partBytes, plan.length) }

    /// Returns the state of an upload that the server has forgotten, to be made anew.
    func forgotten() -> S3UploadState {
        var next = self
        next.drop()
        next.restarts += 1
        return next
    }

    /// Leaves out what the server had, which it was asked to forget.
    mutating func drop() { (uploadID, created, isCompleting, objectTag, parts) = (nil, nil, false, nil, []) }

    /// The bytes that the server has confirmed.
    var confirmed: Int64 { min(length, parts.reduce(0) { $0 &+ max(0, $1.size) }) }

    /// Whether a text can be the identifier of an upload.
    static func isID(_ text: String) -> Bool {
        (1...longestID).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    /// The note in JSON.
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
        // Texts and whole numbers can always be written.
        return (try? encoder.encode(state)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    /// Reads a note; nil for one that is none, or is not one of this file.
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
