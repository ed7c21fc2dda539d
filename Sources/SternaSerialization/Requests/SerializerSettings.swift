public import HTTPTypes
public import SternaCore

/// The destination of parameters.
public enum ParameterDestination: String, Sendable, Hashable, Codable, CaseIterable {
    /// The URL for the methods in ``SerializerSettings/queryMethods`` and for TRACE, the body for the others.
    case method
    /// The URL, whatever the method.
    case url
    /// The body, whatever the method. Only TRACE, which has no body (RFC 9110, 9.3.8), uses the URL.
    case body
}

/// The settings shared by the request serializers for forms, JSON and property lists.
///
/// Settings and serializers are values: threads change their own copies. Protect settings that several threads share and change
/// with a `Mutex`.
public struct SerializerSettings: Sendable {
    /// Header fields for every request that has no field of the same name; User-Agent and Accept-Language by default.
    public var headers: Headers {
        didSet { checked = CheckedFields(headers) }
    }

    /// The style of parameters.
    ///
    /// Setting it keeps the options of ``encoder`` that the caller has set, since a style supplies only the others. It clears
    /// ``queryEncoding``, as in AFNetworking.
    public var style: RequestStyle {
        get { ownStyle }
        set {
            ownStyle = newValue.keepingOwn(of: ownStyle)
            queryEncoding = nil
        }
    }

    private var ownStyle = RequestStyle.afnetworking4

    /// The encoder of queries and forms; a part of ``style``.
    ///
    /// An option set here survives a later change of style. Setting the whole encoder counts as setting all its
    /// options.
    public var encoder: QueryEncoder {
        get { ownStyle.query }
        set { ownStyle.query = newValue.asOwn }
        _modify { yield &ownStyle.query }
    }

    /// The destination of parameters; by method by default.
    public var destination = ParameterDestination.method

    /// The methods whose parameters go into the URL; GET, HEAD and DELETE by default.
    public var queryMethods: Set<Request.Method> {
        get { ownQueryMethods.map { Set($0) } ?? Self.standardQueryMethods }
        set { ownQueryMethods = newValue.map(\.normalized) }
    }

    // Nil for the standard ones. Not a set, since each new `Set` type costs about 2% of a program's first request.
    private var ownQueryMethods: [Request.Method]?

    /// Request properties that are not part of the message.
    package var properties = RequestProperties()

    /// The time limit of each step of a request, from resolving the host to each pause between bytes; nil, the default, keeps the
    /// session's.
    public var timeout: Duration? {
        get { properties.timeout }
        set { properties.timeout = newValue }
    }

    /// A replacement for the encoding of queries and forms; nil, the default, uses the style's. A thrown error fails the request
    /// before anything is sent.
    public var queryEncoding: (@Sendable (Request, Parameters) throws -> String)?

    /// GET, HEAD and DELETE, as in AFNetworking.
    public static let standardQueryMethods: Set<Request.Method> = [.get, .head, .delete]

    // Checked once when they are set, not for every request.
    private var checked: CheckedFields

    /// Makes AFNetworking 4's settings.
    public init() {
        headers = StandardHeaders.headers
        checked = StandardHeaders.checked
    }

    /// Adds the default header fields that are missing; throws `invalidHeader` for one that cannot be sent.
    package func addHeaders(to target: inout HTTPFields) throws(SternaError) {
        if let failure = checked.failure { throw failure }
        let defaults = checked.fields
        for field in defaults where !target.contains(field.name) {
            target[fields: field.name] = defaults[fields: field.name]
        }
    }

    /// Returns whether the parameters of a request with this method go into the URL, by ``destination`` and ``queryMethods``.
    public func goesIntoURL(_ method: Request.Method) -> Bool {
        switch destination {
        case .url: true
        case .body: method == .trace
        case .method: method == .trace || isQueryMethod(method)
        }
    }

    private func isQueryMethod(_ method: Request.Method) -> Bool {
        guard let ownQueryMethods else { return method == .get || method == .head || method == .delete }
        return ownQueryMethods.contains(method)
    }

    /// Whether ``prepare(_:)`` adds only the default header fields to a request.
    package var addsOnlyFields: Bool { properties == RequestProperties() }

    /// Whether a GET request without parameters stays unchanged, apart from the default header fields.
    package var leavesPlainGet: Bool { addsOnlyFields && goesIntoURL(.get) && queryEncoding == nil }

