public import NIOCore
public import SternaCore

extension ResponseSerializer {
    /// Returns a serializer that transforms this one's value.
    public func map<T: Sendable>(_ transform: @escaping @Sendable (Value) -> T) -> MappedResponseSerializer<Self, T> {
        MappedResponseSerializer(base: self) { value, _ in transform(value) }
    }

    /// Returns a serializer that transforms this one's value or throws; the error becomes the cause of a
    /// `decodingFailed`.
    public func tryMap<T: Sendable>(
        _ transform: @escaping @Sendable (Value) throws -> T
    ) -> MappedResponseSerializer<Self, T> {
        MappedResponseSerializer(base: self) { value, _ in try transform(value) }
    }

    /// Returns a serializer that transforms this one's value and the response, or throws.
    public func tryMap<T: Sendable>(
        _ transform: @escaping @Sendable (Value, Response) throws -> T
    ) -> MappedResponseSerializer<Self, T> {
        MappedResponseSerializer(base: self, transform: transform)
    }

    /// Returns a serializer that accepts other statuses.
    ///
    /// The first call replaces this serializer's statuses; each further call narrows them to the intersection.
    public func validating(statuses: some Sequence<Int>) -> ValidatedResponseSerializer<Self> {
        ValidatedResponseSerializer(base: self, validation: validation.validating(statuses: statuses)) { _, _ in }
    }

    /// Returns a serializer that accepts other media types, with stars as in ``ResponseValidation/mediaTypes``; nil for all.
    ///
    /// The first call replaces this serializer's types; each further call narrows them to those that both cover.
    public func validating(mediaTypes: Set<String>?) -> ValidatedResponseSerializer<Self> {
        ValidatedResponseSerializer(base: self, validation: validation.validating(mediaTypes: mediaTypes)) { _, _ in }
    }

    /// Returns a serializer that also rejects the responses for which the closure throws. Chained closures run in order. For a
    /// `streamTask` or a download, whose body has not arrived, they receive no bytes.
    ///
    /// An error other than a `SternaError` becomes the cause of an `unacceptableResponse`.
    public func validating(
        _ check: @escaping @Sendable (Response, Bytes) throws -> Void
    ) -> ValidatedResponseSerializer<Self> {
        ValidatedResponseSerializer(base: self, validation: validation, check: check)
    }
}

/// The same for `any ResponseSerializer<Value>`, where the concrete type is unknown.
extension ResponseSerializer {
    /// Returns a serializer that transforms this one's value.
    @_disfavoredOverload
    public func map<T: Sendable>(_ transform: @escaping @Sendable (Value) -> T) -> any ResponseSerializer<T> {
        MappedResponseSerializer(base: self) { value, _ in transform(value) }
    }

    /// Returns a serializer that transforms this one's value or throws; the error becomes the cause of a
    /// `decodingFailed`.
    @_disfavoredOverload
    public func tryMap<T: Sendable>(
        _ transform: @escaping @Sendable (Value) throws -> T
    ) -> any ResponseSerializer<T> {
        MappedResponseSerializer(base: self) { value, _ in try transform(value) }
    }

    /// Returns a serializer that transforms this one's value and the response, or throws.
    @_disfavoredOverload
    public func tryMap<T: Sendable>(
        _ transform: @escaping @Sendable (Value, Response) throws -> T
    ) -> any ResponseSerializer<T> {
        MappedResponseSerializer(base: self, transform: transform)
    }

    /// Returns a serializer that accepts other statuses; chained calls narrow them.
    @_disfavoredOverload
    public func validating(statuses: some Sequence<Int>) -> any ResponseSerializer<Value> {
        ValidatedResponseSerializer(base: self, validation: validation.validating(statuses: statuses)) { _, _ in }
    }

    /// Returns a serializer that accepts other media types; chained calls narrow them.
    @_disfavoredOverload
    public func validating(mediaTypes: Set<String>?) -> any ResponseSerializer<Value> {
        ValidatedResponseSerializer(base: self, validation: validation.validating(mediaTypes: mediaTypes)) { _, _ in }
    }

    /// Returns a serializer that also rejects the responses for which the closure throws.
    @_disfavoredOverload
    public func validating(
        _ check: @escaping @Sendable (Response, Bytes) throws -> Void
    ) -> any ResponseSerializer<Value> {
        ValidatedResponseSerializer(base: self, validation: validation, check: check)
    }
}

/// A serializer that wraps another one, and forwards to it by default.
package protocol WrappingResponseSerializer: ResponseSerializer {
    associatedtype Base: ResponseSerializer
    var base: Base { get }

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
public struct MappedResponseSerializer<Base: ResponseSerializer, Value: Sendable>: ResponseSerializer,
    WrappingResponseSerializer
{
    package let base: Base
    let transform: @Sendable (Base.Value, Response) throws -> Value

    package var transforms: Bool { true }

    public var validation: ResponseValidation { base.validation }

    public var takesUnknownCodings: Bool { base.takesUnknownCodings }

    public var takesLong: Bool { base.takesLong }

    public func validate(_ response: Response, body: Bytes) throws { try base.validate(response, body: body) }

    public func value(of response: Response, body: Bytes) throws -> Value {
        try transform(try base.value(of: response, body: body), response)
    }
}

/// A serializer that accepts other responses than its base serializer.
public struct ValidatedResponseSerializer<Base: ResponseSerializer>: ResponseSerializer, WrappingResponseSerializer {
    package let base: Base
    public var validation: ResponseValidation
    let check: @Sendable (Response, Bytes) throws -> Void

    public var takesUnknownCodings: Bool { base.takesUnknownCodings }

    public var takesLong: Bool { base.takesLong }

    public func validate(_ response: Response, body: Bytes) throws {
        try base.validate(response, body: body)
        try check(response, body)
    }

    package func checkHead(_ response: Response) throws {
        try (base as? any WrappingResponseSerializer)?.checkHead(response)
        try check(response, Bytes())
    }

    public func value(of response: Response, body: Bytes) throws -> Base.Value {
        try base.value(of: response, body: body)
    }
}
