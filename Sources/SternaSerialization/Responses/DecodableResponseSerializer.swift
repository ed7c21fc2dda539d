public import NIOCore
public import SternaCore
package import SternaPlatform

extension ResponseSerializer {
    /// A `Decodable` value from JSON.
    public static func decodable<T: Decodable & Sendable>(
        _ type: T.Type, _ decoding: DecodingSettings = DecodingSettings()
    ) -> Self where Self == DecodableResponseSerializer<T> {
        DecodableResponseSerializer(decoding: decoding)
    }
}

/// A `Decodable` value from JSON.
///
/// An empty body, or a single space, yields the value of an ``EmptyRepresentable`` type, such as an optional; any other type fails.
public struct DecodableResponseSerializer<Value: Decodable & Sendable>: ResponseSerializer, Codable {
    public var validation: ResponseValidation

    /// The decoding of keys, dates, data and numbers.
    public var decoding: DecodingSettings

    /// The parsing limits; five million values by default, and never more than 128 levels, since decoders recurse.
    public var limits = JSON.ParseLimits.response

    /// The changes to the body before it is decoded, in order.
    public var preprocessors: [BodyPreprocessor]

    /// Whether the text may be a single value that is neither an object nor an array; true by default.
    public var allowsFragments: Bool

    /// Makes a serializer; it accepts ``JSONResponseSerializer/mediaTypes`` by default.
    public init(
        validation: ResponseValidation = .json,
        decoding: DecodingSettings = DecodingSettings(), preprocessors: [BodyPreprocessor] = [],
        allowsFragments: Bool = true
    ) {
        self.validation = validation
        self.decoding = decoding
        self.preprocessors = preprocessors
        self.allowsFragments = allowsFragments
    }

    public func value(of response: Response, body: Bytes) throws -> Value {
        let body = try BodyPreprocessor.apply(preprocessors, to: body)
        return try JSONDecoding.decode(
            Value.self, from: body, decoding.rules, limits: limits, allowsFragments: allowsFragments)
    }
}

/// A type with a value for an empty body, as in responses to HEAD and with status 204 or 205.
public protocol EmptyRepresentable {
    /// The value for an empty body.
    static var emptyValue: Self { get }
}

extension Optional: EmptyRepresentable {
    /// Nil.
    public static var emptyValue: Wrapped? { nil }
}

extension JSON: EmptyRepresentable {
    /// Null.
    public static var emptyValue: JSON { .null }
}

/// Decodes `Decodable` values from JSON with errors that name the key path.
package enum JSONDecoding {
    /// Decodes a body with a JSONDecoder's settings; throws `decodingFailed` for text that is not JSON, or a member that does not
    /// fit.
    ///
    /// An empty body yields the value of an ``EmptyRepresentable`` type, and is an error for any other type. The body is parsed
    /// once and decoded from the tree. A subclass of JSONDecoder decodes the body itself, after its depth is checked. JSON 5 is
    /// rejected.
    package static func decode<T: Decodable>(
        _ type: T.Type, from body: Bytes, decoder: JSONDecoder, limits: JSON.ParseLimits = .response
    ) throws(SternaError) -> T {
        try decode(type, from: body, decoder: decoder, limits: limits, allowsFragments: true)
    }

    /// Decodes like the function above, with the choice whether the text may be a single value.
    package static func decode<T: Decodable>(
        _ type: T.Type, from body: Bytes, decoder: JSONDecoder, limits: JSON.ParseLimits, allowsFragments: Bool
    ) throws(SternaError) -> T {
        if let rules = JSONRules(decoder) {
            return try decode(
                type, from: body, rules, userInfo: decoder.userInfo, limits: limits, allowsFragments: allowsFragments)
        }
        if JSONResponseSerializer.isBlank(body) { return try emptyValue(type) }
        // Parsed first, since Foundation's decoder reports no position for some faults, and deep nesting overflows its stack.
        _ = try tree(for: type, body, limits, allowsFragments)
        do {
            return try decoder.decode(type, from: Data(body.readableBytesView))
        } catch {
            throw failure(error, type)
        }
    }

    static func decode<T: Decodable>(
        _ type: T.Type, from body: Bytes, _ rules: JSONRules, userInfo: [CodingUserInfoKey: Any] = [:],
        limits: JSON.ParseLimits, allowsFragments: Bool = true
    ) throws(SternaError) -> T {
        if JSONResponseSerializer.isBlank(body) { return try emptyValue(type) }
        return try decode(type, from: tree(for: type, body, limits, allowsFragments), rules, userInfo: userInfo)
    }

    /// Decodes a tree of known depth.
    static func decode<T: Decodable>(
        _ type: T.Type, from tree: JSON, _ rules: JSONRules, userInfo: [CodingUserInfoKey: Any] = [:]
    ) throws(SternaError) -> T {
        do {
            return try TreeDecoder(tree, rules, userInfo: userInfo).value(type)
        } catch {
            throw failure(error, type)
        }
    }

    private static func tree<T>(
        for type: T.Type, _ body: Bytes, _ limits: JSON.ParseLimits, _ allowsFragments: Bool
    ) throws(SternaError) -> JSON {
        var limits = limits
        if type != JSON.self { limits.depth = min(limits.depth, JSON.maximumCodableDepth) }
        return try JSONResponseSerializer.tree(of: body, limits, allowsFragments: allowsFragments)
    }

    private static func failure<T>(_ error: any Error, _ type: T.Type) -> SternaError {
        SternaError(
            .decodingFailed, phase: .decode, "The response cannot be decoded as \(type): \(CodingReason.text(error))",
            underlying: error)
    }

    /// Returns a type's value for an empty body; throws `decodingFailed` if the type has none.
    package static func emptyValue<T>(_ type: T.Type) throws(SternaError) -> T {
        if let type = T.self as? any EmptyRepresentable.Type, let value = type.emptyValue as? T { return value }
        throw SternaError(
            .decodingFailed, phase: .decode,
            "The response is empty and cannot be decoded as \(type). Ask for \(type)? if it may be empty.")
    }
}
