public import NIOCore
public import SternaCore

extension ResponseSerializer {
    /// A serializer that makes another value of this one's.
    public func map<T: Sendable>(_ transform: @escaping @Sendable (Value) -> T) -> MappedResponseSerializer<Self, T> {
        MappedResponseSerializer(base: self) { value, _ in transform(value) }
    }

    /// A serializer that makes another value of this one's, or throws; the error is the cause of a `decodingFailed`.
    public func tryMap<T: Sendable>(
        _ transform: @escaping @Sendable (Value) throws -> T
    ) -> MappedResponseSerializer<Self, T> {
        MappedResponseSerializer(base: self) { value, _ in try transform(value) }
    }

    /// A serializer that makes another value of this one's and of the response, or throws.
    public func tryMap<T: Sendable>(
        _ transform: @escaping @Sendable (Value, Response) throws -> T
    ) -> MappedResponseSerializer<Self, T> {
        MappedResponseSerializer(base: self, transform: transform)
    }

    /// A serializer that takes other statuses.
    ///
    /// Chained calls all hold: the first replaces the statuses that this serializer takes, and each further one leaves
    /// those that both name.
    public func validating(statuses: some Sequence<Int>) -> ValidatedResponseSerializer<Self> {
        ValidatedResponseSerializer(base: self, acceptance: acceptance.validating(statuses: statuses)) { _, _ in }
    }

    /// A serializer that takes other media types, with stars as in ``Acceptance/mediaTypes``; nil for all.
    ///
    /// Chained calls all hold: the first replaces the types that this serializer takes, and each further one leaves those
    /// that both cover.
    public func validating(mediaTypes: Set<String>?) -> ValidatedResponseSerializer<Self> {
        ValidatedResponseSerializer(base: self, acceptance: acceptance.validating(mediaTypes: mediaTypes)) { _, _ in }
    }

    /// A serializer that also refuses the responses for which the closure throws. Chained closures all run, the first
    /// one first.
    ///
    /// An error of another type becomes the cause of an `unacceptableResponse`.
    public func validating(
        _ check: @escaping @Sendable (Response, Bytes) throws -> Void
    ) -> ValidatedResponseSerializer<Self> {
        ValidatedResponseSerializer(base: self, acceptance: acceptance, check: check)
    }
}

/// The same for `any ResponseSerializer<Value>`, whose own type is not known where it is called.
extension ResponseSerializer {
    /// A serializer that makes another value of this one's.
    @_disfavoredOverload
    public func map<T: Sendable>(_ transform: @escaping @Sendable (Value) -> T) -> any ResponseSerializer<T> {
        MappedResponseSerializer(base: self) { value, _ in transform(value) }
    }

    /// A serializer that makes another value of this one's, or throws; the error is the cause of a `decodingFailed`.
    @_disfavoredOverload
    public func tryMap<T: Sendable>(
        _ transform: @escaping @Sendable (Value) throws -> T
    ) -> any ResponseSerializer<T> {
        MappedResponseSerializer(base: self) { value, _ in try transform(value) }
    }

    /// A serializer that makes another value of this one's and of the response, or throws.
    @_disfavoredOverload
    public func tryMap<T: Sendable>(
        _ transform: @escaping @Sendable (Value, Response) throws -> T
    ) -> any ResponseSerializer<T> {
        MappedResponseSerializer(base: self, transform: transform)
    }

    /// A serializer that takes other statuses; chained calls all hold.
    @_disfavoredOverload
    public func validating(statuses: some Sequence<Int>) -> any ResponseSerializer<Value> {
        ValidatedResponseSerializer(base: self, acceptance: acceptance.validating(statuses: statuses)) { _, _ in }
    }

    /// A serializer that takes other media types; chained calls all hold.
    @_disfavoredOverload
    public func validating(mediaTypes: Set<String>?) -> any ResponseSerializer<Value> {
        ValidatedResponseSerializer(base: self, acceptance: acceptance.validating(mediaTypes: mediaTypes)) { _, _ in }
    }

    /// A serializer that also refuses the responses for which the closure throws.
    @_disfavoredOverload
    public func validating(
        _ check: @escaping @Sendable (Response, Bytes) throws -> Void
    ) -> any ResponseSerializer<Value> {
        ValidatedResponseSerializer(base: self, acceptance: acceptance, check: check)
    }
}

/// A serializer around another; what it does not change is the other's.
package protocol WrappingResponseSerializer: ResponseSerializer {
    associatedtype Base: ResponseSerializer
    var base: Base { get }
}

/// A serializer whose value is made of another's.
public struct MappedResponseSerializer<Base: ResponseSerializer, Value: Sendable>: ResponseSerializer,
    WrappingResponseSerializer
{
    package let base: Base
    let transform: @Sendable (Base.Value, Response) throws -> Value

    public var acceptance: Acceptance { base.acceptance }

    public var takesUnknownCodings: Bool { base.takesUnknownCodings }

    public func validate(_ response: Response, body: Bytes) throws { try base.validate(response, body: body) }

    public func value(of response: Response, body: Bytes) throws -> Value {
        try transform(try base.value(of: response, body: body), response)
    }
}

/// A serializer that takes other responses than the one it is made of.
public struct ValidatedResponseSerializer<Base: ResponseSerializer>: ResponseSerializer, WrappingResponseSerializer {
    package let base: Base
    public var acceptance: Acceptance
    let check: @Sendable (Response, Bytes) throws -> Void

    public var takesUnknownCodings: Bool { base.takesUnknownCodings }

    public func validate(_ response: Response, body: Bytes) throws {
        try base.validate(response, body: body)
        try check(response, body)
    }

    public func value(of response: Response, body: Bytes) throws -> Base.Value {
        try base.value(of: response, body: body)
    }
}
