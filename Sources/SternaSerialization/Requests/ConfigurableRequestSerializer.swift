public import HTTPTypes
public import SternaCore

/// A request serializer with AFNetworking's settings: default header fields, a style, query methods, properties.
public protocol ConfigurableRequestSerializer: RequestSerializer, Codable {
    /// What the serializers have in common.
    var settings: SerializerSettings { get set }
}

extension ConfigurableRequestSerializer {
    public func prepare(_ request: inout Request) throws { try settings.prepare(&request) }

    public func appendQuery(_ parameters: Parameters, to request: inout Request) throws {
        try settings.appendQuery(parameters, to: &request)
    }

    /// Header fields of every request, where the request does not have a field of the name.
    public var headers: Headers {
        get { settings.headers }
        set { settings.headers = newValue }
    }

    /// How parameters are written. Setting it keeps the options of ``encoder`` that were set, and clears ``queryEncoding``.
    public var style: RequestStyle {
        get { settings.style }
        set { settings.style = newValue }
    }

    /// How parameters become the text of queries and forms; a part of ``style``.
    ///
    /// An option that is set holds whatever style is set later; an encoder that is set as a whole counts as all of its
    /// options.
    public var encoder: QueryEncoder {
        get { settings.encoder }
        set { settings.encoder = newValue }
        _modify { yield &settings.encoder }
    }

    /// The character set of queries and forms, which percent-escapes follow: AFNetworking's string encoding.
    public var stringEncoding: TextEncoding {
        get { settings.encoder.encoding }
        set { settings.encoder.encoding = newValue }
    }

    /// Where parameters go; by method unless it is changed.
    public var destination: ParameterDestination {
        get { settings.destination }
        set { settings.destination = newValue }
    }

    /// The methods whose parameters go into the URL; GET, HEAD and DELETE by default.
    public var queryMethods: Set<Request.Method> {
        get { settings.queryMethods }
        set { settings.queryMethods = newValue }
    }

    /// The time limit of each step of a request, from finding the address to each pause between bytes; nil, the default, keeps the
    /// session's.
    public var timeout: Duration? {
        get { settings.timeout }
        set { settings.timeout = newValue }
    }

    /// What a request is told beside its message.
    package var properties: RequestProperties {
        get { settings.properties }
        set { settings.properties = newValue }
    }

    /// Replaces the encoding of queries and forms; nil for the style's own.
    public var queryEncoding: (@Sendable (Request, Parameters) throws -> String)? {
        get { settings.queryEncoding }
        set { settings.queryEncoding = newValue }
    }

    // MARK: Header fields

    /// Sets a default header field in place of every one of the name; nil removes it.
    public mutating func setValue(_ value: String?, forHeader name: String) { headers[name] = value }

    /// The first value of a default header field, its name in any case.
    public func value(forHeader name: String) -> String? { headers[name] }

    /// Removes a default header field.
    public mutating func removeHeader(_ name: String) { headers[name] = nil }

    /// The default header fields as a dictionary.
    public var headerDictionary: [String: String] { headers.dictionary }

    /// Sets credentials as the default Authorization field: `.basic(user, password)`, `.bearer(token)`, `.token(token)`.
    ///
    /// A session sends them to its own origin only.
    public mutating func setAuthorization(_ authorization: Authorization) {
        headers["Authorization"] = authorization.fieldValue
    }

    /// Removes the default Authorization field.
    public mutating func clearAuthorization() { headers["Authorization"] = nil }
}
