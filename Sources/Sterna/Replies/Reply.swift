public import HTTPTypes
public import NIOCore
public import SternaCore
public import SternaPlatform
public import SternaSerialization

/// A response with a collected body, accepted by the session's response serializer.
///
/// The methods that decode a value come in two forms. The asynchronous ones leave the caller's actor and the event loop for a body
/// of 64 KiB or more. The synchronous ones, for callbacks, run where they are called.
public struct Reply: Sendable {
    /// The response, with its complete body.
    public let response: Response

    /// The body's bytes.
    public let body: Bytes

    private let plan: SessionPlan

    /// The request's own serializer, if any.
    private let ownSerializer: (any ResponseSerializer)?

    private var serializer: any ResponseSerializer { ownSerializer ?? plan.settings.responseSerializer }
    private var decoding: DecodingSettings { plan.settings.decoding }

    init(_ response: Response, body: Bytes, plan: SessionPlan, ownSerializer: (any ResponseSerializer)?) {
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

    /// The URL that answered, after redirects.
    public var url: HTTPURL { response.url }

    /// The body's bytes as Foundation's type.
    public func data() -> Data {
        body.withUnsafeReadableBytes { Data($0) }
    }

    // MARK: Values

    /// Decodes the body as a JSON tree; null for an empty one.
    ///
    /// Throws `unacceptableMediaType` or `decodingFailed`.
    public func json() throws(SternaError) -> JSON { try make(by: own(JSONResponseSerializer())) }

    /// Decodes the body as text in the character set of Content-Type, otherwise UTF-8; throws `decodingFailed`.
    public func text() throws(SternaError) -> String { try make(by: own(TextResponseSerializer())) }

    /// Decodes the body as a `Decodable` value, from JSON. Throws `unacceptableMediaType`, or `decodingFailed`, which names the
    /// member that did not fit.
    ///
    /// - Parameter decoder: a decoder to use instead of one made from the session's ``SessionSettings/decoding``.
    public func decode<T: Decodable & Sendable>(
        _ type: T.Type = T.self, decoder: JSONDecoder? = nil
    ) throws(SternaError) -> T {
        let json = own(JSONResponseSerializer())
        guard let decoder else {
            var serializer = DecodableResponseSerializer<T>(
                validation: json.validation, decoding: decoding, preprocessors: json.preprocessors,
                allowsFragments: json.allowsFragments)
            serializer.limits = json.limits
            return try make(by: serializer)
        }
        return try make(by: GivenDecoder<T>(json: json, decoder: decoder))
    }

    /// Decodes the body as a property list in XML or in the binary form; nil for an empty one.
    ///
    /// Throws `unacceptableMediaType` or `decodingFailed`.
    public func propertyList() throws(SternaError) -> PropertyList? {
        try make(by: own(PropertyListResponseSerializer()))
    }

    /// Decodes the body with a response serializer; throws its errors.
    ///
    /// The request's own serializer has already checked the status; this one checks the media type.
    public func value<S: ResponseSerializer>(by serializer: S) throws(SternaError) -> S.Value {
        try serializer.judgeFurther(response, body: body)
        return try make(by: serializer)
    }

    // MARK: Values, off the caller's actor

    /// Decodes the body as a JSON tree; see the form without `await`.
    public func json() async throws(SternaError) -> JSON {
        try await elsewhere { () throws(SternaError) in try json() }
    }

    /// Decodes the body as text; see the form without `await`.
    public func text() async throws(SternaError) -> String {
        try await elsewhere { () throws(SternaError) in try text() }
    }

    /// Decodes the body as a `Decodable` value; see the form without `await`.
    public func decode<T: Decodable & Sendable>(
        _ type: T.Type = T.self, decoder: JSONDecoder? = nil
    ) async throws(SternaError) -> T {
        try await elsewhere { () throws(SternaError) in try decode(type, decoder: decoder) }
    }

    /// Decodes the body as a property list; see the form without `await`.
    public func propertyList() async throws(SternaError) -> PropertyList? {
        try await elsewhere { () throws(SternaError) in try propertyList() }
    }

    /// Decodes the body with a response serializer; see the form without `await`.
    public func value<S: ResponseSerializer>(by serializer: S) async throws(SternaError) -> S.Value {
        try await elsewhere(always: serializer.takesLong) { () throws(SternaError) in try value(by: serializer) }
    }

    // MARK: How

    /// Below this many bytes, decoding costs less than a switch to another thread.
    private static let largeBody = 64 << 10

    private func elsewhere<T: Sendable>(
        always: Bool = false, _ work: @Sendable () throws(SternaError) -> T
    ) async throws(SternaError) -> T {
        guard always || body.readableBytes >= Self.largeBody else { return try work() }
        return try await Elsewhere.run(work)
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

    /// Returns the request's serializer if it has this type, or is built on one; otherwise the given one.
    private func own<S: ResponseSerializer>(_ standard: S) -> S where S: ValidationSetting {
        var candidate: any ResponseSerializer = serializer
        while let wrapping = candidate as? any WrappingResponseSerializer {
            candidate = wrapping.base
        }
        guard var found = candidate as? S else { return standard }
        found.validation = serializer.validation
        return found
    }
}

extension Reply: CustomReflectable {
    /// The response without credentials, and the length of the body.
    public var customMirror: Mirror {
        Mirror(self, children: ["response": response, "bodyLength": body.readableBytes], displayStyle: .struct)
    }
}

/// A serializer whose validation can be set.
private protocol ValidationSetting {
    var validation: ResponseValidation { get set }
}

extension JSONResponseSerializer: ValidationSetting {}
extension TextResponseSerializer: ValidationSetting {}
extension PropertyListResponseSerializer: ValidationSetting {}

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