    func prepare(_ request: inout Request) throws(SternaError) {
        try addHeaders(to: &request.headers)
        guard properties != RequestProperties() else { return }
        if let timeout = properties.timeout { request.timeouts.setEach(timeout) }
        request.properties = properties
    }

    package func appendQuery(_ parameters: Parameters, to request: inout Request) throws(SternaError) {
        // A closure may add a query, such as a signature, even without parameters.
        guard !parameters.isEmpty || queryEncoding != nil else { return }
        let text = try text(of: parameters, for: request)
        request.url = request.url.appendingQuery(text)
    }

    /// Returns the parameters as the text of a query or a form.
    func text(of parameters: Parameters, for request: Request) throws(SternaError) -> String {
        try encodingErrors {
            if let queryEncoding { return try queryEncoding(request, parameters) }
            return try style.query.encode(parameters)
        }
    }

    /// Returns a JSON text as a body.
    package func jsonBody(
        _ options: JSON.WritingOptions, _ tree: () throws -> JSON
    ) throws(SternaError) -> Body {
        let bytes = try encodingErrors { try tree().serialized(options) }
        return .bytes(bytes, mediaType: mediaType("application/json"))
    }

    /// Returns a URL-encoded form as a body; an empty one without parameters.
    package func formBody(_ parameters: Parameters?, for request: Request) throws(SternaError) -> Body {
        .text(
            try parameters.map { (all) throws(SternaError) in try text(of: all, for: request) } ?? "",
            mediaType: formMediaType)
    }

    /// Returns the media type, with the character set if the style names it; JSON and property lists are always UTF-8.
    package func mediaType(_ essence: String) -> String {
        style.namesCharset ? "\(essence); charset=\(TextEncoding.utf8)" : essence
    }

    /// The media type of URL-encoded forms.
    var formMediaType: String {
        let essence = "application/x-www-form-urlencoded"
        guard style.namesCharset || style.namesCharsetInForms else { return essence }
        return "\(essence); charset=\(style.query.encoding.ofQueries)"
    }
}

extension SerializerSettings: Codable {
    private enum CodingKeys: String, CodingKey {
        case headers, style, destination, queryMethods, properties, queryEncoding
    }

    /// Decodes the output of ``encode(to:)``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        headers = try container.decode(Headers.self, forKey: .headers)
        // Observers do not run in an initializer.
        checked = CheckedFields(headers)
        ownStyle = try container.decode(RequestStyle.self, forKey: .style)
        destination = try container.decode(ParameterDestination.self, forKey: .destination)
        properties = try container.decode(RequestProperties.self, forKey: .properties)
        queryMethods = Set(
            try container.decode([String].self, forKey: .queryMethods).map { name in
                guard let method = Request.Method(rawValue: name) else {
                    throw DecodingError.dataCorruptedError(
                        forKey: .queryMethods, in: container, debugDescription: "“\(name)” is not a method.")
                }
                return method
            })
    }

    /// Encodes all settings, including credentials in the header fields; throws `EncodingError.invalidValue` for an option that is
    /// a closure.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        guard queryEncoding == nil else {
            throw EncodingError.invalidValue(
                CodingKeys.queryEncoding.stringValue,
                EncodingError.Context(
                    codingPath: container.codingPath + [CodingKeys.queryEncoding],
                    debugDescription: "A closure cannot be archived."))
        }
        try container.encode(headers, forKey: .headers)
        try container.encode(style, forKey: .style)
        try container.encode(destination, forKey: .destination)
        try container.encode(properties, forKey: .properties)
        try container.encode(queryMethods.map(\.rawValue).sorted(), forKey: .queryMethods)
    }
}

extension SerializerSettings: CustomReflectable {
    /// The settings without the checked header fields, which would reveal credentials.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "headers": headers, "style": style, "destination": destination, "queryMethods": queryMethods,
                "properties": properties, "queryEncoding": queryEncoding as Any,
            ])
    }
}

/// Header fields, and the error if they cannot be sent.
struct CheckedFields: Sendable {
    private(set) var fields = HTTPFields()
    private(set) var failure: SternaError?

    init(_ headers: Headers) {
        do throws(SternaError) {
            try headers.merge(into: &fields)
        } catch {
            failure = error
        }
    }
}
