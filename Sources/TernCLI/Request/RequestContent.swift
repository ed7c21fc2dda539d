import Sterna

/// What items make of a request: its query, its header fields and its body.
struct RequestContent: Sendable {
    /// Fields for the URL's query, encoded.
    var query = ""
    var headers = Headers()
    /// Names of default header fields that are not to be sent, in lower case.
    var removedHeaders: Set<String> = []
    var body: Body?
    /// The file that is the body.
    var file: String?

    /// Throws `UsageError` for items that do not go together, and `SternaError` for files and JSON that cannot be read.
    init(_ items: [Item], asForm: Bool) throws {
        var fields: [(name: String, value: FieldValue)] = []
        for item in items {
            switch item {
            case .query(let name, let value): query = try Self.joined(query, name, value)
            case .header(let name, let value): headers.append(name, value)
            case .removedHeader(let name): removedHeaders.insert(name.lowercased())
            case .field(let name, let value): fields.append((name, value))
            case .body(let path):
                guard file == nil else { throw UsageError("Only one @file can be the body.") }
                file = path
            }
        }
        if let file {
            guard fields.isEmpty else {
                throw UsageError("@\(file) is the whole body; fields cannot be sent beside it.")
            }
            body = try .file(file, mediaType: FileTypes.mediaType(ofFile: file))
        } else if !fields.isEmpty {
            body = asForm ? try Self.form(fields) : try Self.json(fields)
        }
    }

    private static func joined(_ text: String, _ name: String, _ value: String) throws -> String {
        let pair = try QueryEncoder().encode([name: value])
        return text.isEmpty ? pair : "\(text)&\(pair)"
    }

    private static func form(_ fields: [(name: String, value: FieldValue)]) throws -> Body {
        var text = ""
        for (name, value) in fields {
            switch value {
            case .text(let value), .json(let value): text = try joined(text, name, value)
            case .textFile(let path), .jsonFile(let path): text = try joined(text, name, ItemFile.text(path))
            }
        }
        return .text(text, mediaType: "application/x-www-form-urlencoded")
    }

    private static func json(_ fields: [(name: String, value: FieldValue)]) throws -> Body {
        var tree = JSON.object([:])
        for (name, value) in fields {
            try NestedKey(name).set(try json(value, of: name), in: &tree)
        }
        return try .json(tree)
    }

    private static func json(_ value: FieldValue, of name: String) throws -> JSON {
        let text: String
        switch value {
        case .text(let value): return .string(value)
        case .textFile(let path): return .string(try ItemFile.text(path))
        case .json(let value): text = value
        case .jsonFile(let path): text = try ItemFile.text(path)
        }
        do {
            return try JSON(parsing: text)
        } catch {
            throw UsageError("The value of “\(name)” is not JSON: \(error). For text, write \(name)=value.")
        }
    }
}
