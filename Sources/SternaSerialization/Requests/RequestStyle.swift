/// How a family of clients writes parameters: their text, and what it says of itself.
public struct RequestStyle: Sendable, Codable {
    /// How parameters become the text of queries and forms.
    public var query: QueryEncoder

    /// Whether the media type of forms, JSON and property lists names its character set, `; charset=utf-8`; no by default.
    public var namesCharset: Bool

    /// Whether a method with a body gets an empty one, and its type, where there are no parameters; yes by default.
    public var sendsEmptyForm: Bool

    /// Makes a style.
    public init(query: QueryEncoder = QueryEncoder(), namesCharset: Bool = false, sendsEmptyForm: Bool = true) {
        self.query = query
        self.namesCharset = namesCharset
        self.sendsEmptyForm = sendsEmptyForm
    }

    /// AFNetworking 4's and 3's style, the default.
    public static let afnetworking4 = RequestStyle()

    /// AFNetworking 2's: names keep `[`, `]` and `.`, `/` and `?` are escaped, the media types name the character set, and
    /// no parameters make no body.
    public static let afnetworking2 = RequestStyle(query: .afnetworking2, namesCharset: true, sendsEmptyForm: false)

    /// The URL Standard's form format: a space as `+`, null as `key=`, keys in the order they were given in.
    public static let whatwgForm = RequestStyle(query: .whatwgForm)
}
