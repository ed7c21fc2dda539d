public import HTTPTypes
public import SternaCore

/// Where parameters go.
public enum ParameterDestination: String, Sendable, Hashable, Codable, CaseIterable {
    /// Into the URL for the methods in ``SerializerSettings/queryMethods``, into the body for the others.
    case method
    /// Into the URL whatever the method is.
    case url
    /// Into the body whatever the method is, but TRACE, which has none (RFC 9110, 9.3.8).
    case body
}

/// What the request serializers for forms, JSON and property lists have in common.
///
/// It is a value, and so is every serializer that holds one: threads that change theirs at the same time change copies. One
/// that is shared and changed by several belongs into a `Mutex`.
public struct SerializerSettings: Sendable {
    /// Header fields of every request, where the request does not have a field of the name; User-Agent and Accept-Language
    /// by default.
    public var headers: Headers {
        didSet { checked = CheckedFields(headers) }
    }

    /// How parameters are written.
    ///
    /// Setting it keeps the options of ``encoder`` that were set, since a style supplies only what the caller has not. It
    /// clears ``queryEncoding``, as AFNetworking's style does.
    public var style: RequestStyle {
        get { ownStyle }
        set {
            ownStyle = newValue.keepingOwn(of: ownStyle)
            queryEncoding = nil
        }
    }

    private var ownStyle = RequestStyle.afnetworking4

    /// How parameters become the text of queries and forms; a part of ``style``.
    ///
    /// An option that is set holds whatever style is set later; an encoder that is set as a whole counts as all of its
    /// options.
    public var encoder: QueryEncoder {
        get { ownStyle.query }
        set { ownStyle.query = newValue.asOwn }
        _modify { yield &ownStyle.query }
    }

    /// Where parameters go; by method unless it is changed.
    public var destination = ParameterDestination.method

    /// The methods whose parameters go into the URL; GET, HEAD and DELETE by default.
    public var queryMethods: Set<Request.Method> {
        get { ownQueryMethods.map { Set($0) } ?? Self.standardQueryMethods }
        set { ownQueryMethods = newValue.map(\.normalized) }
    }

    // Nil for the standard ones. No set: each type of set costs the start of a program some 2% of a first request.
    private var ownQueryMethods: [Request.Method]?

    /// What a request is told beside its message.
    package var properties = RequestProperties()

    /// The time limit of each step of a request, from finding the address to each pause between bytes; nil, the default, keeps the
    /// session's.
    public var timeout: Duration? {
        get { properties.timeout }
        set { properties.timeout = newValue }
    }

    /// Replaces the encoding of queries and forms; nil for the style's own. What it throws fails the request before
    /// anything is sent.
    public var queryEncoding: (@Sendable (Request, Parameters) throws -> String)?

    /// GET, HEAD and DELETE, as AFNetworking has it.
    public static let standardQueryMethods: Set<Request.Method> = [.get, .head, .delete]

    // Checked once when they are set, not for every request.
    private var checked: CheckedFields

    /// Makes AFNetworking 4's settings.
    public init() {
        headers = StandardHeaders.headers
        checked = StandardHeaders.checked
    }

    /// Adds the default header fields whose names are not there; throws `invalidHeader` for one that cannot be sent.
    package func addHeaders(to target: inout HTTPFields) throws(SternaError) {
        if let failure = checked.failure { throw failure }
        let defaults = checked.fields
        for field in defaults where !target.contains(field.name) {
            target[fields: field.name] = defaults[fields: field.name]
        }
    }

    /// Whether the parameters of a method go into the URL.
    func goesIntoURL(_ method: Request.Method) -> Bool {
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

    func prepare(_ request: inout Request) throws(SternaError) {
        try addHeaders(to: &request.headers)
        guard properties != RequestProperties() else { return }
        if let timeout = properties.timeout { request.timeouts.setEach(timeout) }
        request.properties = properties
    }

    func appendQuery(_ parameters: Parameters, to request: inout Request) throws(SternaError) {
        // A closure may have something to say of no parameters, such as a signature.
        guard !parameters.isEmpty || queryEncoding != nil else { return }
        let text = try text(of: parameters, for: request)
        request.url = request.url.appendingQuery(text)
    }

    /// The parameters as the text of a query or a form.
    func text(of parameters: Parameters, for request: Request) throws(SternaError) -> String {
        try encodingErrors {
            if let queryEncoding { return try queryEncoding(request, parameters) }
            return try style.query.encode(parameters)
        }
    }

    /// The media type with the character set where the style names it; JSON and property lists are UTF-8 whatever queries
    /// are.
    func mediaType(_ essence: String) -> String {
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

    /// Takes what ``encode(to:)`` wrote.
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
                        forKey: .queryMethods, in: container, debugDescription: "“\(name)” is no method.")
                }
                return method
            })
    }

    /// Writes everything, credentials among the header fields included; throws `EncodingError.invalidValue` where an option
    /// is a closure.
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
    /// The settings without the checked form of the header fields, which would show credentials.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "headers": headers, "style": style, "destination": destination, "queryMethods": queryMethods,
                "properties": properties, "queryEncoding": queryEncoding as Any,
            ])
    }
}

/// Header fields, and why they cannot be sent where that is so.
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
