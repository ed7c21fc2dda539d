public import HTTPTypes

/// The caller's header fields; names and values are checked when the request is made.
///
/// `["X-Trace": trace, "Accept": "text/csv"]`. A repeated name makes a separate line. An invalid name, or a value with a control
/// character other than a tab (RFC 9110, 5.5), throws `invalidHeader` before anything is sent.
public struct Headers: Sendable, Hashable, Codable, ExpressibleByDictionaryLiteral {
    /// The name and value of each line, in order.
    public var lines: [Line]

    /// One field line.
    public struct Line: Sendable, Hashable, Codable {
        public var name: String
        public var value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    public init(dictionaryLiteral elements: (String, String)...) {
        lines = elements.map { Line(name: $0.0, value: $0.1) }
    }

    /// Makes a list of typed fields.
    public init(_ fields: HTTPFields) {
        lines = fields.map { Line(name: $0.name.rawName, value: $0.value) }
    }

    /// Makes a list of names and values.
    public init(_ pairs: some Sequence<(String, String)>) {
        lines = pairs.map { Line(name: $0.0, value: $0.1) }
    }

    /// Makes a list of a dictionary's names and values, in ascending order of the names.
    public init(_ dictionary: [String: String]) {
        lines = dictionary.sorted { $0.key < $1.key }.map { Line(name: $0.key, value: $0.value) }
    }

    /// Whether there are no fields.
    public var isEmpty: Bool { lines.isEmpty }

    /// Appends a line.
    public mutating func append(_ name: String, _ value: String) {
        lines.append(Line(name: name, value: value))
    }

    /// The first value of a name, in any case.
    ///
    /// Setting replaces the first line of that name in its place and removes the others; a new name is appended. Nil removes
    /// every line of the name.
    public subscript(name: String) -> String? {
        get { lines.first { Self.equal($0.name, name) }?.value }
        set {
            let place = lines.firstIndex { Self.equal($0.name, name) }
            guard let newValue, let place else {
                if place != nil { lines.removeAll { Self.equal($0.name, name) } }
                if let newValue { append(name, newValue) }
                return
            }
            let line = Line(name: name, value: newValue)
            // The lines before the first of the name are kept, and none of them has the name.
            lines.removeAll { Self.equal($0.name, name) }
            lines.insert(line, at: place)
        }
    }

    /// The fields by name; the values of a repeated name are joined by commas.
    public var dictionary: [String: String] {
        var fields: [String: String] = [:]
        var names: [String: String] = [:]
        for line in lines {
            let name = names[line.name.lowercased()] ?? line.name
            names[line.name.lowercased()] = name
            fields[name] = fields[name].map { "\($0), \(line.value)" } ?? line.value
        }
        return fields
    }

    /// Merges the fields into a list, each name replacing the list's lines of that name. Throws `invalidHeader` for an invalid name
    /// or value, and for more than 1,000 fields in all.
    public func merge(into fields: inout HTTPFields) throws(SternaError) {
        var checked: [HTTPField] = []
        checked.reserveCapacity(lines.count)
        for line in lines { checked.append(try Self.field(line.name, line.value)) }
        guard fields.count + checked.count <= Self.maximumCount else {
            throw SternaError(
                .invalidHeader, phase: .prepare,
                "The message has more than \(Self.maximumCount) header fields; send fewer.")
        }
        for field in checked { fields[fields: field.name] = [] }
        for field in checked { fields.append(field) }
    }

    /// Makes a field after checking its name and value; throws `invalidHeader`, which names the field but never shows its value.
    package static func field(_ name: String, _ value: String) throws(SternaError) -> HTTPField {
        guard FieldSyntax.isToken(name), let fieldName = HTTPField.Name(name) else {
            throw invalidName(name)
        }
        guard FieldSyntax.isValue(value) else {
            let reason =
                value == Authorization.refusedValue
                ? "has a user name with a colon, where servers would split name and password (RFC 7617, 2),"
                : "has a control character (a line break, say), which has to be removed,"
            throw SternaError(
                .invalidHeader, phase: .prepare, "The value of header “\(name)” \(reason) and was not sent.")
        }
        return HTTPField(name: fieldName, value: value)
    }

    static func invalidName(_ name: String) -> SternaError {
        SternaError(
            .invalidHeader, phase: .prepare,
            "“\(FieldSyntax.printable(name))” is not a valid header name; use only letters, digits and !#$%&'*+-.^_`|~."
        )
    }

    static func invalidValue(of name: String) -> SternaError {
        SternaError(
            .invalidHeader, phase: .prepare,
            "The value of header “\(name)” has a control character and was not sent.")
    }

    static let maximumCount = 1_000

    private static func equal(_ one: String, _ other: String) -> Bool {
        one.utf8.count == other.utf8.count && one.lowercased() == other.lowercased()
    }
}

extension Headers: CustomStringConvertible, CustomReflectable {
    /// One line per field, with `***` for the values of fields whose names indicate credentials.
    public var description: String {
        lines.map { "\($0.name): \(FieldSyntax.printable(Redaction.shown($0.name, $0.value)))" }.joined(separator: "\n")
    }

    /// Returns the fields with `***` for the values of the named ones, whose secrecy the description cannot detect.
    package func masked(_ names: Set<String>) -> Headers {
        guard !names.isEmpty else { return self }
        let names = Set(names.map { $0.lowercased() })
        var shown = self
        for index in shown.lines.indices where names.contains(shown.lines[index].name.lowercased()) {
            shown.lines[index].value = Redaction.mark
        }
        return shown
    }

    /// Shows the lines as the description does, so that code that prints members shows no secret.
    public var customMirror: Mirror {
        Mirror(self, children: ["lines": description.split(separator: "\n").map(String.init)])
    }
}

extension Headers.Line: CustomStringConvertible, CustomReflectable {
    /// The line, with `***` for the value if the name indicates credentials.
    public var description: String { Headers([(name, value)]).description }

    public var customMirror: Mirror { Mirror(self, children: ["line": description]) }
}
