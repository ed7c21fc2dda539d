/// An interop version of draft-ietf-httpbis-resumable-upload, and its differences from later versions.
struct IETFVersion: Sendable, Hashable, Codable {
    /// 3 to 9.
    let number: Int

    /// Returns a supported version; nil for any other number.
    init?(_ number: Int) {
        guard (3...9).contains(number) else { return nil }
        self.number = number
    }

    private init(known number: Int) { self.number = number }

    /// The version to try first (drafts -09 to -11).
    static let preferred = IETFVersion(known: 8)

    /// The versions in the order in which to try them if the server names none.
    static let order = [8, 6, 5, 4, 3].map { IETFVersion(known: $0) }

    /// Whether completeness is expressed by Upload-Incomplete, negated.
    var negatesCompleteness: Bool { number == 3 }

    /// Whether appended content has a media type of its own.
    var hasPartialType: Bool { number >= 6 }

    /// Whether requests have the length of the upload. Version 6 began without it.
    var tellsLength: Bool { number >= 6 }

    /// Reads a version field; nil without the field, and for an unsupported version.
    static func named(_ lines: [String]) -> IETFVersion? {
        StructuredUploadField.integer(lines).flatMap { Int(exactly: $0) }.flatMap { IETFVersion($0) }
    }

    init(from decoder: any Decoder) throws {
        let number = try decoder.singleValueContainer().decode(Int.self)
        guard let known = IETFVersion(number) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "\(number) is no interop version."))
        }
        self = known
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(number)
    }
}
