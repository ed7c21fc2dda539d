public import HTTPTypes
import NIOHTTP1

/// The header fields of one message as on the wire: in order, names in their own case, repeats kept.
///
/// Names are compared without regard to ASCII case (RFC 9110 §5.1).
public struct ServerHeaders: Sendable, Hashable, ExpressibleByDictionaryLiteral, Sequence, CustomStringConvertible {
    /// One field line.
    public struct Field: Sendable, Hashable {
        /// The name in the case in which it was sent.
        public var name: String
        /// The value without surrounding white space.
        public var value: String

        /// Makes a field line from a name and a value.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The field lines in order.
    public var fields: [Field]

    /// Makes a list of field lines, empty by default.
    public init(_ fields: [Field] = []) {
        self.fields = fields
    }

    /// Field lines in the order of the literal; repeated names stay repeated lines.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.fields = elements.map { Field(name: $0.0, value: $0.1) }
    }

    /// Makes field lines from typed ones.
    public init(_ fields: HTTPFields) {
        self.fields = fields.map { Field(name: $0.name.rawName, value: $0.value) }
    }

    init(_ headers: HTTPHeaders) {
        var fields: [Field] = []
        fields.reserveCapacity(headers.count)
        for (name, value) in headers { fields.append(Field(name: name, value: value)) }
        self.fields = fields
    }

    /// The first value of a name; assigning replaces every line of that name, `nil` removes them.
    public subscript(name: String) -> String? {
        get { fields.first { Self.same($0.name, name) }?.value }
        set {
            fields.removeAll { Self.same($0.name, name) }
            if let newValue { fields.append(Field(name: name, value: newValue)) }
        }
    }

    /// The first value of a typed name, as by its text.
    public subscript(name: HTTPField.Name) -> String? {
        get { self[name.rawName] }
        set { self[name.rawName] = newValue }
    }

    /// Returns every value of a name, in order.
    public func all(_ name: String) -> [String] {
        fields.filter { Self.same($0.name, name) }.map(\.value)
    }

    /// Whether there is a line of that name.
    public func contains(_ name: String) -> Bool {
        fields.contains { Self.same($0.name, name) }
    }

    /// Appends a line, keeping earlier ones of the same name.
    public mutating func add(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// The lines in order.
    public func makeIterator() -> IndexingIterator<[Field]> {
        fields.makeIterator()
    }

    /// One `Name: value` per line.
    public var description: String {
        fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    }

    /// Whether a comma-separated field contains a token, in any case (RFC 9110 §5.6.1).
    func hasToken(_ token: String, in name: String) -> Bool {
        for field in fields where Self.same(field.name, name) {
            for part in field.value.split(separator: ",") where Self.same(ASCIIText.trimmed(part), token) {
                return true
            }
        }
        return false
    }

    private static func same(_ left: some StringProtocol, _ right: String) -> Bool {
        ASCIIText.equalIgnoringCase(left, right)
    }
}
