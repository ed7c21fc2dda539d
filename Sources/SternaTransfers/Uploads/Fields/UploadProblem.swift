import NIOCore
import SternaCore
import SternaSerialization

/// The problem details of an error response (RFC 9457) that uploads use.
struct UploadProblem: Sendable, Hashable {
    /// A problem type of the IETF protocol.
    enum Kind: String, Sendable, Hashable, CaseIterable {
        case mismatchingOffset = "mismatching-upload-offset"
        case completed = "completed-upload"
        case inconsistentLength = "inconsistent-upload-length"
    }

    /// The problem's type; nil for a type of another specification.
    var kind: Kind?

    /// The server's explanation in one line, for users.
    var text: String?

    /// The offset that the server expects.
    var expectedOffset: Int64?

    /// The maximum size of a body that is read, in bytes.
    static let longest = 16 << 10

    private static let prefix = "https://iana.org/assignments/http-problem-types#"

    init(kind: Kind? = nil, text: String? = nil, expectedOffset: Int64? = nil) {
        (self.kind, self.text, self.expectedOffset) = (kind, text, expectedOffset)
    }

    /// Reads the body of a response; nil for another media type, and for a body that is not a JSON object.
    init?(mediaType: String?, body: Bytes) {
        guard body.readableBytes <= Self.longest, let mediaType = mediaType?.lowercased(),
            mediaType.split(separator: ";").first?.trimmingBlanks() == "application/problem+json",
            let json = try? JSON(parsing: body.readableBytesView), case .object(let members) = json
        else { return nil }
        if case .string(let type)? = members["type"], type.hasPrefix(Self.prefix) {
            kind = Kind(rawValue: String(type.dropFirst(Self.prefix.count)))
        }
        for name in ["detail", "title"] {
            guard text == nil, case .string(let found)? = members[name], !found.isEmpty else { continue }
            text = FieldSyntax.printable(found, limit: 500)
        }
        if let number = members["expected-offset"]?.number?.int64, (0...UploadNumber.largest).contains(number) {
            expectedOffset = number
        }
    }
}

extension Substring {
    /// Returns the text without leading and trailing spaces and tabs.
    func trimmingBlanks() -> Substring {
        let rest = drop { $0 == " " || $0 == "\t" }
        guard let last = rest.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return rest.prefix(0) }
        return rest[...last]
    }
}
