public import NIOCore
public import SternaCore

extension ResponseSerializer {
    /// Returns a serializer that transforms this one's value. An error that the closure throws becomes the cause of a
    /// `decodingFailed`.
    public func map<T: Sendable>(_ transform: @escaping @Sendable (Value) throws -> T) -> AnyResponseSerializer<T> {
        AnyResponseSerializer(MappedResponseSerializer(base: self) { value, _ in try transform(value) })
    }

    /// Returns a serializer that transforms this one's value and the response. An error that the closure throws becomes the cause
    /// of a `decodingFailed`.
    public func map<T: Sendable>(
        _ transform: @escaping @Sendable (Value, Response) throws -> T
    ) -> AnyResponseSerializer<T> {
        AnyResponseSerializer(MappedResponseSerializer(base: self, transform: transform))
    }

    /// Returns a serializer that accepts other statuses.
    ///
    /// The first call replaces this serializer's statuses; each further call narrows them to the intersection.
    public func validating(statuses: some Sequence<Int>) -> AnyResponseSerializer<Value> {
        validating(validation.validating(statuses: statuses)) { _, _ in }
    }

    /// Returns a serializer that accepts other media types, with stars as in ``ResponseValidation/mediaTypes``; nil for all.
    ///
    /// The first call replaces this serializer's types; each further call narrows them to those that both cover.
    public func validating(mediaTypes: Set<String>?) -> AnyResponseSerializer<Value> {
        validating(validation.validating(mediaTypes: mediaTypes)) { _, _ in }
    }

    /// Returns a serializer that also rejects the responses for which the closure throws. Chained closures run in order. For a
    /// `streamTask` or a download, whose body has not arrived, they receive no bytes.
    ///
    /// An error other than a `SternaError` becomes the cause of an `unacceptableResponse`.
    public func validating(
        _ check: @escaping @Sendable (Response, Bytes) throws -> Void
    ) -> AnyResponseSerializer<Value> {
        validating(validation, check: check)
    }

    private func validating(
        _ validation: ResponseValidation, check: @escaping @Sendable (Response, Bytes) throws -> Void
    ) -> AnyResponseSerializer<Value> {
        AnyResponseSerializer(ValidatedResponseSerializer(base: self, validation: validation, check: check))
    }
}

/// A serializer that wraps another one, and forwards to it by default.
package protocol WrappingResponseSerializer: ResponseSerializer {
    var base: any ResponseSerializer { get }

    /// Whether its value differs from its base's.
    var transforms: Bool { get }

    /// Runs the closures of `validating` for a response whose body is yet to be read.
    func checkHead(_ response: Response) throws
}

extension WrappingResponseSerializer {
    package var transforms: Bool { false }

    package func checkHead(_ response: Response) throws {
        try (base as? any WrappingResponseSerializer)?.checkHead(response)
    }
}

/// A serializer that transforms another's value.
struct MappedResponseSerializer<Base: ResponseSerializer, Value: Sendable>: ResponseSerializer,
    WrappingResponseSerializer
{
    let own: Base
    let transform: @Sendable (Base.Value, Response) throws -> Value

    init(base: Base, transform: @escaping @Sendable (Base.Value, Response) throws -> Value) {
        own = base
        self.transform = transform
    }

    var base: any ResponseSerializer { own }

    var transforms: Bool { true }

    var validation: ResponseValidation { own.validation }

    var takesUnknownCodings: Bool { own.takesUnknownCodings }

    var takesLong: Bool { own.takesLong }

    func validate(_ response: Response, body: Bytes) throws { try own.validate(response, body: body) }

    func value(of response: Response, body: Bytes) throws -> Value {
        try transform(try own.value(of: response, body: body), response)
    }
}

/// A serializer that accepts other responses than its base serializer.
struct ValidatedResponseSerializer<Base: ResponseSerializer>: ResponseSerializer, WrappingResponseSerializer {
    let own: Base
    let validation: ResponseValidation
    let check: @Sendable (Response, Bytes) throws -> Void

    init(
        base: Base, validation: ResponseValidation, check: @escaping @Sendable (Response, Bytes) throws -> Void
    ) {
        own = base
        self.validation = validation
        self.check = check
    }

    var base: any ResponseSerializer { own }

    var takesUnknownCodings: Bool { own.takesUnknownCodings }

    var takesLong: Bool { own.takesLong }

    func validate(_ response: Response, body: Bytes) throws {
        try own.validate(response, body: body)
        try check(response, body)
    }

    func checkHead(_ response: Response) throws {
        try (own as? any WrappingResponseSerializer)?.checkHead(response)
        try check(response, Bytes())
    }

    func value(of response: Response, body: Bytes) throws -> Base.Value { try own.value(of: response, body: body) }
}
