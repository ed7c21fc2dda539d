import SternaPlatform

extension JSON {
    /// The maximum depth of nested containers that `Codable` decodes and encodes.
    ///
    /// Coders use kilobytes of stack per level, and threads may have 512 KiB.
    public static let maximumCodableDepth = 128
}

extension JSON: Codable {
    /// Decodes any tree.
    ///
    /// A number that is not whole is also requested as a `Decimal`, which keeps up to 38 digits if the decoder has
    /// them.
    ///
    /// - Throws: `DecodingError`, also for containers nested deeper than ``maximumCodableDepth``.
    public init(from decoder: any Decoder) throws {
        guard decoder.codingPath.count <= Self.maximumCodableDepth else {
            let context = DecodingError.Context(
                codingPath: decoder.codingPath,
                debugDescription: "Nested deeper than \(Self.maximumCodableDepth) levels.")
            throw DecodingError.dataCorrupted(context)
        }
        if let decoder = decoder as? TreeDecoder<JSON> {
            self = decoder.tree
        } else if let container = try? decoder.container(keyedBy: TreeKey.self) {
            var object = Object()
            for key in container.allKeys {
                object.set(try container.decode(JSON.self, forKey: key), for: key.stringValue)
            }
            self = .object(object)
        } else if var container = try? decoder.unkeyedContainer() {
            var elements: [JSON] = []
            while !container.isAtEnd { elements.append(try container.decode(JSON.self)) }
            self = .array(elements)
        } else {
            self = try Self.scalar(in: decoder.singleValueContainer())
        }
    }

    private static func scalar(in container: any SingleValueDecodingContainer) throws -> JSON {
        if container.decodeNil() { return .null }
        if let value = try? container.decode(Bool.self) { return .bool(value) }
        if let value = try? container.decode(Int64.self) { return .number(Number(value)) }
        if let value = try? container.decode(UInt64.self) { return .number(Number(value)) }
        if let value = try? container.decode(Double.self) {
            if let decimal = try? container.decode(Decimal.self), let number = Number(literal: decimal.description) {
                return .number(number)
            }
            return .number(Number(value))
        }
        return .string(try container.decode(String.self))
    }

    /// Encodes the tree.
    ///
    /// - Throws: `EncodingError` for a number that neither a 64-bit integer, a `Double` nor a `Decimal` can represent, and for
    ///   containers nested deeper than ``maximumCodableDepth``. Rethrows the encoder's errors.
    public func encode(to encoder: any Encoder) throws {
        guard encoder.codingPath.count <= Self.maximumCodableDepth else {
            throw invalid(encoder.codingPath, "Nested deeper than \(Self.maximumCodableDepth) levels.")
        }
        switch self {
        case .object(let object):
            var container = encoder.container(keyedBy: TreeKey.self)
            for (key, value) in object { try container.encode(value, forKey: TreeKey(stringValue: key)) }
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .bool(let value):
            var container = encoder.singleValueContainer()
            try container.encode(value)
        case .string(let value):
            var container = encoder.singleValueContainer()
            try container.encode(value)
        case .number(let number):
            var container = encoder.singleValueContainer()
            switch number.storage {
            case .int(let value): try container.encode(value)
            case .uint(let value): try container.encode(value)
            case .double(let value): try container.encode(value)
            case .text(let text):
                guard let decimal = Decimal(string: text), Number(literal: decimal.description) == number else {
                    throw invalid(encoder.codingPath, "The number has too many digits for the encoder.")
                }
                try container.encode(decimal)
            }
        }
    }

    private func invalid(_ path: [any CodingKey], _ description: String) -> EncodingError {
        EncodingError.invalidValue(self, EncodingError.Context(codingPath: path, debugDescription: description))
    }
}
