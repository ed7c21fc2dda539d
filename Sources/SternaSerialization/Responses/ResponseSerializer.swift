import HTTPTypes
public import NIOCore
public import SternaCore
public import SternaPlatform

/// Makes a value from a response and its body, and defines which responses it accepts.
///
/// A serializer is a value; one without closures can be archived with `Codable`. A custom one:
///
///     struct CSVResponseSerializer: ResponseSerializer {
///         var validation = ResponseValidation(mediaTypes: ["text/csv"])
///
///         func value(of response: Response, body: Bytes) throws -> [[Substring]] {
///             body.text.split(separator: "\n").map { $0.split(separator: ",") }
///         }
///     }
public protocol ResponseSerializer<Value>: Sendable {
    associatedtype Value: Sendable

    /// The acceptable statuses and media types.
    var validation: ResponseValidation { get }

    /// Whether the value consists of the body's bytes without interpretation, so that an unknown content coding is acceptable;
    /// false by default.
    ///
    /// A server may send a coding that the request did not accept, or an invalid Content-Encoding such as `utf-8`. The body then
    /// stays as received, with its field. A serializer that interprets it fails with `contentCodingFailed`.
    var takesUnknownCodings: Bool { get }

    /// Whether even small bodies take long, as images do, so that the value is not made on the caller's executor; false by default.
    var takesLong: Bool { get }

    /// Makes the value of an accepted response. Throws `decodingFailed`.
    func value(of response: Response, body: Bytes) throws -> Value

    /// Rejects a response, by throwing, for a reason other than its status or media type; does nothing by default.
    func validate(_ response: Response, body: Bytes) throws
}

extension ResponseSerializer {
    public var takesUnknownCodings: Bool { false }

    public var takesLong: Bool { false }

    public func validate(_ response: Response, body: Bytes) throws {}

    /// The maximum length of a rejected response's body, in bytes, from which the error's value is made.
    private static var largestErrorBody: Int { 1 << 20 }

    /// Checks a response and makes its value; the counterpart of AFNetworking's `responseObjectForResponse`.
    ///
    /// Throws `unacceptableStatus`, with the value if one can still be made, `unacceptableMediaType`,
    /// `unacceptableResponse`, or `decodingFailed`; each carries the response and the body.
    public func serialize(_ response: Response, body: Bytes) throws(SternaError) -> Value {
        try judge(response, body: body)
        if let error = validation.checkMediaType(response, body: body) { throw error }
        return try unjudgedValue(of: response, body: body)
    }

    /// Throws for an unacceptable status, or if ``validate(_:body:)`` throws.
    package func judge(_ response: Response, body: Bytes) throws(SternaError) {
        if !validation.accepts(status: response.status.code), var error = validation.check(response, body: body) {
            if error.underlying == nil, body.readableBytes <= Self.largestErrorBody, canRead(response, body) {
                error.value = try? value(of: response, body: body)
            }
            throw error
        }
        try judgeFurther(response, body: body)
    }

    /// Throws if ``validate(_:body:)`` throws.
    package func judgeFurther(_ response: Response, body: Bytes) throws(SternaError) {
        do {
            try validate(response, body: body)
        } catch {
            throw Self.refusal(error, response, body)
        }
    }

    /// Checks a response with an acceptable status whose body is read in pieces. Checks the media type if `validating` has set it,
    /// or if the serializer's value is bytes or text, like the pieces; then runs the closures of `validating`.
    package func judgeHead(_ response: Response) throws(SternaError) {
        let hasBody = response.body.length != 0
        if validation.validatesTypes || readsPieces, hasBody, let error = validation.typeError(response, body: Bytes())
        {
            throw error
        }
        do {
            try (self as? any WrappingResponseSerializer)?.checkHead(response)
        } catch {
            throw Self.refusal(error, response, Bytes())
        }
    }

    private var readsPieces: Bool {
        if let wrapping = self as? any WrappingResponseSerializer { return wrapping.base.readsPieces }
        return Value.self == Data.self || Value.self == String.self
    }

    private static func refusal(_ error: any Error, _ response: Response, _ body: Bytes) -> SternaError {
        var error = SternaError.wrap(
            error, as: .unacceptableResponse, phase: .decode, "The response was refused: \(error)")
        error.attach(response, body)
        return error
    }

    /// Returns the value of a response whose status is already checked; checks its media type.
    package func accepted(_ response: Response, body: Bytes) throws(SternaError) -> Value {
        if let error = validation.checkMediaType(response, body: body) { throw error }
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
                error, as: .decodingFailed, phase: .decode, "The response cannot be read: \(error)")
            error.attach(response, body)
            throw error
        }
    }
}

extension ResponseSerializer where Self == DataResponseSerializer {
    /// The unchanged bytes, with any media type.
    public static var data: DataResponseSerializer { DataResponseSerializer() }
}

extension ResponseSerializer where Self == TextResponseSerializer {
    /// The text in Content-Type's character set, with any media type.
    public static var text: TextResponseSerializer { TextResponseSerializer() }

    /// The text in the given character set, whatever Content-Type says, with any media type.
    public static func text(_ encoding: TextEncoding) -> TextResponseSerializer {
        TextResponseSerializer(encoding: encoding)
    }
}

/// Returns the unchanged bytes.
public struct DataResponseSerializer: ResponseSerializer, Hashable, Codable {
    public var validation: ResponseValidation

    /// Makes a serializer; it accepts any media type by default.
    public init(validation: ResponseValidation = ResponseValidation()) { self.validation = validation }

    public var takesUnknownCodings: Bool { true }

    public func value(of response: Response, body: Bytes) throws -> Data { body.withUnsafeReadableBytes { Data($0) } }
}

/// AFNetworking's name for the serializer of bytes: a status of 200 to 299, any media type.
public typealias HTTPResponseSerializer = DataResponseSerializer
