import HTTPTypes
public import NIOCore
public import SternaCore
public import SternaPlatform

/// Makes a value of a response and its body, and says which responses it takes.
///
/// A serializer is a value; those without closures can be archived with `Codable`. One of your own:
///
///     struct CSVResponseSerializer: ResponseSerializer {
///         var acceptance = Acceptance(mediaTypes: ["text/csv"])
///
///         func value(of response: Response, body: Bytes) throws -> [[Substring]] {
///             body.text.split(separator: "\n").map { $0.split(separator: ",") }
///         }
///     }
public protocol ResponseSerializer<Value>: Sendable {
    associatedtype Value: Sendable

    /// The statuses and media types that are no error.
    var acceptance: Acceptance { get }

    /// Whether the value is made of the body's bytes without reading what they say, so that a body in an unknown content coding will
    /// do; no unless a serializer says so.
    ///
    /// A server may send a coding that was not asked for, or a Content-Encoding that is none, such as `utf-8`. The body is then left as
    /// it came, with its field. For a serializer that reads it, that is `contentCodingFailed`.
    var takesUnknownCodings: Bool { get }

    /// Makes the value; called once the response was accepted. Throws `decodingFailed`.
    func value(of response: Response, body: Bytes) throws -> Value

    /// Refuses a response for another reason than its status or media type, by throwing; does nothing unless a serializer
    /// says so.
    func validate(_ response: Response, body: Bytes) throws
}

extension ResponseSerializer {
    public var takesUnknownCodings: Bool { false }

    public func validate(_ response: Response, body: Bytes) throws {}

    /// The longest body, in bytes, of a refused answer that is read for the error's value.
    private static var largestErrorBody: Int { 1 << 20 }

    /// Judges a response and makes its value: AFNetworking's `responseObjectForResponse`.
    ///
    /// Throws `unacceptableStatus`, with the value where one could be made in spite of it, `unacceptableMediaType`,
    /// `unacceptableResponse`, or `decodingFailed`; each carries the response and the body.
    public func serialize(_ response: Response, body: Bytes) throws(SternaError) -> Value {
        try judge(response, body: body)
        if let error = acceptance.checkMediaType(response, body: body) { throw error }
        return try unjudgedValue(of: response, body: body)
    }

    /// Throws for a status that is not accepted, or for what ``validate(_:body:)`` refuses.
    package func judge(_ response: Response, body: Bytes) throws(SternaError) {
        if !acceptance.statuses.contains(response.status.code), var error = acceptance.check(response, body: body) {
            if error.underlying == nil, body.readableBytes <= Self.largestErrorBody, canRead(response, body) {
                error.value = try? value(of: response, body: body)
            }
            throw error
        }
        try judgeFurther(response, body: body)
    }

    /// Throws for what ``validate(_:body:)`` refuses.
    package func judgeFurther(_ response: Response, body: Bytes) throws(SternaError) {
        do {
            try validate(response, body: body)
        } catch {
            var error = SternaError.wrap(
                error, as: .unacceptableResponse, phase: .decode, "The answer was refused: \(error)")
            error.attach(response, body)
            throw error
        }
    }

    /// The value of a response whose status was judged before; its media type is checked here.
    package func accepted(_ response: Response, body: Bytes) throws(SternaError) -> Value {
        if let error = acceptance.checkMediaType(response, body: body) { throw error }
        return try unjudgedValue(of: response, body: body)
    }

    private func canRead(_ response: Response, _ body: Bytes) -> Bool {
        !response.hasUnknownCoding || takesUnknownCodings || body.readableBytes == 0
    }

    private func unjudgedValue(of response: Response, body: Bytes) throws(SternaError) -> Value {
        guard canRead(response, body) else {
            var error = ContentCoding.unknown(response[.contentEncoding] ?? "")
            error.attach(response, body)
            throw error
        }
        do {
            return try value(of: response, body: body)
        } catch {
            var error = SternaError.wrap(
                error, as: .decodingFailed, phase: .decode, "The answer cannot be read: \(error)")
            error.attach(response, body)
            throw error
        }
    }
}

extension ResponseSerializer where Self == DataResponseSerializer {
    /// The bytes as they are, of any media type.
    public static var data: DataResponseSerializer { DataResponseSerializer() }
}

extension ResponseSerializer where Self == TextResponseSerializer {
    /// The text in the character set that Content-Type names, of any media type.
    public static var text: TextResponseSerializer { TextResponseSerializer() }

    /// The text in a character set, whatever Content-Type says, of any media type.
    public static func text(_ encoding: TextEncoding) -> TextResponseSerializer {
        TextResponseSerializer(encoding: encoding)
    }
}

/// The bytes as they are.
public struct DataResponseSerializer: ResponseSerializer, Hashable, Codable {
    public var acceptance: Acceptance

    /// Takes any media type unless told otherwise.
    public init(acceptance: Acceptance = Acceptance()) { self.acceptance = acceptance }

    public var takesUnknownCodings: Bool { true }

    public func value(of response: Response, body: Bytes) throws -> Data { Data(body.readableBytesView) }
}

/// AFNetworking's name for the serializer of bytes: a status of 200 to 299, any media type.
public typealias HTTPResponseSerializer = DataResponseSerializer
