public import FoundationEssentials
public import NIOCore
public import SternaCore

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

    /// Makes a serializer that takes AFNetworking's media types for JSON.
    public init(
        acceptance: Acceptance = .json,
        decoding: DecodingSettings = DecodingSettings(), preprocessors: [BodyPreprocessor] = []
    ) {
        self.acceptance = acceptance
        self.decoding = decoding
        self.preprocessors = preprocessors
    }

    public func value(of response: Response, body: Bytes) throws -> Value {
        let body = try BodyPreprocessor.apply(preprocessors, to: body)
        return try JSONDecoding.decode(Value.self, from: body, decoder: decoding.decoder(), limits: limits)
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
public enum JSONDecoding {
    /// Throws `decodingFailed` for an empty body, text that is not JSON, or a member that does not fit.
    ///
    /// An empty body makes the value of a type that is ``EmptyRepresentable``.
    public static func decode<T: Decodable>(
        _ type: T.Type, from body: Bytes, decoder: JSONDecoder, limits: JSON.ParseLimits = .response
    ) throws(SternaError) -> T {
        if JSONResponseSerializer.isBlank(body) { return try emptyValue(type) }
        do {
            // Foundation's decoder takes a trailing comma, and names no place for some faults.
            var limits = limits
            if T.self != JSON.self { limits.depth = min(limits.depth, JSON.maximumCodableDepth) }
            let tree = try JSON(parsing: body.readableBytesView, limits: limits)
            if let tree = tree as? T { return tree }
        } catch {
            throw SternaError(
                .decodingFailed, phase: .decode, "The answer is not valid JSON: \(error)", underlying: error)
        }
        do {
            return try decoder.decode(type, from: Data(body.readableBytesView))
        } catch {
            throw SternaError(
                .decodingFailed, phase: .decode, "The answer is no \(type): \(CodingReason.text(error))",
                underlying: error)
        }
    }
    /// What an empty body means for a type; throws `decodingFailed` where it means nothing.
    static func emptyValue<T>(_ type: T.Type) throws(SternaError) -> T {
        if let type = T.self as? any EmptyRepresentable.Type, let value = type.emptyValue as? T { return value }
        throw SternaError(
            .decodingFailed, phase: .decode,
            "The answer is empty; there is no \(type) to be made of it. Ask for \(type)? where it may be.")
    }
}
