public import Sterna

extension ResponseSerializer where Self == XMLResponseSerializer {
    /// The root element of an XML document.
    public static var xml: XMLResponseSerializer { XMLResponseSerializer() }
}

extension ResponseSerializer where Self == XMLEventsResponseSerializer {
    /// The events of an XML document.
    public static var xmlEvents: XMLEventsResponseSerializer { XMLEventsResponseSerializer() }
}

/// Parses the root element of an XML document.
public struct XMLResponseSerializer: ResponseSerializer, Hashable, Codable {
    /// AFNetworking's media types for XML.
    public static let mediaTypes: Set<String> = ["application/xml", "text/xml"]

    /// ``mediaTypes`` and every type with the suffix `+xml` (RFC 7303, 4.2), as feeds, SVG and SOAP use.
    public static let mediaTypesWithSuffix: Set<String> = mediaTypes.union(["*/*+xml"])

    public var validation: ResponseValidation

    /// The limits of the document.
    public var limits: XMLLimits

    /// Makes a serializer; by default it accepts AFNetworking's media types.
    public init(
        validation: ResponseValidation = ResponseValidation(mediaTypes: XMLResponseSerializer.mediaTypes),
        limits: XMLLimits = XMLLimits()
    ) {
        self.validation = validation
        self.limits = limits
    }

    /// Returns the tree; throws `decodingFailed` or `limitExceeded`, with line and column if the fault has a place, and
    /// `decodingFailed` for an empty body.
    public func value(of response: Response, body: Bytes) throws -> XMLElement {
        try XMLElement(parsing: body, limits: limits, charset: response.charset)
    }
}

/// Parses the events of an XML document, all of them in order.
public struct XMLEventsResponseSerializer: ResponseSerializer, Hashable, Codable {
    public var validation: ResponseValidation

    /// The limits of the document.
    public var limits: XMLLimits

    /// Makes a serializer; by default it accepts AFNetworking's media types.
    public init(
        validation: ResponseValidation = ResponseValidation(mediaTypes: XMLResponseSerializer.mediaTypes),
        limits: XMLLimits = XMLLimits()
    ) {
        self.validation = validation
        self.limits = limits
    }

    /// Returns the events; throws `decodingFailed` or `limitExceeded`, with line and column if the fault has a place, and
    /// `decodingFailed` for an empty body.
    public func value(of response: Response, body: Bytes) throws -> [XMLEvent] {
        var events: [XMLEvent] = []
        try XMLEvents.parse(body, limits: limits, charset: response.charset) { events.append($0) }
        return events
    }
}

extension Response {
    fileprivate var charset: String? { mediaType?.charset }
}
