public import NIOCore
public import SternaCore
import SternaPlatform
public import SternaSerialization

extension ResponseSerializer where Self == PropertyListResponseSerializer {
    /// A property list as a tree; nil for an empty body.
    public static var propertyList: PropertyListResponseSerializer { PropertyListResponseSerializer() }
}

extension ResponseSerializer {
    /// A `Decodable` value from a property list.
    public static func propertyList<T: Decodable & Sendable>(_ type: T.Type) -> Self
    where Self == DecodablePropertyListResponseSerializer<T> {
        DecodablePropertyListResponseSerializer()
    }
}

/// Parses a property list, in XML or binary form, into a tree.
public struct PropertyListResponseSerializer: ResponseSerializer, Hashable, Codable {
    /// The media type that AFNetworking accepts for property lists.
    public static let mediaTypes: Set<String> = ["application/x-plist"]

    public var validation: ResponseValidation

    /// The parsing limits; five million values by default.
    public var limits = PropertyList.ParseLimits.response

    /// Makes a serializer that accepts AFNetworking's media type for property lists by default.
    public init(
        validation: ResponseValidation = ResponseValidation(mediaTypes: PropertyListResponseSerializer.mediaTypes)
    ) {
        self.validation = validation
    }

    /// Returns the tree, or nil for an empty body.
    ///
    /// Throws `decodingFailed` with the position for a body that is not a property list.
    public func value(of response: Response, body: Bytes) throws -> PropertyList? {
        guard body.readableBytes > 0 else { return nil }
        return try Self.tree(body, limits)
    }

    static func tree(_ body: Bytes, _ limits: PropertyList.ParseLimits) throws(SternaError) -> PropertyList {
        do {
            return try PropertyList(parsing: body.readableBytesView, limits: limits)
        } catch {
            throw SternaError(
                .decodingFailed, phase: .decode, "The response is not a valid property list: \(error)",
                underlying: error)
        }
    }
}

/// Decodes a `Decodable` value from a property list in XML or binary form.
///
/// An empty body yields the value of an ``SternaSerialization/EmptyRepresentable`` type, such as an optional; any other type fails.
public struct DecodablePropertyListResponseSerializer<Value: Decodable & Sendable>: ResponseSerializer, Codable {
    public var validation: ResponseValidation

    /// The parsing limits; five million values by default, and never more than 128 levels, since decoders recurse.
    public var limits = PropertyList.ParseLimits.response

    /// Makes a serializer that accepts AFNetworking's media type for property lists.
    public init(
        validation: ResponseValidation = ResponseValidation(mediaTypes: PropertyListResponseSerializer.mediaTypes)
    ) {
        self.validation = validation
    }

    public func value(of response: Response, body: Bytes) throws -> Value {
        if body.readableBytes == 0 { return try JSONDecoding.emptyValue(Value.self) }
        var limits = limits
        limits.depth = min(limits.depth, JSON.maximumCodableDepth)
        let tree = try PropertyListResponseSerializer.tree(body, limits)
        do {
            return try TreeDecoder(tree, PropertyList.Rules()).value(Value.self)
        } catch {
            throw SternaError(
                .decodingFailed, phase: .decode,
                "The response cannot be decoded as \(Value.self): \(CodingReason.text(error))",
                underlying: error)
        }
    }
}

extension PropertyListResponseSerializer: FormatResponseSerializer {
    package var tree: PropertyListResponseSerializer { self }

    package func decoding<T: Decodable & Sendable>(
        _ type: T.Type, _ validation: ResponseValidation, _ decoding: DecodingSettings
    ) -> any ResponseSerializer<T> {
        var serializer = DecodablePropertyListResponseSerializer<T>(validation: validation)
        serializer.limits = limits
        return serializer
    }
}

extension DecodablePropertyListResponseSerializer: FormatResponseSerializer {
    package var tree: PropertyListResponseSerializer {
        var serializer = PropertyListResponseSerializer(validation: validation)
        serializer.limits = limits
        return serializer
    }

    package func decoding<T: Decodable & Sendable>(
        _ type: T.Type, _ validation: ResponseValidation, _ decoding: DecodingSettings
    ) -> any ResponseSerializer<T> {
        tree.decoding(type, validation, decoding)
    }
}
