public import NIOCore
public import SternaCore

extension ResponseSerializer where Self == EmptyResponseSerializer {
    /// Nothing; an answer that has content fails.
    public static var empty: EmptyResponseSerializer { EmptyResponseSerializer() }

    /// Nothing, whatever the content of the answer is.
    public static var ignored: EmptyResponseSerializer { EmptyResponseSerializer(ignoresContent: true) }
}

/// Nothing: for answers that only say that it was done, as 204 does.
public struct EmptyResponseSerializer: ResponseSerializer, Hashable, Codable {
    public var acceptance: Acceptance

    /// Whether content is passed over; when false, it throws `decodingFailed`.
    public var ignoresContent: Bool

    /// Makes a serializer that takes any media type.
    public init(acceptance: Acceptance = Acceptance(), ignoresContent: Bool = false) {
        self.acceptance = acceptance
        self.ignoresContent = ignoresContent
    }

    public var takesUnknownCodings: Bool { true }

    public func value(of response: Response, body: Bytes) throws {
        guard ignoresContent || body.readableBytes == 0 else {
            throw SternaError(
                .decodingFailed, phase: .decode,
                "The answer has \(ByteSize(Int64(body.readableBytes))) of content where none was expected.")
        }
    }
}
