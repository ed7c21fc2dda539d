import SternaPlatform

extension JSON: DecodableTree {
    package static var absent: JSON { .null }

    package var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    package var treeElements: [JSON]? { array }
    package var treeBoolean: Bool? { bool }
    package var treeText: String? { string }

    package var namedMembers: [(key: String, value: JSON)]? { object.map { Array($0) } }

    package func treeMembers(_ rules: JSONRules, _ path: TreePath?) throws -> JSONMembers? {
        guard case .object(let object) = self else { return nil }
        if case .asIs = rules.keys { return .named(object) }
        let outer = TreePath.keys(path)
        var converted: [String: JSON] = [:]
        converted.reserveCapacity(object.count)
        for (name, value) in object {
            let key = rules.converted(name, outer)
            // If several names become the same key, the first one counts, as in JSONDecoder.
            if converted[key] == nil { converted[key] = value }
        }
        return .converted(converted)
    }

    package static func convertsKeys(_ rules: JSONRules) -> Bool {
        if case .asIs = rules.keys { false } else { true }
    }

    package func whole<T: FixedWidthInteger>(_ type: T.Type) -> TreeNumber<T> {
        guard case .number(let number) = self else { return .mismatch }
        let value: T? =
            switch number.storage {
            case .int(let value): T(exactly: value)
            case .uint(let value): T(exactly: value)
            // Beyond 64 bits the text has the document's digits, which the `Double` only approximates.
            case .double(let value):
                -0x1p63 <= value && value < 0x1p64 || !value.isFinite
                    ? T(exactly: value) : JSONDecimal(value.description).integer(type)
            case .text(let text): JSONDecimal(text).integer(type)
            }
        return value.map { .value($0) } ?? .outOfRange
    }

    package func floating<T: TreeFloat>(_ type: T.Type, _ rules: JSONRules) -> TreeNumber<T> {
        switch self {
        case .number(let number):
            let value: T? =
                switch number.storage {
                case .int(let value): T(value)
                case .uint(let value): T(value)
                // The text has the document's digits, which are rounded once.
                case .double(let value): type == Double.self ? T(value) : T(value.description)
                case .text(let text): T(text)
                }
            guard let value, value.isFinite else { return .outOfRange }
            return .value(value)
        case .string(let text):
            switch text {
            case rules.nonFiniteNumbers?.positiveInfinity: return .value(.infinity)
            case rules.nonFiniteNumbers?.negativeInfinity: return .value(-.infinity)
            case rules.nonFiniteNumbers?.nan: return .value(.nan)
            default: return .mismatch
            }
        default: return .mismatch
        }
    }

    package func special<T: Decodable>(_ type: T.Type, in decoder: TreeDecoder<JSON>) throws -> T? {
        if type == JSON.self { return self as? T }
        if type == Date.self { return try decoder.rules.dates(decoder) as? T }
        if type == Data.self { return try decoder.rules.data(decoder) as? T }
        if type == URL.self {
            guard let url = URL(string: try decoder.text(of: self, at: nil)) else {
                throw DecodingError.dataCorrupted(decoder.context("the text is not a URL."))
            }
            return url as? T
        }
        if type == Decimal.self { return try decimal(decoder) as? T }
        return nil
    }

    private func decimal(_ decoder: TreeDecoder<JSON>) throws -> Decimal {
        guard case .number(let number) = self else { throw decoder.mismatch(Decimal.self, self) }
        guard let value = Decimal(string: number.description) else {
            throw DecodingError.dataCorrupted(decoder.context("the number does not fit in Decimal."))
        }
        return value
    }
}

/// The members of a JSON object by the names that types request.
package enum JSONMembers: TreeMembers {
    case named(JSON.Object)
    case converted([String: JSON])

    package var names: [String] {
        switch self {
        case .named(let object): object.keys
        case .converted(let members): Array(members.keys)
        }
    }

    package subscript(name: String) -> JSON? {
        switch self {
        case .named(let object): object[name]
        case .converted(let members): members[name]
        }
    }
}

