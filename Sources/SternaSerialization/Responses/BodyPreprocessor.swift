public import NIOCore
public import SternaCore

/// Changes a body before it is parsed.
public enum BodyPreprocessor: Sendable {
    /// Removes a leading `)]}'`, and a comma and a line break after it. Google's servers send this prefix so that a page cannot run
    /// the text as a script.
    case googlePrefix
    /// Returns the closure's result.
    case custom(@Sendable (Bytes) throws -> Bytes)

    /// Returns the body to parse; rethrows a closure's error.
    package func process(_ body: Bytes) throws -> Bytes {
        switch self {
        case .googlePrefix: Self.withoutGooglePrefix(body)
        case .custom(let change): try change(body)
        }
    }

    static func apply(_ preprocessors: [BodyPreprocessor], to body: Bytes) throws -> Bytes {
        try preprocessors.reduce(body) { try $1.process($0) }
    }

    private static func withoutGooglePrefix(_ body: Bytes) -> Bytes {
        let prefix = [UInt8](")]}'".utf8)
        guard body.readableBytesView.starts(with: prefix) else { return body }
        var rest = body
        rest.moveReaderIndex(forwardBy: prefix.count)
        for ignored in [UInt8(ascii: ","), UInt8(ascii: "\r"), UInt8(ascii: "\n")]
        where rest.getInteger(at: rest.readerIndex) == ignored {
            rest.moveReaderIndex(forwardBy: 1)
        }
        return rest
    }
}

extension BodyPreprocessor: Codable {
    private static let googleName = "googlePrefix"

    /// Decodes a preprocessor from its name.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard try container.decode(String.self) == Self.googleName else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "This is not the name of a preprocessor.")
        }
        self = .googlePrefix
    }

    /// Encodes the name; throws `EncodingError.invalidValue` for a closure.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        guard case .googlePrefix = self else {
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(
                    codingPath: encoder.codingPath, debugDescription: "A closure cannot be archived."))
        }
        try container.encode(Self.googleName)
    }
}
