public import HTTPTypes
public import SternaCore

/// A request serializer with AFNetworking's settings: default header fields, a style, query methods, properties.
public protocol ConfigurableRequestSerializer: RequestSerializer, Codable {
    /// The settings that the serializers share.
    var settings: SerializerSettings { get set }
}

extension ConfigurableRequestSerializer {
    public func prepare(_ request: inout Request) throws { try settings.prepare(&request) }

    public func appendQuery(_ parameters: Parameters, to request: inout Request) throws {
        try settings.appendQuery(parameters, to: &request)
    }

    /// Header fields for every request that has no field of the same name; `headers["X-Client"] = nil` removes one.
    public var headers: Headers {
        get { settings.headers }
        set { settings.headers = newValue }
    }

    /// The style of parameters. Setting it keeps the options of ``encoder`` that the caller has set, and clears ``queryEncoding``.
    public var style: RequestStyle {
        get { settings.style }
        set { settings.style = newValue }
    }

    /// The encoder of queries and forms; a part of ``style``.
    ///
    /// An option set here survives a later change of style. Setting the whole encoder counts as setting all its
    /// options.
    public var encoder: QueryEncoder {
        get { settings.encoder }
        set { settings.encoder = newValue }
        _modify { yield &settings.encoder }
    }

    /// The character set of queries and forms, used for percent-encoding: AFNetworking's string encoding.
    public var stringEncoding: TextEncoding {
        get { settings.encoder.encoding }
        set { settings.encoder.encoding = newValue }
    }

    /// The destination of parameters; by method by default.
    public var destination: ParameterDestination {
        get { settings.destination }
        set { settings.destination = newValue }
    }

    /// The methods whose parameters go into the URL; GET, HEAD and DELETE by default.
    public var queryMethods: Set<Request.Method> {
        get { settings.queryMethods }
        set { settings.queryMethods = newValue }
    }

    /// The time limit of each step of a request, from resolving the host to each pause between bytes; nil, the default, keeps the
    /// session's.
    public var timeout: Duration? {
        get { settings.timeout }
        set { settings.timeout = newValue }
    }

    /// Request properties that are not part of the message.
    package var properties: RequestProperties {
        get { settings.properties }
        set { settings.properties = newValue }
    }

    /// A replacement for the encoding of queries and forms; nil, the default, uses the style's.
    public var queryEncoding: (@Sendable (Request, Parameters) throws -> String)? {
        get { settings.queryEncoding }
        set { settings.queryEncoding = newValue }
    }

    // MARK: Header fields

    /// Sets credentials as the default Authorization field: `.basic(user, password)`, `.bearer(token)`, `.token(token)`.
    ///
    /// A session sends them only to its own origin.
    public mutating func setAuthorization(_ authorization: Authorization) {
        headers["Authorization"] = authorization.fieldValue
    }
}
