public import NIOCore
public import SternaCore

/// A serializer made of others by `map`, `validating` or `compound`, or one without a value: `.empty` and `.ignored`.
public struct AnyResponseSerializer<Value: Sendable>: ResponseSerializer, WrappingResponseSerializer {
    private let serializer: any ResponseSerializer<Value>

    package init(_ serializer: any ResponseSerializer<Value>) { self.serializer = serializer }

    package var base: any ResponseSerializer { serializer }

    public var validation: ResponseValidation { serializer.validation }

    public var takesUnknownCodings: Bool { serializer.takesUnknownCodings }

    public var takesLong: Bool { serializer.takesLong }

    public func validate(_ response: Response, body: Bytes) throws { try serializer.validate(response, body: body) }

    public func value(of response: Response, body: Bytes) throws -> Value {
        try serializer.value(of: response, body: body)
    }
}
