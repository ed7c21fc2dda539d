import SternaPlatform
package import SternaSerialization

extension PropertyList: DecodableTree {
    /// Empty: a property list has its own dates and data.
    package struct Rules: Sendable {}

    // PropertyListEncoder's text for null, which the format cannot represent.
    package static var absent: PropertyList { .string("$null") }

    package var isNull: Bool { string == "$null" }

    package var kind: String {
        switch self {
        case .string: "a string"
        case .integer, .unsigned, .real: "a number"
        case .boolean: "a boolean"
        case .date: "a date"
        case .data: "data"
        case .array: "an array"
        case .dictionary: "a dictionary"
        }
    }

    package var treeElements: [PropertyList]? { array }
    package var treeBoolean: Bool? { bool }
    package var treeText: String? { string }

    package var namedMembers: [(key: String, value: PropertyList)]? { dictionary.map { Array($0) } }

    package func treeMembers(_ rules: Rules, _ path: TreePath?) -> PropertyListMembers? {
        dictionary.map { PropertyListMembers(members: $0) }
    }

    package static func convertsKeys(_ rules: Rules) -> Bool { false }

    package func whole<T: FixedWidthInteger>(_ type: T.Type) -> TreeNumber<T> {
        let value: T?
        switch self {
        case .integer(let number): value = T(exactly: number)
        case .unsigned(let number): value = T(exactly: number)
        case .real(let number): value = T(exactly: number)
        default: return .mismatch
        }
        return value.map { .value($0) } ?? .outOfRange
    }

    package func floating<T: TreeFloat>(_ type: T.Type, _ rules: Rules) -> TreeNumber<T> {
        switch self {
        case .integer(let number): .value(T(number))
        case .unsigned(let number): .value(T(number))
        case .real(let number): .value(T(number))
        default: .mismatch
        }
    }

    package func special<T: Decodable>(_ type: T.Type, in decoder: TreeDecoder<PropertyList>) throws -> T? {
        if type == PropertyList.self { return self as? T }
        if type == Date.self {
            guard case .date(let value) = self else { throw decoder.mismatch(type, self) }
            return value as? T
        }
        if type == Data.self {
            guard case .data(let value) = self else { throw decoder.mismatch(type, self) }
            return value as? T
        }
        return nil
    }
}

/// The values of a dictionary by name.
package struct PropertyListMembers: TreeMembers {
    let members: [String: PropertyList]
    package var names: [String] { Array(members.keys) }
    package subscript(name: String) -> PropertyList? { members[name] }
}
