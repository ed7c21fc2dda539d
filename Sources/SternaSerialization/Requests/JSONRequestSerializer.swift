public import HTTPTypes
public import SternaCore

/// Parameters as a JSON object of type `application/json`, or as a query for the methods that have no body.
///
/// No parameters make no body. A number that is not finite throws `encodingFailed` with its key path.
///
/// Of the encoder's options ``QueryEncoder/data`` holds in the body too: base64 text, or an array of numbers.
public struct JSONRequestSerializer: ConfigurableRequestSerializer {
    /// How the text is laid out.
    public var options: JSON.WritingOptions

    public var settings = SerializerSettings()

    /// Makes a serializer.
    public init(
        options: JSON.WritingOptions = [], encoder: QueryEncoder? = nil,
        queryMethods: Set<Request.Method>? = nil
    ) {
        self.options = options
        if let encoder { settings.encoder = encoder }
        if let queryMethods { settings.queryMethods = queryMethods }
    }

    /// Makes a serializer of a style, which says how queries are written and whether the media type names the character set.
    public init(style: RequestStyle, options: JSON.WritingOptions = []) {
        self.options = options
        settings.style = style
    }

    public func serialize(_ parameters: Parameters?, into request: inout Request) throws {
        guard let parameters else { return }
        if settings.goesIntoURL(request.method) {
            try settings.appendQuery(parameters, to: &request)
        } else {
            let bytes = try encodingErrors { try JSON(parameters, data: settings.encoder.data).serialized(options) }
            request.body = .bytes(bytes, mediaType: settings.mediaType("application/json"))
        }
    }
}
