import Sterna
import SternaPropertyListCore

/// The content of a request, made from items: its query, its header fields and its body.
struct RequestContent: Sendable {
    /// The encoded fields for the URL's query.
    var query = ""
    var headers = Headers()
    /// The names of default header fields to leave out, in lower case.
    var removedHeaders: Set<String> = []
    var body: Body?
    /// Whether files are parts of the body.
    var hasParts = false

    /// The file that is the body; `-` is standard input.
    var file: String?

    /// The names of header fields that hold secrets, as far as their names tell: those that are shown as `***`.
    var secretHeaders: Set<String> { Set(headers.lines.map(\.name).filter { Redaction.isSecretHeader($0) }) }

    /// Throws `UsageError` for items that exclude each other, and `SternaError` for files and JSON that cannot be read.
    ///
    /// - Parameter given: the body that an option gives; the caller handles standard input.
    init(_ items: [Item], as format: FieldFormat, style: RequestStyle? = nil, given: GivenBody? = nil) throws {
        var fields: [(name: String, value: FieldValue)] = []
        var parts: [(name: String, file: String, mediaType: String?)] = []
        var queryText = FieldText(style: style)
        for item in items {
            switch item {
            case .query(let name, let value): try queryText.add(name, text: value)
            case .header(let name, let value): headers.append(name, value)
            case .removedHeader(let name): removedHeaders.insert(name.lowercased())
            case .field(let name, let value): fields.append((name, value))
            case .part(let name, let file, let mediaType): parts.append((name, file, mediaType))
            case .body(let path):
                guard file == nil else { throw UsageError("Only one @file can be the body.") }
                file = path
            }
        }
        query = queryText.text
        if let given {
            guard fields.isEmpty, parts.isEmpty, file == nil else {
                throw UsageError(
                    "\(given.option) is the whole body, so neither fields nor files go with it; write all of them after the URL."
                )
            }
            switch given.source {
            case .text(let text): body = .bytes(Bytes(text: text), mediaType: given.mediaType)
            case .file(let path):
                file = path
                body = try .file(path, mediaType: given.mediaType)
            case .standardInput, .pieces, .form: break
            }
        } else if file == "-" {
            // The caller reads standard input.
            guard fields.isEmpty, parts.isEmpty else {
                throw UsageError("Standard input is the whole body, so no fields go with @-; leave them out.")
            }
        } else if let file {
            guard fields.isEmpty, parts.isEmpty else {
                throw UsageError(
                    "The file “\(file)” is the whole body, so no fields go with it; for a form of several parts write "
                        + "tern --form URL name=value name@\(file).")
            }
            body = try .file(file, mediaType: MediaType.ofFile(named: file))
        } else if format == .multipart || !parts.isEmpty {
            guard format == .multipart || format == .form else {
                throw UsageError(
                    "A file is a part of a form: add --multipart, or write \(parts[0].name)=@file for its text.")
            }
            body = try Self.multipart(items, style)
            hasParts = !parts.isEmpty
        } else if !fields.isEmpty {
            body =
                switch format {
                case .json: try .json(try Self.json(fields))
                case .form, .multipart: try Self.form(fields, style)
                case .propertyList: try Self.propertyList(fields)
                }
            if style?.namesCharset == true, format != .multipart { body?.mediaType? += "; charset=utf-8" }
        }
    }

    /// Leaves out the first bytes of the file that is the body, for an upload that continues. Throws `UsageError` if nothing of the
    /// file is left.
    mutating func skip(_ count: Int64) throws(UsageError) {
        guard let file, case .file(let whole)? = body?.segments.first else { return }
        guard count < whole.length else {
            throw UsageError(
                "The file “\(file)” has \(whole.length) bytes, so that nothing is left after \(count) of -C.")
        }
        let rest = FileRange(path: whole.path, offset: count, length: whole.length - count)
        body = Body(segments: [.file(rest)], mediaType: body?.mediaType)
        headers.append("Content-Range", "bytes \(count)-\(whole.length - 1)/\(whole.length)")
    }

    /// Gives a form the type of a header field, such as `multipart/mixed`, with the form's own boundary, as curl and HTTPie do. A field
    /// with a boundary names that of another form, and is left out.
    mutating func keepFormType() {
        guard let type = headers["Content-Type"], !type.isEmpty, !type.lowercased().contains("boundary="),
            let own = body?.mediaType, own.hasPrefix("multipart/"), let boundary = own.firstRange(of: "boundary=")
        else { return }
        let whole = "\(type); \(own[boundary.lowerBound...])"
        headers["Content-Type"] = whole
        body?.mediaType = whole
    }

    /// Returns a form of the fields and files in the order in which they were written.
    private static func multipart(_ items: [Item], _ style: RequestStyle?) throws -> Body? {
        var form = MultipartForm(encoder: style?.query ?? QueryEncoder())
        for item in items {
            switch item {
            case .field(let name, .text(let text)): form.append(text, name: name)
            case .field(let name, .textFile(let path)): form.append(try ItemFile.text(path), name: name)
            case .field(let name, .json(let text)):
                form.append(try FieldJSON.tree(text, of: name).parameterValue, name: name)
            case .field(let name, .jsonFile(let path)):
                form.append(try FieldJSON.tree(ItemFile.text(path), of: name).parameterValue, name: name)
            case .part(let name, let file, let mediaType): form.append(file: file, name: name, mediaType: mediaType)
            case .query, .header, .removedHeader, .body: continue
            }
        }
        return try form.body()
    }

    private static func form(_ fields: [(name: String, value: FieldValue)], _ style: RequestStyle?) throws -> Body {
        var text = FieldText(style: style)
        for (name, value) in fields {
            switch value {
            case .text(let value): try text.add(name, text: value)
            case .json(let value): try text.add(name, json: value)
            case .textFile(let path): try text.add(name, text: ItemFile.text(path))
            case .jsonFile(let path): try text.add(name, json: ItemFile.text(path))
            }
        }
        return .text(text.text, mediaType: FieldFormat.form.mediaType)
    }

    private static func json(_ fields: [(name: String, value: FieldValue)]) throws -> JSON {
        var tree = JSON.object([:])
        for (name, value) in fields {
            try NestedKey(name).set(try json(value, of: name), in: &tree)
        }
        return tree
    }

    private static func propertyList(_ fields: [(name: String, value: FieldValue)]) throws -> Body {
        do {
            let list = try PropertyList(json(fields).parameterValue)
            return .bytes(try list.serialized(), mediaType: FieldFormat.propertyList.mediaType)
        } catch let error as ParameterError {
            throw UsageError("The fields cannot be sent as a property list: \(error).")
        }
    }

    private static func json(_ value: FieldValue, of name: String) throws -> JSON {
        let text: String
        switch value {
        case .text(let value): return .string(value)
        case .textFile(let path): return .string(try ItemFile.text(path))
        case .json(let value): text = value
        case .jsonFile(let path): text = try ItemFile.text(path)
        }
        return try FieldJSON.tree(text, of: name)
    }
}
