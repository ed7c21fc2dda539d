public import NIOCore
public import SternaCore

extension ResponseSerializer where Self == JSONResponseSerializer {
    /// A JSON tree.
    public static var json: JSONResponseSerializer { JSONResponseSerializer() }
}

/// A JSON tree.
public struct JSONResponseSerializer: ResponseSerializer, Codable {
    /// The media types that AFNetworking takes for JSON.
    public static let mediaTypes: Set<String> = Set(sortedMediaTypes)

    static let sortedMediaTypes = ["application/json", "text/javascript", "text/json"]

    /// Those, and every type with the suffix `+json` (RFC 6839), as problem details and JSON:API have.
    public static let mediaTypesWithSuffix: Set<String> = mediaTypes.union(["*/*+json"])

    public var acceptance: Acceptance

    /// Whether null members and elements are removed at every level, `[null]` to `[]`; no by default.
    public var removesNulls: Bool

    /// Whether a value that is neither an object nor an array may be the whole text, as RFC 8259 has it; yes by default.
    /// When false, one is refused, as AFNetworking and JSONSerialization refuse it. An empty body is null all the same.
    public var allowsFragments: Bool

    /// What the text may cost; five million values by default.
    public var limits = JSON.ParseLimits.response

    /// What changes the body before it is parsed, first one first.
    public var preprocessors: [BodyPreprocessor]

    /// Makes a serializer; the default is AFNetworking's.
    public init(
        acceptance: Acceptance = .json, removesNulls: Bool = false,
        preprocessors: [BodyPreprocessor] = [], allowsFragments: Bool = true
    ) {
        self.acceptance = acceptance
        self.allowsFragments = allowsFragments
        self.removesNulls = removesNulls
        self.preprocessors = preprocessors
    }

    /// The tree; null for an empty body or a single space, which Rails sends for none.
    ///
    /// Throws `decodingFailed` with the place for text that is not JSON.
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
                .decodingFailed, phase: .decode, "The answer is not valid JSON: \(error)", underlying: error)
        }
        switch tree {
        case .array, .object: return tree
        default:
            if allowsFragments { return tree }
            throw SternaError(
                .decodingFailed, phase: .decode,
                "The answer is neither a JSON object nor an array; set allowsFragments to take other values.")
        }
    }

    static func isBlank(_ body: Bytes) -> Bool {
        body.readableBytes == 0 || body.readableBytes == 1 && body.getInteger(at: body.readerIndex) == UInt8(ascii: " ")
    }
}

extension JSON {
    /// The tree without null members and elements at any level; null itself stays at the top.
    public func removingNulls() -> JSON {
        switch self {
        case .array(let elements):
            // A loop, as closures would take several times as much stack for each level.
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
