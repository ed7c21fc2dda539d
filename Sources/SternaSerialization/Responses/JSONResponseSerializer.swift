public import NIOCore
public import SternaCore

extension ResponseSerializer where Self == JSONResponseSerializer {
    /// A JSON tree.
    public static var json: JSONResponseSerializer { JSONResponseSerializer() }
}

/// A JSON tree.
public struct JSONResponseSerializer: ResponseSerializer, Codable {
    /// The accepted media types for JSON: AFNetworking's, every type with the suffix `+json` (RFC 6839), such as problem details
    /// and JSON:API, and a missing Content-Type.
    public static let mediaTypes: Set<String> = Set(sortedMediaTypes)

    static let sortedMediaTypes = ["", "*/*+json", "application/json", "text/javascript", "text/json"]

    public var validation: ResponseValidation

    /// Whether null members and elements are removed at every level, `[null]` to `[]`; false by default.
    public var removesNulls: Bool

    /// Whether the text may be a single value that is neither an object nor an array, as in RFC 8259; true by default. If false,
    /// such a value is rejected, as in AFNetworking and JSONSerialization. An empty body is null in both cases.
    public var allowsFragments: Bool

    /// The parsing limits; five million values by default.
    public var limits = JSON.ParseLimits.response

    /// The changes to the body before it is parsed, in order.
    public var preprocessors: [BodyPreprocessor]

    /// Makes a serializer; it accepts ``mediaTypes`` by default.
    public init(
        validation: ResponseValidation = .json, removesNulls: Bool = false,
        preprocessors: [BodyPreprocessor] = [], allowsFragments: Bool = true
    ) {
        self.validation = validation
        self.allowsFragments = allowsFragments
        self.removesNulls = removesNulls
        self.preprocessors = preprocessors
    }

    /// Returns the tree; null for an empty body or a single space, which Rails sends for no content.
    ///
    /// Throws `decodingFailed` with the position for text that is not JSON.
    public func value(of response: Response, body: Bytes) throws -> JSON {
        let body = try BodyPreprocessor.apply(preprocessors, to: body)
        if Self.isBlank(body) { return .null }
        let tree = try Self.tree(of: body, limits, allowsFragments: allowsFragments)
        return removesNulls ? tree.removingNulls() : tree
    }

    static func tree(
        of body: Bytes, _ limits: JSON.ParseLimits, allowsFragments: Bool
    ) throws(SternaError) -> JSON {
        let tree: JSON
        do {
            tree = try JSON(parsing: body.readableBytesView, limits: limits)
        } catch {
            throw SternaError(
                .decodingFailed, phase: .decode, "The response is not valid JSON: \(error)", underlying: error)
        }
        switch tree {
        case .array, .object: return tree
        default:
            if allowsFragments { return tree }
            throw SternaError(
                .decodingFailed, phase: .decode,
                "The response is neither a JSON object nor an array; set allowsFragments to accept other values.")
        }
    }

    static func isBlank(_ body: Bytes) -> Bool {
        body.readableBytes == 0 || body.readableBytes == 1 && body.getInteger(at: body.readerIndex) == UInt8(ascii: " ")
    }
}

extension JSON {
    /// Returns the tree without null members and elements at any level; null at the top stays.
    public func removingNulls() -> JSON {
        switch self {
        case .array(let elements):
            // A loop, since closures would take several times as much stack per level.
            var kept: [JSON] = []
            kept.reserveCapacity(elements.count)
            for element in elements where !element.isNull { kept.append(element.removingNulls()) }
            return .array(kept)
        case .object(let object):
            var kept = JSON.Object()
            for (key, value) in object where !value.isNull { kept[key] = value.removingNulls() }
            return .object(kept)
        default: return self
        }
    }
}
