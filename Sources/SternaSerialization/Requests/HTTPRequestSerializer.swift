public import HTTPTypes
public import SternaCore

/// Parameters as a query, or as a body of type `application/x-www-form-urlencoded`.
///
///     var serializer = HTTPRequestSerializer(style: .afnetworking2)
///     serializer.headers["X-Client"] = "7"
///     serializer.properties.timeout = .seconds(10)
///     let api = try Session(baseURL: "https://api.example.com") { $0.requestSerializer = serializer }
public struct HTTPRequestSerializer: ConfigurableRequestSerializer {
    public var settings = SerializerSettings()

    /// Makes a serializer of a style.
    public init(style: RequestStyle) {
        settings.style = style
    }

    /// Makes a serializer of AFNetworking 4's style, or one that differs in how it writes queries and which methods have them.
    public init(
        encoder: QueryEncoder? = nil,
        queryMethods: Set<Request.Method>? = nil
    ) {
        if let encoder { settings.encoder = encoder }
        if let queryMethods { settings.queryMethods = queryMethods }
    }

    /// Outside the query methods the style says whether no parameters make an empty body; OPTIONS and TRACE never get an
    /// empty one.
    public func serialize(_ parameters: Parameters?, into request: inout Request) throws {
        if settings.goesIntoURL(request.method) {
            if let parameters { try settings.appendQuery(parameters, to: &request) }
        } else if parameters != nil || settings.style.sendsEmptyForm && request.method != .options {
            let text = try parameters.map { try settings.text(of: $0, for: request) } ?? ""
            request.body = .text(
                text, mediaType: settings.formMediaType)
        }
    }
}
