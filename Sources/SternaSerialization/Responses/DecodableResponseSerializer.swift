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
/// An empty body makes the value of a type that is ``EmptyRepresentable``, as optionals are; for any other it fails.
public struct DecodableResponseSerializer<Value: Decodable & Sendable>: ResponseSerializer, Codable {
    public var acceptance: Acceptance

    /// How the decoder reads keys, dates, data and numbers.
    public var decoding: DecodingSettings

    /// What the text may cost; five million values by default, and never more than 128 levels, as decoders are recursive.
    public var limits = JSON.ParseLimits.response

    /// What changes the body before it is decoded, first one first.
    public var preprocessors: [BodyPreprocessor]

    /// Whether a value that is neither an object nor an array may be the whole text; yes by default.
    public var allowsFragments: Bool

    /// Makes a serializer that takes AFNetworking's media types for JSON.
    public init(
        acceptance: Acceptance = .json,
        decoding: DecodingSettings = DecodingSettings(), preprocessors: [BodyPreprocessor] = [],
        allowsFragments: Bool = true
    ) {
        self.acceptance = acceptance
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

/// A type with a value that stands for an empty body, as 204, 205 and answers to HEAD have.
public protocol EmptyRepresentable {
    /// What an empty body means.
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

/// Decodes `Decodable` values from JSON with errors that name the place.
package enum JSONDecoding {
    /// Throws `decodingFailed` for an empty body, text that is not JSON, or a member that does not fit.
    ///
    /// An empty body makes the value of a type that is ``EmptyRepresentable``. The body is parsed once, and decoded from the
    /// tree by the decoder's choices; a subclass of JSONDecoder decodes the body itself, once its depth is known. JSON 5 is
    /// refused.
    package static func decode<T: Decodable>(
        _ type: T.Type, from body: Bytes, decoder: JSONDecoder, limits: JSON.ParseLimits = .response
    ) throws(SternaError) -> T {
        try decode(type, from: body, decoder: decoder, limits: limits, allowsFragments: true)
    }

    /// The same with a choice of what the whole text may be.
    package static func decode<T: Decodable>(
        _ type: T.Type, from body: Bytes, decoder: JSONDecoder, limits: JSON.ParseLimits, allowsFragments: Bool
    ) throws(SternaError) -> T {
        if let rules = JSONRules(decoder) {
            return try decode(
                type, from: body, rules, userInfo: decoder.userInfo, limits: limits, allowsFragments: allowsFragments)
        }
        if JSONResponseSerializer.isBlank(body) { return try emptyValue(type) }
        // Foundation's decoder names no place for some faults, and deep nesting overflows its stack.
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

    /// The value of a tree whose depth is known.
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
            .decodingFailed, phase: .decode, "The answer is no \(type): \(CodingReason.text(error))", underlying: error)
    }

    /// What an empty body means for a type; throws `decodingFailed` where it means nothing.
    static func emptyValue<T>(_ type: T.Type) throws(SternaError) -> T {
        if let type = T.self as? any EmptyRepresentable.Type, let value = type.emptyValue as? T { return value }
        throw SternaError(
            .decodingFailed, phase: .decode,
            "The answer is empty; there is no \(type) to be made of it. Ask for \(type)? where it may be.")
    }
}
