import ArgumentParser
import Sterna

/// What the fields of a body are sent as.
enum FieldFormat: Hashable, Sendable {
    case json, form, multipart, propertyList

    var mediaType: String {
        switch self {
        case .json: "application/json"
        case .form: "application/x-www-form-urlencoded"
        case .multipart: "multipart/form-data"
        case .propertyList: "application/x-plist"
        }
    }
}

/// The styles that `--style` knows.
enum StyleName: String, ExpressibleByArgument, CaseIterable, Sendable {
    case afnetworking4, afnetworking2, whatwg

    var style: RequestStyle {
        switch self {
        case .afnetworking4: .afnetworking4
        case .afnetworking2: .afnetworking2
        case .whatwg: .whatwgForm
        }
    }
}

/// Writes fields as the text of a query or a form.
struct FieldText {
    private var fields: [(name: String, text: String)] = []
    private let style: RequestStyle?

    /// - Parameter style: how names and values are written; nil writes them one by one in their order, as AFNetworking 4
    ///   escapes them.
    init(style: RequestStyle?) { self.style = style }

    private var encoder: QueryEncoder { style?.query ?? .afnetworking4 }

    mutating func add(_ name: String, text: String) throws {
        fields.append((name, try encoder.encode([name: text])))
    }

    /// Without a style, JSON is a text as any other; with one, its arrays, members and booleans are the style's.
    mutating func add(_ name: String, json text: String) throws {
        guard style != nil else { return try add(name, text: text) }
        let value = try FieldJSON.tree(text, of: name).parameterValue
        fields.append((name, try encoder.encode(Parameters(pairs: [(name, value)]))))
    }

    /// All fields, in the order of their names where the style says so.
    var text: String {
        let sorts = style?.query.sortsKeys ?? false
        let ordered = sorts ? fields.enumerated().sorted { ($0.1.name, $0.0) < ($1.1.name, $1.0) }.map(\.1) : fields
        return ordered.map(\.text).filter { !$0.isEmpty }.joined(separator: "&")
    }
}

/// Reads the JSON of a field.
enum FieldJSON {
    /// Throws `UsageError` for text that is not JSON.
    static func tree(_ text: String, of name: String) throws -> JSON {
        do {
            return try JSON(parsing: text)
        } catch {
            throw UsageError("The value of “\(name)” is not JSON: \(error). For text, write \(name)=value.")
        }
    }
}

extension JSON {
    /// The tree as parameters have it; a number that no type of theirs holds becomes its text.
    var parameterValue: ParameterValue {
        switch self {
        case .null: .null
        case .bool(let value): .bool(value)
        case .number(let value):
            if let whole = value.int {
                .integer(Int64(whole))
            } else if let whole = value.uint {
                .unsigned(UInt64(whole))
            } else {
                value.double.map { .double($0) } ?? .string(value.description)
            }
        case .string(let value): .string(value)
        case .array(let elements): .array(elements.map(\.parameterValue))
        case .object(let object): .dictionary(Parameters(pairs: object.map { ($0.key, $0.value.parameterValue) }))
        }
    }
}
