public import HTTPTypes
public import SternaCore

/// Writes parameters as a JSON object of type `application/json`, or as a query for methods without a body.
///
/// Without parameters there is no body. A number that is not finite throws `encodingFailed` with its key path.
///
/// The encoder's option ``QueryEncoder/data`` also applies to the body: base64 text, or an array of numbers.
public struct JSONRequestSerializer: ConfigurableRequestSerializer {
    /// The layout of the JSON text.
    public var options: JSON.WritingOptions

    public var settings = SerializerSettings()

    /// Makes a serializer.
    ///
    /// - Parameters:
    ///   - style: how queries are written, and whether the media type names the character set; AFNetworking 4's by default.
    ///   - options: the layout of the JSON text.
    ///   - encoder: an encoder in place of the style's.
    ///   - queryMethods: the methods whose parameters go into the URL; GET, HEAD and DELETE by default.
    public init(
        style: RequestStyle? = nil, options: JSON.WritingOptions = [], encoder: QueryEncoder? = nil,
        queryMethods: Set<Request.Method>? = nil
    ) {
        self.options = options
        if let style { settings.style = style }
        if let encoder { settings.encoder = encoder }
        if let queryMethods { settings.queryMethods = queryMethods }
    }

    public func serialize(_ parameters: Parameters?, into request: inout Request) throws {
        guard let parameters else { return }
        if settings.goesIntoURL(request.method) {
            try settings.appendQuery(parameters, to: &request)
        } else {
            request.body = try settings.jsonBody(options) { try JSON(parameters, data: settings.encoder.data) }
        }
    }
}
