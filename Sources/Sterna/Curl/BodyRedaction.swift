import HTTPTypes
import NIOCore
package import SternaCore
import SternaPropertyListCore
import SternaSerialization

/// Redacts forms (also multipart ones), JSON and property lists: hides the values of members whose names mark them as secrets.
package struct BodyRedaction {
    private enum Format { case form, json, propertyList, other }

    private let essence: String
    private let multipart: MultipartRedaction?

    private var isMultipart: Bool { essence.hasPrefix("multipart/") }

    package init(_ request: Request) {
        self.init(mediaType: request.headers[.contentType] ?? request.body?.mediaType)
    }

    package init(mediaType field: String?) {
        let type = field.flatMap(MediaType.init)
        essence = type?.essence ?? ""
        multipart = essence.hasPrefix("multipart/") ? type?["boundary"].map { MultipartRedaction(boundary: $0) } : nil
    }

    /// Returns the body as it may be shown; the same bytes if there is nothing to hide.
    package func shown(_ bytes: Bytes) -> Bytes {
        guard !bytes.isEmpty else { return bytes }
        if isMultipart { return multipart?.shown(bytes) ?? hidden }
        switch format(of: bytes) {
        case .form: return Self.form(bytes)
        case .json: return Self.json(bytes) ?? hidden
        case .propertyList: return Self.propertyList(bytes) ?? hidden
        case .other: return bytes
        }
    }

    /// Whether the parts of a body that are in memory have values whose names mark them as secrets. What cannot be parsed has none.
    package static func findsSecrets(in body: Body) -> Bool {
        let redaction = BodyRedaction(mediaType: body.mediaType)
        let pieces = body.segments.compactMap { segment in
            if case .bytes(let bytes) = segment { bytes } else { nil }
        }
        guard pieces.count == body.segments.count || redaction.isMultipart else { return false }
        var all = pieces.first ?? Bytes()
        for piece in pieces.dropFirst() { all.writeImmutableBuffer(piece) }
        let shown = redaction.shown(all)
        return shown != all && shown != redaction.hidden
    }

    /// Redacts the bytes before or after a file in the body, which cannot be parsed as a whole.
    func shown(piece bytes: Bytes, isFirst: Bool) -> Bytes {
        guard !bytes.isEmpty else { return bytes }
        if isMultipart { return multipart?.shown(bytes) ?? hidden }
        switch format(of: bytes) {
        case .form:
            guard !isFirst else { return Self.form(bytes) }
            // The value before the first `&` may be the end of a secret that began before the file.
            let rest = bytes.text.utf8.drop { $0 != UInt8(ascii: "&") }
            return Bytes(text: Redaction.mark + Self.form(Bytes(text: String(Substring(rest)))).text)
        case .json, .propertyList: return hidden
        case .other: return bytes
        }
    }

    private var hidden: Bytes { Bytes(text: Redaction.mark) }

    /// Determines the format by the media type, otherwise by the beginning of the body.
    private func format(of bytes: Bytes) -> Format {
        if essence == "application/x-www-form-urlencoded" { return .form }
        if essence.contains("json") { return .json }
        if essence.contains("plist") { return .propertyList }
        let start = bytes.readableBytesView.prefix(1_024)
        if start.starts(with: "bplist".utf8) { return .propertyList }
        let text = String(decoding: start, as: UTF8.self)
        if text.contains("<plist") || text.contains("<!DOCTYPE plist") { return .propertyList }
        // Text may begin with a bracket without being JSON; it is then shown if the media type names another format.
        let first = text.unicodeScalars.first { !$0.properties.isWhitespace && $0 != "\u{FEFF}" && $0 != "\u{1E}" }
        if first == "{" || first == "[", essence.isEmpty || Self.json(bytes) != nil { return .json }
        return essence.isEmpty || essence == "text/plain" ? .form : .other
    }

    private static func form(_ bytes: Bytes) -> Bytes {
        Redaction.masked(pairs: bytes.text[...]).map { Bytes(text: $0) } ?? bytes
    }

    // MARK: JSON

    /// Redacts one JSON text, or several, each on a line (as in NDJSON) or after a record separator (RFC 7464). Returns nil for
    /// bytes that are not JSON, which cannot be searched.
    private static func json(_ bytes: Bytes) -> Bytes? {
        if let shown = jsonText(bytes.readableBytesView) { return shown ?? bytes }
        var hides = false
        var all = Bytes()
        for line in bytes.readableBytesView.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            if all.writerIndex > 0 { all.writeString("\n") }
            let text = line.first == 0x1E ? line.dropFirst() : line
            guard !text.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) else { continue }
            guard let shown = jsonText(text) else { return nil }
            if shown != nil { hides = true }
            if text.count < line.count { all.writeInteger(UInt8(0x1E)) }
            all.writeImmutableBuffer(shown ?? Bytes(copying: text))
        }
        return hides ? all : bytes
    }

    /// Returns nil for bytes that are not JSON, and an inner nil if there is nothing to hide.
    private static func jsonText(_ text: ByteBufferView) -> Bytes?? {
        guard let tree = try? JSON(parsing: text) else { return .none }
        var hides = false
        var members = 0
        let redacted = json(tree, &hides, &members)
        // The tree keeps only the last of members with the same name, but the text has the others, too.
        guard hides || members != colons(in: text), let written = try? redacted.serialized() else {
            return .some(nil)
        }
        return .some(Bytes(copying: written))
    }

    private static func json(_ tree: JSON, _ hides: inout Bool, _ members: inout Int) -> JSON {
        switch tree {
        case .array(let elements): return .array(elements.map { json($0, &hides, &members) })
        case .object(let object):
            var shown = JSON.Object()
            for (key, value) in object {
                members += 1
                let rest = json(value, &hides, &members)
                let isSecret = Redaction.isSecret(key[...])
                if isSecret { hides = true }
                shown[key] = isSecret ? .string(Redaction.mark) : rest
            }
            return .object(shown)
        default: return tree
        }
    }

    /// Counts the colons outside strings, one for each member.
    private static func colons(in text: ByteBufferView) -> Int {
        var count = 0
        var isInString = false
        var isEscaped = false
        for byte in text {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\"") {
                isInString.toggle()
            } else if isInString {
                isEscaped = byte == UInt8(ascii: "\\")
            } else if byte == UInt8(ascii: ":") {
                count += 1
            }
        }
        return count
    }

    // MARK: Property lists

    /// Always reserializes the list: the bytes may hold comments, repeated keys and unreferenced objects that the tree lacks.
    private static func propertyList(_ bytes: Bytes) -> Bytes? {
        guard let tree = try? PropertyList(parsing: bytes.readableBytesView) else { return nil }
        let isBinary = bytes.readableBytesView.starts(with: "bplist".utf8)
        let shown = try? propertyList(tree).serialized(isBinary ? .binary : .xml)
        return shown.map { Bytes(copying: $0) }
    }

    private static func propertyList(_ tree: PropertyList) -> PropertyList {
        switch tree {
        case .array(let elements): return .array(elements.map(propertyList))
        case .dictionary(let values):
            var shown: [String: PropertyList] = [:]
            for (key, value) in values {
                shown[key] = Redaction.isSecret(key[...]) ? .string(Redaction.mark) : propertyList(value)
            }
            return .dictionary(shown)
        default: return tree
        }
    }
}
