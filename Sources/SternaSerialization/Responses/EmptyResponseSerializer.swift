import NIOCore
package import SternaCore

extension ResponseSerializer where Self == AnyResponseSerializer<Void> {
    /// No value, with any media type; a response with content fails with `decodingFailed`.
    public static var empty: AnyResponseSerializer<Void> { AnyResponseSerializer(EmptyResponseSerializer()) }

    /// No value, whatever the response's content.
    public static var ignored: AnyResponseSerializer<Void> {
        AnyResponseSerializer(EmptyResponseSerializer(ignoresContent: true))
    }
}

/// Returns no value: for responses that only confirm success, such as 204.
package struct EmptyResponseSerializer: ResponseSerializer {
    package var validation: ResponseValidation

    /// Whether content is ignored; if false, content throws `decodingFailed`.
    package var ignoresContent: Bool

    /// Makes a serializer that accepts any media type.
    package init(validation: ResponseValidation = ResponseValidation(), ignoresContent: Bool = false) {
        self.validation = validation
        self.ignoresContent = ignoresContent
    }

    package var takesUnknownCodings: Bool { true }

    package func value(of response: Response, body: Bytes) throws {
        guard ignoresContent || body.readableBytes == 0 else {
            throw SternaError(
                .decodingFailed, phase: .decode,
                "The response has \(ByteSize(Int64(body.readableBytes))) of content, but none was expected.")
        }
    }
}