/// The conversion from JSON values to Swift's: ``DecodingSettings``, or the options of a JSONDecoder.
package struct JSONRules: Sendable {
    enum Keys: Sendable {
        case asIs
        case snakeCase
        case custom(@Sendable ([any CodingKey]) -> any CodingKey)
    }

    var keys = Keys.asIs
    var dates: @Sendable (TreeDecoder<JSON>) throws -> Date = { try Date(from: $0) }
    var data: @Sendable (TreeDecoder<JSON>) throws -> Data = JSONRules.base64
    var nonFiniteNumbers: DecodingSettings.NonFiniteNumbers?

    fileprivate func converted(_ name: String, _ outer: [any CodingKey]) -> String {
        switch keys {
        case .asIs: name
        case .snakeCase: Self.camelCase(name)
        case .custom(let convert): convert(outer + [TreeKey(stringValue: name)]).stringValue
        }
    }

    /// Reads `one_two_three` as `oneTwoThree`, by JSONDecoder's rules: underscores at either end stay.
    private static func camelCase(_ name: String) -> String {
        guard let first = name.firstIndex(where: { $0 != "_" }), let last = name.lastIndex(where: { $0 != "_" }) else {
            return name
        }
        let words = name[first...last].split(separator: "_")
        guard words.count > 1, let head = words.first else { return name }
        let joined = words.dropFirst().reduce(head.lowercased()) { $0 + $1.capitalized }
        return name[..<first] + joined + name[name.index(after: last)...]
    }

    @Sendable static func base64(_ decoder: TreeDecoder<JSON>) throws -> Data {
        if let data = Data(base64Encoded: try decoder.text(of: decoder.tree, at: nil)) { return data }
        throw DecodingError.dataCorrupted(decoder.context("the text is not base64."))
    }

    /// Returns a conversion of dates from seconds since 1970, or from another unit.
    static func since1970(_ unit: Double) -> @Sendable (TreeDecoder<JSON>) throws -> Date {
        { Date(timeIntervalSince1970: try $0.floating(Double.self, of: $0.tree, at: nil) / unit) }
    }
}

extension DecodingSettings {
    /// The rules for decoding from a tree with these settings.
    var rules: JSONRules {
        var rules = JSONRules()
        switch keys {
        case .asIs: break
        case .snakeCase: rules.keys = .snakeCase
        case .custom(let convert): rules.keys = .custom(convert)
        }
        switch dates {
        case .deferred: break
        case .iso8601: rules.dates = { try Self.internetDate($0) }
        case .seconds: rules.dates = JSONRules.since1970(1)
        case .milliseconds: rules.dates = JSONRules.since1970(1_000)
        case .custom(let read): rules.dates = { try read($0) }
        }
        if case .custom(let read) = data { rules.data = { try read($0) } }
        rules.nonFiniteNumbers = nonFiniteNumbers
        return rules
    }
}

extension JSONRules {
    // JSONDecoder's own ISO 8601 format, which rejects fractions of a second.
    @Sendable private static func iso8601(_ decoder: TreeDecoder<JSON>) throws -> Date {
        if let date = try? Date.ISO8601FormatStyle().parse(try decoder.text(of: decoder.tree, at: nil)) { return date }
        throw DecodingError.dataCorrupted(decoder.context("the text is not a date like 2020-01-02T03:04:05Z."))
    }

    /// Takes the options of a JSONDecoder; nil for one that a tree does not support, JSON 5 or omitted braces, and for a subclass,
    /// which may override anything.
    init?(_ decoder: JSONDecoder) {
        guard type(of: decoder) == JSONDecoder.self, !decoder.allowsJSON5, !decoder.assumesTopLevelDictionary else {
            return nil
        }
        switch decoder.keyDecodingStrategy {
        case .useDefaultKeys: break
        case .convertFromSnakeCase: keys = .snakeCase
        case .custom(let convert): keys = .custom(convert)
        @unknown default: return nil
        }
        switch decoder.dateDecodingStrategy {
        case .deferredToDate: break
        case .secondsSince1970: dates = Self.since1970(1)
        case .millisecondsSince1970: dates = Self.since1970(1_000)
        case .custom(let read): dates = { try read($0) }
        case .iso8601: dates = Self.iso8601
        @unknown default: return nil
        }
        switch decoder.dataDecodingStrategy {
        case .base64: break
        case .deferredToData: data = { try Data(from: $0) }
        case .custom(let read): data = { try read($0) }
        @unknown default: return nil
        }
        switch decoder.nonConformingFloatDecodingStrategy {
        case .throw: break
        case .convertFromString(let positive, let negative, let nan):
            nonFiniteNumbers = (positive, negative, nan)
        @unknown default: return nil
        }
    }
}
