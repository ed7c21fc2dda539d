import HTTPTypes
import Logging
import NIOCore
import SternaCore
import SternaSerialization

/// Text from outside, harmless in a line of a log.
enum LogText {
    /// The maximum length of a value in bytes; bodies have their own, and commands have none.
    static let longest = 1_024

    /// Returns a text on one line. Line breaks, controls (a terminal's escapes begin with one) and format characters (which
    /// include bidirectional ones) are written as escapes; a longer text is cut.
    static func safe(_ text: String, limit: Int = longest) -> String {
        if text.utf8.count <= limit, text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
        var safe = ""
        for scalar in text.unicodeScalars {
            if let escape = escape(scalar) { safe += escape } else { safe.unicodeScalars.append(scalar) }
            if safe.utf8.count > limit { return safe + "…" }
        }
        return safe
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "\n": return "\\n"
        case "\r": return "\\r"
        case "\t": return "\\t"
        default: break
        }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator:
            return "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
        default: return nil
        }
    }

    /// The maximum number of header fields that are shown.
    private static let mostFields = 100

    /// Returns header fields by name in lower case, without secrets; repeated fields are joined by commas (RFC 9110, 5.3).
    static func fields(_ fields: HTTPFields, _ secretNames: Set<String>) -> Logger.MetadataValue {
        var shown: [String: String] = [:]
        for field in fields.prefix(mostFields) {
            let name = field.name.canonicalName
            let value = Redaction.shown(name, field.value, marked: secretNames)
            shown[name] = shown[name].map { $0 == value ? $0 : "\($0), \(value)" } ?? value
        }
        return .dictionary(
            Dictionary(shown.map { (safe($0), .string(safe($1))) }, uniquingKeysWith: { first, _ in first }))
    }
}

/// A body that may be logged: text of a limited size.
struct LogBody: Sendable {
    private let bytes: Bytes
    private let mediaType: String

    /// Returns nil for an empty body, one above the limit, and one whose media type is none of text.
    init?(_ bytes: Bytes, mediaType: String?, limit: Int) {
        guard bytes.count > 0, bytes.count <= limit, let mediaType, let type = MediaType(mediaType),
            type.isTextual
        else { return nil }
        (self.bytes, self.mediaType) = (bytes, mediaType)
    }

    /// Returns nil for a body that is not bytes, too.
    init?(_ request: Request, limit: Int) {
        guard limit > 0, let body = request.body, let length = body.length, length <= Int64(limit) else { return nil }
        var all = Bytes()
        for segment in body.segments {
            guard case .bytes(let bytes) = segment else { return nil }
            all.writeImmutableBuffer(bytes)
        }
        self.init(all, mediaType: request.headers[.contentType] ?? body.mediaType, limit: limit)
    }

    /// The text without secrets, on one line; nil for bytes that are no UTF-8 text.
    var text: String? {
        guard Self.isText(bytes) else { return nil }
        let shown = BodyRedaction(mediaType: mediaType).shown(bytes)
        return Self.isText(shown) ? LogText.safe(shown.text, limit: .max) : nil
    }

    private static func isText(_ bytes: Bytes) -> Bool {
        !bytes.readableBytesView.contains(0) && String(validating: bytes.readableBytesView, as: UTF8.self) != nil
    }
}
