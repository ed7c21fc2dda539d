import ArgumentParser
import Sterna

/// The format in which fields of a body are sent.
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

/// The styles that `--style` accepts.
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

    /// - Parameter style: the style of names and values; nil writes them one by one in their order, with AFNetworking
    ///   4's escaping.
    init(style: RequestStyle?) { self.style = style }

    private var encoder: QueryEncoder { style?.query ?? .afnetworking4 }

    mutating func add(_ name: String, text: String) throws {
        fields.append((name, try encoder.encode([name: text])))
    }

    /// Adds a field of JSON. Without a style, JSON is plain text; with one, the style formats its arrays, members and
    /// booleans.
    mutating func add(_ name: String, json text: String) throws {
        guard style != nil else { return try add(name, text: text) }
        let value = try FieldJSON.tree(text, of: name).parameterValue
        fields.append((name, try encoder.encode(Parameters(pairs: [(name, value)]))))
    }

    /// All fields, sorted by name if the style sorts keys.
    var text: String {
        guard !fields.isEmpty else { return "" }
        let sorts = style?.query.sortsKeys ?? false
        let ordered = sorts ? fields.enumerated().sorted { ($0.1.name, $0.0) < ($1.1.name, $1.0) }.map(\.1) : fields
        return ordered.map(\.text).filter { !$0.isEmpty }.joined(separator: "&")
    }
}

/// Parses the JSON of a field.
enum FieldJSON {
    /// Parses a text; throws `UsageError` if it is not JSON.
    static func tree(_ text: String, of name: String) throws -> JSON {
        do {
            return try JSON(parsing: text)
        } catch {
            throw UsageError("The value of “\(name)” is not JSON: \(error). For text, write \(name)=value.")
        }
    }
}

extension JSON {
    /// The tree as a parameter value; a number that no parameter type holds becomes its text.
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
