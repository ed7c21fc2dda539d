public import HTTPTypes
public import NIOCore
public import SternaCore
public import SternaPlatform
public import SternaSerialization

/// A response with a collected body, accepted by the request's response serializer, or else the session's.
///
/// The methods that make a value follow the request's response serializer, else the session's, if it makes such values; otherwise
/// they use the standard one. Those that decode come in two forms. The asynchronous ones leave the caller's actor and the event
/// loop for a body of 64 KiB or more, and for serializers that take long, such as those of images. The synchronous ones, for
/// callbacks, run where they are called.
///
/// All of them throw `contentCodingFailed` for a body with an unknown content coding, unless the serializer takes the bytes as they
/// are.
public struct Reply: Sendable {
    /// The response, with its complete body.
    public let response: Response

    /// The body's bytes.
    public let body: Bytes

    private let plan: SessionPlan

    /// The request's own serializer, if any.
    private let ownSerializer: (any ResponseSerializer)?

    private var choice: SerializerChoice {
        SerializerChoice(request: ownSerializer, session: plan.settings.responseSerializer)
    }

    init(_ response: Response, body: Bytes, plan: SessionPlan, ownSerializer: (any ResponseSerializer)?) {
        var response = response
        // For errors of values, and for lines. Only settings of the session's own, since this copies the response.
        if !plan.decoding.isDefault, response.sessionDecoding == nil { response.sessionDecoding = plan.decoding }
        self.response = response
        self.body = body
        self.plan = plan
        self.ownSerializer = ownSerializer
    }

    /// The status code.
    public var status: Int { response.status.code }

    /// The header fields.
    public var headers: HTTPFields { response.headers }

    /// Where the response comes from: the network, the cache, or a validation of a stored response.
    public var source: ResponseSource { response.source }

    /// The URL of the response, after redirects.
    public var url: HTTPURL { response.url }

    // MARK: Values

    /// Returns the body's bytes as Foundation's type, by the response serializer if it makes bytes.
    ///
    /// Throws what that serializer throws: `.imageData` throws `unacceptableMediaType` for an HTML page, and `decodingFailed` for
    /// an empty body. ``body`` has the bytes unchecked.
    public func data() throws(SternaError) -> Data { try make(by: choice.data) }

    /// Decodes the body as a JSON tree; null for an empty one.
    ///
    /// Throws `unacceptableMediaType` or `decodingFailed`.
    public func json() throws(SternaError) -> JSON { try make(by: choice.json) }

    /// Decodes the body as text in the character set of Content-Type, else in that of its byte order mark, else as UTF-8. Throws
    /// `decodingFailed`, and `unacceptableMediaType` if the response serializer makes text and does not accept the media type.
    public func text() throws(SternaError) -> String { try make(by: choice.text) }

    /// Decodes the body as a `Decodable` value: from JSON, unless the response serializer decodes another format or makes this
    /// type. Throws `unacceptableMediaType`, or `decodingFailed`, which names the member that did not fit.
    ///
    /// - Parameter decoder: a decoder of JSON to use instead of the session's ``SessionSettings/decoding``.
    public func decode<T: Decodable & Sendable>(
        _ type: T.Type = T.self, decoder: JSONDecoder? = nil
    ) throws(SternaError) -> T {
        guard let decoder else { return try make(by: choice.decodable(type, plan.settings.decoding)) }
        return try make(by: GivenDecoder<T>(json: choice.jsonFormat, decoder: decoder))
    }

    /// Decodes the body with a response serializer; throws its errors.
    ///
    /// The request's serializer, or the session's, has already checked the status; this one checks the media type.
    public func value<S: ResponseSerializer>(by serializer: S) throws(SternaError) -> S.Value {
        try serializer.judgeFurther(response, body: body)
        return try make(by: serializer)
    }

    // MARK: Values, off the caller's actor

    /// Decodes the body as a JSON tree; see the form without `await`.
    public func json() async throws(SternaError) -> JSON {
        try await concurrently { () throws(SternaError) in try json() }
    }

    /// Decodes the body as text; see the form without `await`.
    public func text() async throws(SternaError) -> String {
        try await concurrently { () throws(SternaError) in try text() }
    }

    /// Decodes the body as a `Decodable` value; see the form without `await`.
    public func decode<T: Decodable & Sendable>(
        _ type: T.Type = T.self, decoder: JSONDecoder? = nil
    ) async throws(SternaError) -> T {
        try await concurrently { () throws(SternaError) in try decode(type, decoder: decoder) }
    }

    /// Decodes the body with a response serializer; see the form without `await`.
    public func value<S: ResponseSerializer>(by serializer: S) async throws(SternaError) -> S.Value {
        try await concurrently(always: serializer.takesLong) { () throws(SternaError) in try value(by: serializer) }
    }

    // MARK: How

    /// Below this many bytes, decoding costs less than a switch to another thread.
    private static let largeBody = 64 << 10

    package func concurrently<T: Sendable>(
        always: Bool = false, _ work: @Sendable () throws(SternaError) -> T
    ) async throws(SternaError) -> T {
        guard always || body.readableBytes >= Self.largeBody else { return try work() }
        return try await ConcurrentWork.run(work)
    }

    /// Decodes the value with a serializer that has already checked the response.
    func make<S: ResponseSerializer>(by serializer: S) throws(SternaError) -> S.Value {
        do {
            return try serializer.accepted(response, body: body)
        } catch {
            var error = error
            error.response = response
            error.body = body
            error.requestSent = true
            if error.url == nil { error.url = Redaction.show(response.url) }
            throw error
        }
    }

    /// Decodes the body as a tree of a module's own format: by the response serializer if it makes such trees or reads this format,
    /// otherwise by the standard one.
    package func tree<S: FormatResponseSerializer>(_ standard: S) throws(SternaError) -> S.Value {
        try make(by: choice.trees(standard))
    }

    /// Returns the tree for a callback whose call names no serializer.
    func callbackTree() throws(SternaError) -> JSON { try make(by: choice.callback) }
}

extension Reply: CustomReflectable {
    /// The response without credentials, and the length of the body.
    public var customMirror: Mirror {
        Mirror(self, children: ["response": response, "bodyLength": body.readableBytes], displayStyle: .struct)
    }
}

/// Decodes with the caller's decoder.
private struct GivenDecoder<Value: Decodable & Sendable>: ResponseSerializer {
    let json: JSONResponseSerializer
    let decoder: JSONDecoder
    var validation: ResponseValidation { json.validation }

    func value(of response: Response, body: Bytes) throws -> Value {
        let body = try json.preprocessors.reduce(body) { try $1.process($0) }
        return try JSONDecoding.decode(
            Value.self, from: body, decoder: decoder, limits: json.limits, allowsFragments: json.allowsFragments)
    }
}
