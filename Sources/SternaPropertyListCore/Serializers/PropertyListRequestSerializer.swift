public import HTTPTypes
public import SternaCore
public import SternaSerialization

/// Writes parameters as a property list of type `application/x-plist`, or as a query for methods without a body.
///
/// Without parameters there is no body. Null, which property lists cannot represent, and a number that is not finite
/// throw `encodingFailed` with the key path.
public struct PropertyListRequestSerializer: ConfigurableRequestSerializer {
    /// The format of the list.
    public var format: PropertyList.Format

    public var settings = SerializerSettings()

    /// Makes a serializer.
    ///
    /// - Parameters:
    ///   - style: how queries are written, and whether the media type names the character set; AFNetworking 4's by default.
    ///   - format: the format of the list; XML by default, like AFNetworking's.
    ///   - encoder: an encoder in place of the style's.
    ///   - queryMethods: the methods whose parameters go into the URL; GET, HEAD and DELETE by default.
    public init(
        style: RequestStyle? = nil, format: PropertyList.Format = .xml, encoder: QueryEncoder? = nil,
        queryMethods: Set<Request.Method>? = nil
    ) {
        self.format = format
        if let style { settings.style = style }
        if let encoder { settings.encoder = encoder }
        if let queryMethods { settings.queryMethods = queryMethods }
    }

    public func serialize(_ parameters: Parameters?, into request: inout Request) throws {
        guard let parameters else { return }
        if settings.goesIntoURL(request.method) {
            try settings.appendQuery(parameters, to: &request)
        } else {
            let bytes = try encodingErrors { try PropertyList(parameters).serialized(format) }
            request.body = .bytes(bytes, mediaType: settings.mediaType(Body.propertyListMediaType))
        }
    }
}

extension RequestSerializer where Self == PropertyListRequestSerializer {
    /// Query or `application/x-plist` in XML.
    public static var propertyList: PropertyListRequestSerializer { PropertyListRequestSerializer() }

    /// Query or `application/x-plist` in the given format.
    public static func propertyList(_ format: PropertyList.Format) -> PropertyListRequestSerializer {
        PropertyListRequestSerializer(format: format)
    }
}
