public import FoundationEssentials
import HTTPTypes
public import NIOCore
public import SternaCore

/// Makes a value of a response and its body, and says which responses it takes.
public protocol ResponseSerializer<Value>: Sendable {
    associatedtype Value: Sendable

    /// The statuses and media types that are no error.
    var acceptance: Acceptance { get }

    /// Makes the value; called once the response was accepted. Throws `decodingFailed`.
    func value(of response: Response, body: Bytes) throws -> Value
}

extension ResponseSerializer where Self == DataResponseSerializer {
    /// The bytes as they are, of any media type.
    public static var data: DataResponseSerializer { DataResponseSerializer() }
}

extension ResponseSerializer where Self == TextResponseSerializer {
    /// The text in the character set that Content-Type names, of any media type.
    public static var text: TextResponseSerializer { TextResponseSerializer() }
}

extension ResponseSerializer where Self == JSONResponseSerializer {
    /// A JSON tree.
    public static var json: JSONResponseSerializer { JSONResponseSerializer() }
}

extension ResponseSerializer {
    /// A `Decodable` value from JSON.
    public static func decodable<T: Decodable & Sendable>(_ type: T.Type) -> Self
    where Self == DecodableResponseSerializer<T> {
        DecodableResponseSerializer()
    }
}

/// The bytes as they are.
public struct DataResponseSerializer: ResponseSerializer {
    public var acceptance: Acceptance

    /// Takes any media type unless told otherwise.
    public init(acceptance: Acceptance = Acceptance()) { self.acceptance = acceptance }

    public func value(of response: Response, body: Bytes) throws -> Data { Data(body.readableBytesView) }
}

/// The text in the character set that Content-Type names, else UTF-8.
public struct TextResponseSerializer: ResponseSerializer {
    public var acceptance: Acceptance

    /// Takes any media type unless told otherwise.
    public init(acceptance: Acceptance = Acceptance()) { self.acceptance = acceptance }

    public func value(of response: Response, body: Bytes) throws -> String {
        let charset = response[.contentType].flatMap(MediaType.init)?.charset
        return try TextDecoding.decode(body, charset: charset)
    }
}

/// A JSON tree.
public struct JSONResponseSerializer: ResponseSerializer {
    /// The media types that AFNetworking takes for JSON.
    public static let mediaTypes: Set<String> = ["application/json", "text/json", "text/javascript"]

    public var acceptance: Acceptance

    public init(acceptance: Acceptance = Acceptance(mediaTypes: JSONResponseSerializer.mediaTypes)) {
        self.acceptance = acceptance
    }

    /// The tree; null for an empty body or a single space, which Rails sends for none.
    public func value(of response: Response, body: Bytes) throws -> JSON {
        if Self.isBlank(body) { return .null }
        do {
            return try JSON(parsing: body.readableBytesView)
        } catch {
            throw SternaError(
                .decodingFailed, phase: .decode, "The answer is not valid JSON: \(error)", underlying: error)
        }
    }

    static func isBlank(_ body: Bytes) -> Bool {
        body.readableBytes == 0 || body.readableBytes == 1 && body.getInteger(at: body.readerIndex) == UInt8(ascii: " ")
    }
}

/// A `Decodable` value from JSON.
public struct DecodableResponseSerializer<Value: Decodable & Sendable>: ResponseSerializer {
    public var acceptance: Acceptance

    /// Makes the decoder for each response.
    public var makeDecoder: @Sendable () -> JSONDecoder

    public init(
        acceptance: Acceptance = Acceptance(mediaTypes: JSONResponseSerializer.mediaTypes),
        makeDecoder: @escaping @Sendable () -> JSONDecoder = { JSONDecoder() }
    ) {
        self.acceptance = acceptance
        self.makeDecoder = makeDecoder
    }

    public func value(of response: Response, body: Bytes) throws -> Value {
        try JSONDecoding.decode(Value.self, from: body, decoder: makeDecoder())
    }
}

/// Decodes `Decodable` values from JSON with errors that name the place.
public enum JSONDecoding {
    /// Throws `decodingFailed` for an empty body, text that is not JSON, or a member that does not fit.
    public static func decode<T: Decodable>(
        _ type: T.Type, from body: Bytes, decoder: JSONDecoder
    ) throws(SternaError) -> T {
        guard !JSONResponseSerializer.isBlank(body) else {
            throw SternaError(
                .decodingFailed, phase: .decode, "The answer is empty; there is no \(type) to be made of it.")
        }
        do {
            return try decoder.decode(type, from: Data(body.readableBytesView))
        } catch {
            throw SternaError(
                .decodingFailed, phase: .decode, "The answer is no \(type): \(DecodingReason.text(error))",
                underlying: error)
        }
    }
}
