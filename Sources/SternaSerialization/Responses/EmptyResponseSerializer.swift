public import NIOCore
public import SternaCore

extension ResponseSerializer where Self == EmptyResponseSerializer {
    /// No value; a response with content fails.
    public static var empty: EmptyResponseSerializer { EmptyResponseSerializer() }

    /// No value, whatever the response's content.
    public static var ignored: EmptyResponseSerializer { EmptyResponseSerializer(ignoresContent: true) }
}

/// Returns no value: for responses that only confirm success, such as 204.
public struct EmptyResponseSerializer: ResponseSerializer, Hashable, Codable {
    public var validation: ResponseValidation

    /// Whether content is ignored; if false, content throws `decodingFailed`.
    public var ignoresContent: Bool

    /// Makes a serializer that accepts any media type.
    public init(validation: ResponseValidation = ResponseValidation(), ignoresContent: Bool = false) {
        self.validation = validation
        self.ignoresContent = ignoresContent
    }

    public var takesUnknownCodings: Bool { true }

    public func value(of response: Response, body: Bytes) throws {
        guard ignoresContent || body.readableBytes == 0 else {
            throw SternaError(
                .decodingFailed, phase: .decode,
                "The response has \(ByteSize(Int64(body.readableBytes))) of content, but none was expected.")
        }
    }
}
