import NIOCore
package import SternaCore

/// Finds the server's explanation in the body of an error response, with the fields of the request that it names.
package enum ServerMessage {
    /// The usual places of the message, most specific first: plain members, RFC 9457's, OAuth's, JSON:API's.
    private static let members = [
        "message", "error_description", "detail", "error", "errors", "title", "reason", "msg",
    ]

    /// The maximum length of a searched body, in bytes.
    private static let limit = 64 << 10

    /// The maximum length of a message in bytes, and of its part before a list of fields in characters.
    private static let (longest, longestBeforeFields) = (1_000, 200)

    package static func find(in body: Bytes, mediaType: MediaType?) -> String? {
        guard body.readableBytes > 0, body.readableBytes <= limit else { return nil }
        let essence = mediaType?.essence ?? ""
        if essence.hasSuffix("json") || essence == "text/javascript" || essence.isEmpty {
            let parsed = try? JSON(parsing: body.readableBytesView)
            if let text = parsed.flatMap({ find(in: $0, depth: 0) }) { return text }
        }
        guard essence == "text/plain" else { return nil }
        let line = body.text.split(whereSeparator: \.isNewline).first.map(String.init)
        return line.flatMap(shown)
    }

    /// Returns the refused fields that a body in JSON names, each with its reasons.
    static func fields(in body: Bytes) -> [String: [String]] {
        guard body.readableBytes > 0, body.readableBytes <= limit else { return [:] }
        let parsed = try? JSON(parsing: body.readableBytesView)
        return parsed.flatMap { fields(in: $0, depth: 0) }?.byName ?? [:]
    }

    private static func fields(in json: JSON, depth: Int) -> InvalidFields? {
        guard depth < 4 else { return nil }
        switch json {
        case .array(let list): return InvalidFields.find(in: list)
        case .object(let object):
            // As in the message, the fields may be in the error that an object contains.
            return InvalidFields.find(in: object)?.fields
                ?? members.lazy.compactMap { object[$0].flatMap { fields(in: $0, depth: depth + 1) } }.first
        default: return nil
        }
    }

    private static func find(in json: JSON, depth: Int) -> String? {
        guard depth < 4 else { return nil }
        switch json {
        case .string(let text): return shown(text)
        case .array(let list):
            return InvalidFields.find(in: list)?.text ?? list.first.flatMap { find(in: $0, depth: depth + 1) }
        case .object(let object):
            guard let (place, fields) = InvalidFields.find(in: object) else {
                return message(of: object, depth: depth)
            }
            guard let message = message(of: object, without: place, depth: depth) else { return fields.text }
            let start = InvalidFields.cut(message, to: longestBeforeFields)
            return "\(start.hasSuffix(".") ? String(start.dropLast()) : start) (\(fields.text))"
        default: return nil
        }
    }

    private static func message(of object: JSON.Object, without place: String? = nil, depth: Int) -> String? {
        for member in members where member != place {
            if let value = object[member], let text = find(in: value, depth: depth + 1) { return text }
        }
        return nil
    }

    private static func shown(_ text: String) -> String? {
        text.isEmpty || text.utf8.count > longest ? nil : text
    }
}
