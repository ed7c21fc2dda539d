import SternaPlatform

/// The stable identifier of a transfer, the same in every process.
public struct TransferID: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The identifier as 32 hexadecimal digits in lower case.
    public let text: String

    /// Creates an identifier from 32 hexadecimal digits in lower case; returns nil for any other text.
    public init?(_ text: String) {
        guard text.utf8.count == 32, text.utf8.allSatisfy({ Self.isDigit($0) }) else { return nil }
        self.text = text
    }

    /// Creates a random identifier.
    init() {
        let digits = (0..<2).map { _ in
            let half = String(UInt64.random(in: 0 ... .max), radix: 16)
            return String(repeating: "0", count: 16 - half.utf8.count) + half
        }
        text = digits.joined()
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x61...0x66: true
        default: false
        }
    }

    public var description: String { text }

    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let id = Self(text) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "It is not the identifier of a transfer."))
        }
        self = id
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
