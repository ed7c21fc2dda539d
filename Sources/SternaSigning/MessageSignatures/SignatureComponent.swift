import RawStructuredFieldValues
import SternaCore

/// A component of a message that a signature covers: a header field, or a derived component (RFC 9421, 2).
///
///     [.method, .targetURI, "content-type", .field("cache-control").asBytes]
public struct SignatureComponent: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    enum Parameter: Sendable, Hashable {
        case structured, bytes, trailer, request
        case key(String)
        case name(String)

        var item: (String, RFC9651BareItem) {
            switch self {
            case .structured: ("sf", true)
            case .bytes: ("bs", true)
            case .trailer: ("tr", true)
            case .request: ("req", true)
            case .key(let key): ("key", .string(key))
            case .name(let name): ("name", .string(name))
            }
        }
    }

    /// The name in lower case; the name of a derived component begins with `@`.
    public let name: String

    /// The parameters, in the order of serialization.
    private(set) var parameters: [Parameter] = []

    private init(_ name: String, _ parameters: [Parameter] = []) {
        self.name = name.lowercased()
        self.parameters = parameters
    }

    /// Makes a component of a field's name in any letter case, or of a derived component's name, which begins with `@`.
    public init(stringLiteral value: String) { self.init(value) }

    /// A header field, its lines joined by commas (RFC 9421, 2.1).
    public static func field(_ name: String) -> SignatureComponent { SignatureComponent(name) }

    /// A member of a dictionary field (RFC 9421, 2.1.2).
    public static func field(_ name: String, key: String) -> SignatureComponent {
        SignatureComponent(name, [.key(key)])
    }

    /// The method.
    public static let method = SignatureComponent("@method")

    /// The whole URL, without its fragment.
    public static let targetURI = SignatureComponent("@target-uri")

    /// The host, and the port unless it is the scheme's default.
    public static let authority = SignatureComponent("@authority")

    /// The scheme: `https` or `http`.
    public static let scheme = SignatureComponent("@scheme")

    /// The path and query, as in the request line.
    public static let requestTarget = SignatureComponent("@request-target")

    /// The path.
    public static let path = SignatureComponent("@path")

    /// The query with its question mark; only the question mark for a URL without a query.
    public static let query = SignatureComponent("@query")

    /// The status code of a response.
    public static let status = SignatureComponent("@status")

    /// A query parameter by its decoded name, which must occur exactly once (RFC 9421, 2.2.8).
    public static func queryParameter(_ name: String) -> SignatureComponent {
        SignatureComponent("@query-param", [.name(QueryParameters.encoded(Array(name.utf8)))])
    }

    /// The field in the canonical form of structured fields (RFC 9421, 2.1.1), for fields whose type the library knows.
    public var asStructured: SignatureComponent { adding(.structured) }

    /// Each line of the field in base64 (RFC 9421, 2.1.3), for a field whose lines may contain commas.
    public var asBytes: SignatureComponent { adding(.bytes) }

    /// The field of the trailer section (RFC 9421, 2.1.4).
    public var inTrailers: SignatureComponent { adding(.trailer) }

    /// The component of the request, in the signature of its response (RFC 9421, 2.4).
    public var ofRequest: SignatureComponent { adding(.request) }

    private func adding(_ parameter: Parameter) -> SignatureComponent {
        SignatureComponent(name, parameters.contains(parameter) ? parameters : parameters + [parameter])
    }

    /// Reads a component of Signature-Input; nil if its name is not in lower case, or a parameter is unknown or occurs twice.
    init?(_ item: Item) {
        guard case .string(let name) = item.rfc9651BareItem, name == name.lowercased() else { return nil }
        var parameters: [Parameter] = []
        for (key, value) in item.rfc9651Parameters {
            switch (key, value) {
            case ("sf", .bool(true)): parameters.append(.structured)
            case ("bs", .bool(true)): parameters.append(.bytes)
            case ("tr", .bool(true)): parameters.append(.trailer)
            case ("req", .bool(true)): parameters.append(.request)
            case ("key", .string(let key)): parameters.append(.key(key))
            case ("name", .string(let name)): parameters.append(.name(name))
            default: return nil
            }
        }
        self.init(name, parameters)
    }

    func has(_ parameter: Parameter) -> Bool { parameters.contains(parameter) }

    /// The member of a dictionary field.
    var key: String? {
        for case .key(let key) in parameters { return key }
        return nil
    }

    /// The encoded name of a parameter of the query.
    var parameterName: String? {
        for case .name(let name) in parameters { return name }
        return nil
    }

    /// The component as an item of Signature-Input.
    var item: Item {
        var map = OrderedMap<String, RFC9651BareItem>()
        for parameter in parameters { map[parameter.item.0] = parameter.item.1 }
        return Item(bareItem: .string(name), parameters: map)
    }

    /// The serialized component, such as `"cache-control";bs`.
    public var description: String { FieldSyntax.printable(StructuredText.text(item) ?? name) }

    /// Returns whether two components are the same, regardless of the order of their parameters.
    func matches(_ other: SignatureComponent) -> Bool {
        name == other.name && Set(parameters) == Set(other.parameters)
    }
}

/// Writes structured fields (RFC 9651, 4.1).
enum StructuredText {
    /// Serializes an item; nil if that is impossible.
    static func text(_ item: Item) -> String? {
        var serializer = StructuredFieldValueSerializer()
        return (try? serializer.writeItemFieldValue(item)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Serializes an item or an inner list as the member of a list; nil if that is impossible.
    static func text(_ member: ItemOrInnerList) -> String? {
        var serializer = StructuredFieldValueSerializer()
        return (try? serializer.writeListFieldValue([member])).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The maximum length of a parsed field, in bytes: building a dictionary takes quadratic time.
    static let longest = 8_192

    /// Parses a field's lines as a dictionary; nil if their syntax is invalid or they are too long.
    static func dictionary(_ lines: [String]) -> OrderedMap<String, ItemOrInnerList>? {
        guard !lines.isEmpty, lines.reduce(0, { $0 + $1.utf8.count }) <= longest else { return nil }
        var parser = StructuredFieldValueParser(Array(lines.joined(separator: ", ").utf8))
        return try? parser.parseDictionaryFieldValue()
    }
}
