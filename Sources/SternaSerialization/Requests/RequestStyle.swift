/// How a family of clients writes parameters and declares them in the media type.
///
/// A style supplies only what the caller has not set. Options of a serializer's ``ConfigurableRequestSerializer/encoder`` and its
/// ``ConfigurableRequestSerializer/stringEncoding`` apply whether set before or after the style.
public struct RequestStyle: Sendable, Codable {
    /// The encoder of queries and forms.
    public var query: QueryEncoder

    /// Whether the media type of forms, JSON and property lists names its character set, `; charset=utf-8`; false by default.
    public var namesCharset: Bool

    /// Whether only the media type of forms names its character set; false by default.
    public var namesCharsetInForms: Bool

    /// Whether a request without parameters sends an empty body, with its type, if the method has a body; true by
    /// default.
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

    /// The style of AFNetworking 4 and 3, the default.
    public static let afnetworking4 = RequestStyle()

    /// AFNetworking 2's style. Names keep `[`, `]` and `.`; `/` and `?` are escaped. The media types name the character set, and a
    /// request without parameters has no body.
    public static let afnetworking2 = RequestStyle(query: .afnetworking2, namesCharset: true, sendsEmptyForm: false)

    /// Alamofire 5's style. Floating point numbers are `1.0`, dates are seconds since 2001, and null is left out. Forms name the
    /// character set, and a request without parameters has no body. See ``QueryEncoder/alamofire``.
    public static let alamofire = RequestStyle(query: .alamofire, sendsEmptyForm: false, namesCharsetInForms: true)

    /// The URL Standard's form format: a space is `+`, null is `key=`, and keys are in the given order.
    public static let whatwgForm = RequestStyle(query: .whatwgForm)

    /// Decodes the output of `encode(to:)`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        query = try container.decode(QueryEncoder.self, forKey: .query)
        namesCharset = try container.decode(Bool.self, forKey: .namesCharset)
        namesCharsetInForms = try container.decodeIfPresent(Bool.self, forKey: .namesCharsetInForms) ?? false
        sendsEmptyForm = try container.decode(Bool.self, forKey: .sendsEmptyForm)
    }

    /// Returns this style with the encoder's options that the caller has set in an earlier one.
    func keepingOwn(of earlier: RequestStyle) -> RequestStyle {
        var style = self
        style.query = query.keepingOwn(of: earlier.query)
        return style
    }
}
