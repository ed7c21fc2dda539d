extension QueryEncoder: Codable {
    private enum CodingKeys: String, CodingKey {
        case arrays, booleans, data, dates, keys, nesting, nulls, spaces, allowedInNames, allowedInValues, encoding,
            unencodable, sortsKeys, sets, numbers, keepsNilMembers, own
    }

    /// Decodes the output of ``encode(to:)``; a missing option has its default.
    public init(from decoder: any Decoder) throws {
        self.init()
        let container = try decoder.container(keyedBy: CodingKeys.self)
        arrays = try Self.option(.arrays, in: container, of: Self.arrayStyles) ?? arrays
        data = try Self.option(.data, in: container, of: Self.dataStyles) ?? data
        dates = try Self.option(.dates, in: container, of: Self.dateStyles) ?? dates
        keys = try Self.option(.keys, in: container, of: Self.keyStyles) ?? keys
        nesting = try Self.option(.nesting, in: container, of: Self.nestingStyles) ?? nesting
        booleans = try container.decodeIfPresent(BooleanStyle.self, forKey: .booleans) ?? booleans
        nulls = try container.decodeIfPresent(NullStyle.self, forKey: .nulls) ?? nulls
        spaces = try container.decodeIfPresent(SpaceStyle.self, forKey: .spaces) ?? spaces
        allowedInNames =
            try container.decodeIfPresent(AllowedCharacters.self, forKey: .allowedInNames) ?? allowedInNames
        allowedInValues =
            try container.decodeIfPresent(AllowedCharacters.self, forKey: .allowedInValues) ?? allowedInValues
        encoding = try container.decodeIfPresent(TextEncoding.self, forKey: .encoding) ?? encoding
        unencodable = try container.decodeIfPresent(UnencodableStyle.self, forKey: .unencodable) ?? unencodable
        sortsKeys = try container.decodeIfPresent(Bool.self, forKey: .sortsKeys) ?? sortsKeys
        sets = try container.decodeIfPresent(SetStyle.self, forKey: .sets) ?? sets
        numbers = try container.decodeIfPresent(NumberStyle.self, forKey: .numbers) ?? numbers
        keepsNilMembers = try container.decodeIfPresent(Bool.self, forKey: .keepsNilMembers) ?? keepsNilMembers
        own = try container.decodeIfPresent(Options.self, forKey: .own)?.intersection(.all) ?? []
    }

    /// Encodes each option by its name; throws `EncodingError.invalidValue` for a closure.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try Self.encode(arrays.archiveName, as: .arrays, in: &container)
        try Self.encode(data.archiveName, as: .data, in: &container)
        try Self.encode(dates.archiveName, as: .dates, in: &container)
        try Self.encode(keys.archiveName, as: .keys, in: &container)
        try Self.encode(nesting.archiveName, as: .nesting, in: &container)
        try container.encode(booleans, forKey: .booleans)
        try container.encode(nulls, forKey: .nulls)
        try container.encode(spaces, forKey: .spaces)
        try container.encode(allowedInNames, forKey: .allowedInNames)
        try container.encode(allowedInValues, forKey: .allowedInValues)
        try container.encode(encoding, forKey: .encoding)
        try container.encode(unencodable, forKey: .unencodable)
        try container.encode(sortsKeys, forKey: .sortsKeys)
        try container.encode(sets, forKey: .sets)
        try container.encode(numbers, forKey: .numbers)
        try container.encode(keepsNilMembers, forKey: .keepsNilMembers)
        if !own.isEmpty { try container.encode(own, forKey: .own) }
    }

    private static let arrayStyles: [ArrayStyle] = [.brackets, .none, .indices]
    private static let dataStyles: [DataStyle] = [.base64, .numbers]
    private static let dateStyles: [DateStyle] = [.iso8601, .seconds, .milliseconds, .deferred, .description]
    private static let keyStyles: [KeyStyle] = [.asIs, .snakeCase, .kebabCase, .capitalized, .capitalizedFirst]
    private static let nestingStyles: [NestingStyle] = [.brackets, .dots]

    private static func option<Option: ArchivedByName>(
        _ key: CodingKeys, in container: KeyedDecodingContainer<CodingKeys>, of options: [Option]
    ) throws -> Option? {
        guard let name = try container.decodeIfPresent(String.self, forKey: key) else { return nil }
        guard let option = options.first(where: { $0.archiveName == name }) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: container, debugDescription: "“\(name)” is not an option of \(key.stringValue).")
        }
        return option
    }

    private static func encode(
        _ name: String?, as key: CodingKeys, in container: inout KeyedEncodingContainer<CodingKeys>
    ) throws {
        guard let name else {
            throw EncodingError.invalidValue(
                key.stringValue,
                EncodingError.Context(
                    codingPath: container.codingPath + [key], debugDescription: "A closure cannot be archived."))
        }
        try container.encode(name, forKey: key)
    }
}

/// An option with a name in archives; nil for a closure.
private protocol ArchivedByName {
    var archiveName: String? { get }
}

extension QueryEncoder.ArrayStyle: ArchivedByName {
    fileprivate var archiveName: String? {
        switch self {
        case .brackets: "brackets"
        case .none: "none"
        case .indices: "indices"
        case .custom: nil
        }
    }
}

extension QueryEncoder.DataStyle: ArchivedByName {
    fileprivate var archiveName: String? {
        switch self {
        case .base64: "base64"
        case .numbers: "numbers"
        case .custom: nil
        }
    }
}

extension QueryEncoder.DateStyle: ArchivedByName {
    fileprivate var archiveName: String? {
        switch self {
        case .iso8601: "iso8601"
        case .seconds: "seconds"
        case .milliseconds: "milliseconds"
        case .deferred: "deferred"
        case .description: "description"
        case .custom: nil
        }
    }
}

extension QueryEncoder.KeyStyle: ArchivedByName {
    fileprivate var archiveName: String? {
        switch self {
        case .asIs: "asIs"
        case .snakeCase: "snakeCase"
        case .kebabCase: "kebabCase"
        case .capitalized: "capitalized"
        case .capitalizedFirst: "capitalizedFirst"
        case .custom: nil
        }
    }
}

extension QueryEncoder.NestingStyle: ArchivedByName {
    fileprivate var archiveName: String? {
        switch self {
        case .brackets: "brackets"
        case .dots: "dots"
        case .custom: nil
        }
    }
}
