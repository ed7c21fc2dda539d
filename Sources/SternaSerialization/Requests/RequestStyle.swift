/// How a family of clients writes parameters: their text, and what it says of itself.
///
/// A style supplies what the caller has not set: options of a serializer's ``ConfigurableRequestSerializer/encoder`` and its
/// ``ConfigurableRequestSerializer/stringEncoding`` hold whether they are set before the style or after it.
public struct RequestStyle: Sendable, Codable {
    /// How parameters become the text of queries and forms.
    public var query: QueryEncoder

    /// Whether the media type of forms, JSON and property lists names its character set, `; charset=utf-8`; no by default.
    public var namesCharset: Bool

    /// Whether the media type of forms alone names its character set; no by default.
    public var namesCharsetInForms: Bool

    /// Whether a method with a body gets an empty one, and its type, where there are no parameters; yes by default.
    public var sendsEmptyForm: Bool

    /// Makes a style.
    public init(
        query: QueryEncoder = QueryEncoder(), namesCharset: Bool = false, sendsEmptyForm: Bool = true,
        namesCharsetInForms: Bool = false
    ) {
        self.query = query.asPreset
        self.namesCharset = namesCharset
        self.namesCharsetInForms = namesCharsetInForms
        self.sendsEmptyForm = sendsEmptyForm
    }

    /// AFNetworking 4's and 3's style, the default.
    public static let afnetworking4 = RequestStyle()

    /// AFNetworking 2's: names keep `[`, `]` and `.`, `/` and `?` are escaped, the media types name the character set, and
    /// no parameters make no body.
    public static let afnetworking2 = RequestStyle(query: .afnetworking2, namesCharset: true, sendsEmptyForm: false)

    /// Alamofire 5's: numbers as `1.0`, dates as seconds since 2001, no null, forms that name the character set, and no body
    /// for no parameters. See ``QueryEncoder/alamofire``.
    public static let alamofire = RequestStyle(query: .alamofire, sendsEmptyForm: false, namesCharsetInForms: true)

    /// The URL Standard's form format: a space as `+`, null as `key=`, keys in the order they were given in.
    public static let whatwgForm = RequestStyle(query: .whatwgForm)

    /// Takes what `encode(to:)` wrote.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        query = try container.decode(QueryEncoder.self, forKey: .query)
        namesCharset = try container.decode(Bool.self, forKey: .namesCharset)
        namesCharsetInForms = try container.decodeIfPresent(Bool.self, forKey: .namesCharsetInForms) ?? false
        sendsEmptyForm = try container.decode(Bool.self, forKey: .sendsEmptyForm)
    }

    /// This style with the encoder's options that the caller has set in an earlier one.
    func keepingOwn(of earlier: RequestStyle) -> RequestStyle {
        var style = self
        style.query = query.keepingOwn(of: earlier.query)
        return style
    }
}
