/// The part of a request that one argument after the URL defines.
enum Item: Hashable, Sendable {
    /// `name==value`
    case query(name: String, value: String)
    /// `Name:value`, and `Name;` for an empty value
    case header(name: String, value: String)
    /// `Name:`
    case removedHeader(name: String)
    /// `name=value`, `name:=json`, `name=@file`, `name:=@file`
    case field(name: String, value: FieldValue)
    /// `name@file`, `name@file;type=text/csv`
    case part(name: String, file: String, mediaType: String?)
    /// `@file`
    case body(file: String)

    /// Whether it gives the request a body.
    var isContent: Bool {
        switch self {
        case .field, .part, .body: true
        case .query, .header, .removedHeader: false
        }
    }
}

/// The value of a field, or its source.
enum FieldValue: Hashable, Sendable {
    case text(String)
    case json(String)
    case textFile(String)
    case jsonFile(String)
}
