import HTTPTypes
import NIOCore
import SternaCore
import SternaSerialization

/// Shows form and JSON bodies without the values whose names say that they are secrets.
struct BodyRedaction {
    private enum Format { case form, json }

    private let format: Format?

    /// A body of another type is shown as it is: nothing in it has a name.
    init(_ request: Request) {
        let field = request.headers[.contentType] ?? request.body?.mediaType
        let essence = field.flatMap(MediaType.init)?.essence ?? ""
        if essence == "application/x-www-form-urlencoded" {
            format = .form
        } else if essence.hasSuffix("/json") || essence.hasSuffix("+json") {
            format = .json
        } else {
            format = nil
        }
    }

    /// The body as it may be shown; the same bytes where there is nothing to hide.
    func shown(_ bytes: Bytes) -> Bytes {
        switch format {
        case .form: return Self.form(bytes)
        case .json:
            // What is not JSON cannot be looked through.
            guard let tree = try? JSON(parsing: bytes.readableBytesView) else {
                return bytes.isEmpty ? bytes : Bytes(text: "***")
            }
            var hides = false
            let redacted = Self.json(tree, &hides)
            guard hides, let written = try? redacted.serialized() else { return bytes }
            return Bytes(copying: written)
        case nil: return bytes
        }
    }

    private static func form(_ bytes: Bytes) -> Bytes {
        let pairs = bytes.text.split(separator: "&", omittingEmptySubsequences: false)
        let shown = pairs.map { pair -> Substring in
            guard let equals = pair.firstIndex(of: "="), Redaction.isSecret(pair[..<equals]) else { return pair }
            return pair[...equals] + "***"
        }
        return shown == pairs ? bytes : Bytes(text: shown.joined(separator: "&"))
    }

    private static func json(_ tree: JSON, _ hides: inout Bool) -> JSON {
        switch tree {
        case .array(let elements): return .array(elements.map { json($0, &hides) })
        case .object(let object):
            var shown = JSON.Object()
            for (key, value) in object {
                if Redaction.isSecret(key[...]) {
                    hides = true
                    shown[key] = .string("***")
                } else {
                    shown[key] = json(value, &hides)
                }
            }
            return .object(shown)
        default: return tree
        }
    }
}
