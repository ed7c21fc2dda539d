public import HTTPTypes
public import SternaCore

/// Writes parameters as a query, or as a body of type `application/x-www-form-urlencoded`.
///
///     var serializer = HTTPRequestSerializer(style: .afnetworking2)
///     serializer.headers["X-Client"] = "7"
///     serializer.timeout = .seconds(10)
///     let api = try Session(baseURL: "https://api.example.com") { $0.requestSerializer = serializer }
public struct HTTPRequestSerializer: ConfigurableRequestSerializer {
    public var settings = SerializerSettings()

    /// Makes a serializer.
    ///
    /// - Parameters:
    ///   - style: how parameters are written and declared; AFNetworking 4's by default.
    ///   - encoder: an encoder in place of the style's.
    ///   - queryMethods: the methods whose parameters go into the URL; GET, HEAD and DELETE by default.
    public init(
        style: RequestStyle? = nil, encoder: QueryEncoder? = nil, queryMethods: Set<Request.Method>? = nil
    ) {
        if let style { settings.style = style }
        if let encoder { settings.encoder = encoder }
        if let queryMethods { settings.queryMethods = queryMethods }
    }

    /// Writes the parameters. Without parameters, the style decides whether a method with a body sends an empty one;
    /// OPTIONS and TRACE never do.
    public func serialize(_ parameters: Parameters?, into request: inout Request) throws {
        if settings.goesIntoURL(request.method) {
            if let parameters { try settings.appendQuery(parameters, to: &request) }
        } else if parameters != nil || settings.style.sendsEmptyForm && request.method != .options {
            request.body = try settings.formBody(parameters, for: request)
        }
    }
}
