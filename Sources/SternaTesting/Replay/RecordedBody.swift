import NIOCore
import Sterna
import SternaCore
import SternaRecorder
import SternaSerialization

/// The body of a request by what it means: JSON and forms are equal if their values are.
enum RecordedBody: Sendable, Hashable {
    case none
    /// The document says that there was a body, but does not have it.
    case unknown
    case json(JSON)
    /// The pairs, sorted by name; those of one name in their order.
    case form([ServerHeaders.Field])
    case bytes([UInt8])

    init(_ bytes: [UInt8], mediaType: String?) {
        let type = mediaType.flatMap(MediaType.init)
        let essence = type?.essence ?? ""
        if bytes.isEmpty {
            self = .none
        } else if essence == "application/json" || essence.hasSuffix("+json"), let tree = try? JSON(parsing: bytes) {
            self = .json(tree)
        } else if essence == "application/x-www-form-urlencoded" {
            let pairs = ASCIIText.formPairs(String(decoding: bytes, as: UTF8.self), limit: .max)
            self = .form(
                pairs.enumerated().sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }.map(\.element)
            )
        } else if essence.hasPrefix("multipart/"), let boundary = type?["boundary"], !boundary.isEmpty {
            // Each client chooses a boundary of its own.
            self = .bytes(bytes.replacing(Array("--\(boundary)".utf8), with: Array("--".utf8)))
        } else {
            self = .bytes(bytes)
        }
    }

    /// Makes the body of a request that is compared without its secrets.
    init(redacting bytes: [UInt8], mediaType: String?) {
        self.init(BodyRedaction(mediaType: mediaType).shown(Bytes(copying: bytes)).array, mediaType: mediaType)
    }

    init(_ request: HARDocument.Request) {
        guard let content = request.postData else {
            self = (request.bodySize ?? 0) > 0 ? .unknown : .none
            return
        }
        let field = request.headers.first { $0.name.lowercased() == "content-type" }?.value
        let type = field ?? (content.mimeType.isEmpty ? nil : content.mimeType)
        guard let bytes = content.bytes else {
            self = .unknown
            return
        }
        self.init(bytes, mediaType: type)
    }

    /// Returns whether a request's body equals this recorded one.
    func matches(_ other: RecordedBody) -> Bool {
        if case .unknown = self { return other != .none }
        return self == other
    }

    /// Returns how this recorded body differs from a request's.
    func difference(from other: RecordedBody) -> String {
        switch (self, other) {
        case (_, .none): "it has a body"
        case (.none, _): "it has no body"
        case (.json(let there), .json(let here)):
            "its JSON differs" + (Self.place(there, here, "", depth: 0).map { $0.isEmpty ? "" : " at \($0)" } ?? "")
        case (.form(let there), .form(let here)):
            "its form differs" + (Self.name(there, here).map { " in \($0)" } ?? "")
        default: "its body differs"
        }
    }

    private static func name(_ there: [ServerHeaders.Field], _ here: [ServerHeaders.Field]) -> String? {
        let pair = there.first { !here.contains($0) } ?? here.first { !there.contains($0) }
        return pair.map { "“\(Redaction.brief($0.name, limit: 100))”" }
    }

    /// Returns the JSON Pointer of the first difference.
    private static func place(_ there: JSON, _ here: JSON, _ path: String, depth: Int) -> String? {
        guard there != here else { return nil }
        guard depth < 16 else { return path }
        switch (there, here) {
        case (.object(let left), .object(let right)):
            for key in left.keys + right.keys {
                if let found = place(left[key] ?? .null, right[key] ?? .null, "\(path)/\(key)", depth: depth + 1) {
                    return Redaction.brief(found, limit: 200)
                }
            }
            return path
        case (.array(let left), .array(let right)):
            for index in 0..<max(left.count, right.count) {
                if let found = place(there[index], here[index], "\(path)/\(index)", depth: depth + 1) { return found }
            }
            return path
        default: return path
        }
    }
}
