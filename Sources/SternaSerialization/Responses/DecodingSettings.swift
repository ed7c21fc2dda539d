public import SternaPlatform

/// Settings for reading `Decodable` values from JSON: the options of JSONDecoder, as a value.
public struct DecodingSettings: Sendable {
    /// The conversion of keys to member names.
    public enum KeyStyle: Sendable {
        /// Keeps keys unchanged.
        case asIs
        /// Reads `first_name` as `firstName`.
        case snakeCase
        /// Uses the key that the closure returns for a key's path.
        case custom(@Sendable ([any CodingKey]) -> any CodingKey)
    }

    /// The format of dates.
    public enum DateStyle: Sendable {
        /// As `Date` encodes itself: seconds since 2001.
        case deferred
        /// `2020-01-02T03:04:05Z`, with or without a fraction of a second, with any offset (RFC 3339).
        case iso8601
        /// Seconds since 1970.
        case seconds
        /// Milliseconds since 1970.
        case milliseconds
        /// Uses the date that the closure returns.
        case custom(@Sendable (any Decoder) throws -> Date)
    }

    /// The format of bytes.
    public enum DataStyle: Sendable {
        /// Base64 (RFC 4648, section 4).
        case base64
        /// Uses the bytes that the closure returns.
        case custom(@Sendable (any Decoder) throws -> Data)
    }

    /// The strings for numbers that JSON cannot represent.
    public typealias NonFiniteNumbers = (positiveInfinity: String, negativeInfinity: String, nan: String)

    /// The conversion of keys to member names; none by default.
    public var keys: KeyStyle = .asIs
    /// The format of dates; ``DateStyle/deferred`` by default.
    public var dates: DateStyle = .deferred
    /// The format of bytes; base64 by default.
    public var data: DataStyle = .base64
    /// The strings for infinities and NaN; nil, the default, accepts no such strings.
    public var nonFiniteNumbers: NonFiniteNumbers?

    /// Makes settings.
    public init(
        keys: KeyStyle = .asIs, dates: DateStyle = .deferred, data: DataStyle = .base64,
        nonFiniteNumbers: NonFiniteNumbers? = nil
    ) {
        self.keys = keys
        self.dates = dates
        self.data = data
        self.nonFiniteNumbers = nonFiniteNumbers
    }

    /// Returns a JSONDecoder with these settings.
    package func decoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        switch keys {
        case .asIs: break
        case .snakeCase: decoder.keyDecodingStrategy = .convertFromSnakeCase
        case .custom(let convert): decoder.keyDecodingStrategy = .custom(convert)
        }
        switch dates {
        case .deferred: break
        case .iso8601: decoder.dateDecodingStrategy = .custom(Self.internetDate)
        case .seconds: decoder.dateDecodingStrategy = .secondsSince1970
        case .milliseconds: decoder.dateDecodingStrategy = .millisecondsSince1970
        case .custom(let read): decoder.dateDecodingStrategy = .custom(read)
        }
        if case .custom(let read) = data { decoder.dataDecodingStrategy = .custom(read) }
        if let texts = nonFiniteNumbers {
            decoder.nonConformingFloatDecodingStrategy = .convertFromString(
                positiveInfinity: texts.positiveInfinity, negativeInfinity: texts.negativeInfinity, nan: texts.nan)
        }
        return decoder
    }

    // The decoder's own strategy rejects fractions of a second, which this library and many servers write.
    static func internetDate(_ decoder: any Decoder) throws -> Date {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        if let date = InternetDate.parse(text) { return date }
        throw DecodingError.dataCorruptedError(
            in: container, debugDescription: "the text is not a date like 2020-01-02T03:04:05Z.")
    }
}

extension DecodingSettings: Codable {
    private enum CodingKeys: String, CodingKey {
        case keys, dates, data, nonFiniteNumbers
    }

    private enum Key: String, Codable { case asIs, snakeCase }
    private enum Moment: String, Codable { case deferred, iso8601, seconds, milliseconds }
    private struct Texts: Codable { var positiveInfinity, negativeInfinity, nan: String }

    /// Decodes the output of ``encode(to:)``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        switch try container.decode(Key.self, forKey: .keys) {
        case .asIs: keys = .asIs
        case .snakeCase: keys = .snakeCase
        }
        switch try container.decode(Moment.self, forKey: .dates) {
        case .deferred: dates = .deferred
        case .iso8601: dates = .iso8601
        case .seconds: dates = .seconds
        case .milliseconds: dates = .milliseconds
        }
        nonFiniteNumbers = try container.decodeIfPresent(Texts.self, forKey: .nonFiniteNumbers)
            .map { ($0.positiveInfinity, $0.negativeInfinity, $0.nan) }
    }

    /// Encodes each option by its name; throws `EncodingError.invalidValue` for a closure.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch keys {
        case .asIs: try container.encode(Key.asIs, forKey: .keys)
        case .snakeCase: try container.encode(Key.snakeCase, forKey: .keys)
        case .custom: throw Self.closure(at: .keys, container.codingPath)
        }
        switch dates {
        case .deferred: try container.encode(Moment.deferred, forKey: .dates)
        case .iso8601: try container.encode(Moment.iso8601, forKey: .dates)
        case .seconds: try container.encode(Moment.seconds, forKey: .dates)
        case .milliseconds: try container.encode(Moment.milliseconds, forKey: .dates)
        case .custom: throw Self.closure(at: .dates, container.codingPath)
        }
        if case .custom = data { throw Self.closure(at: .data, container.codingPath) }
        let texts = nonFiniteNumbers.map {
            Texts(positiveInfinity: $0.positiveInfinity, negativeInfinity: $0.negativeInfinity, nan: $0.nan)
        }
        try container.encodeIfPresent(texts, forKey: .nonFiniteNumbers)
    }

    private static func closure(at key: CodingKeys, _ path: [any CodingKey]) -> EncodingError {
        EncodingError.invalidValue(
            key.stringValue,
            EncodingError.Context(codingPath: path + [key], debugDescription: "A closure cannot be archived."))
    }
}
