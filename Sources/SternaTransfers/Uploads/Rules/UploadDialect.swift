/// The protocol of an upload, with its version.
enum UploadDialect: Sendable, Hashable, Codable, CustomStringConvertible {
    /// draft-ietf-httpbis-resumable-upload.
    case ietf(IETFVersion)
    /// tus 1.0.0.
    case tus
    /// Uploads by `Content-Range`, see ``ContentRangeRule``.
    case contentRange

    var description: String {
        switch self {
        case .ietf(let version): "resumable uploads, interop version \(version.number)"
        case .tus: "tus 1.0.0"
        case .contentRange: "Content-Range"
        }
    }

    private static let tusText = "tus-1.0.0"
    private static let contentRangeText = "content-range"
    private static let ietfText = "ietf-"

    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        if text == Self.tusText {
            self = .tus
        } else if text == Self.contentRangeText {
            self = .contentRange
        } else if text.hasPrefix(Self.ietfText), let number = Int(text.dropFirst(Self.ietfText.count)),
            let version = IETFVersion(number)
        {
            self = .ietf(version)
        } else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "It is not the protocol of an upload."))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .tus: try container.encode(Self.tusText)
        case .contentRange: try container.encode(Self.contentRangeText)
        case .ietf(let version): try container.encode("\(Self.ietfText)\(version.number)")
        }
    }
}
