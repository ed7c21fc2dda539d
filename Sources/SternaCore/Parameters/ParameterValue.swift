public import SternaPlatform

/// A parameter's value, in the closed set of kinds that every encoding supports.
public enum ParameterValue: Sendable {
    /// No value: a bare key in a query, `null` in JSON.
    case null
    /// A truth value.
    case bool(Bool)
    /// A whole number from -2⁶³ to 2⁶³ - 1.
    case integer(Int64)
    /// A whole number above 2⁶³ - 1; unsigned values below that convert to ``integer(_:)``, so that equal numbers are
    /// equal.
    case unsigned(UInt64)
    /// A binary floating point number; NaN and the infinities are allowed, though not every encoding can write them.
    case double(Double)
    /// A decimal number; queries and JSON keep its digits.
    case decimal(Decimal)
    /// Text.
    case string(String)
    /// A point in time.
    case date(Date)
    /// Bytes.
    case data(Data)
    /// Ordered values.
    case array([ParameterValue])
    /// Values without an order; a `Set` is converted in a fixed order, so that equal sets are equal.
    case set([ParameterValue])
    /// Values by name.
    case dictionary(Parameters)
}

extension ParameterValue {
    /// An array from values of mixed types.
    public init(_ elements: [any ParameterConvertible]) {
        self = .array(elements.map(\.parameterValue))
    }
}

extension ParameterValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Makes a ``bool(_:)``.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Makes an ``integer(_:)``.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Makes a ``double(_:)``.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// Makes a ``string(_:)``.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Makes an ``array(_:)``; the elements may be of mixed types.
    public init(arrayLiteral elements: (any ParameterConvertible)...) { self.init(elements) }
    /// Makes a ``dictionary(_:)`` by the rules of ``Parameters/init(dictionaryLiteral:)``.
    public init(dictionaryLiteral elements: (String, any ParameterConvertible)...) {
        self = .dictionary(Parameters(given: elements))
    }
}

extension ParameterValue {
    /// Returns whether this value precedes another in the fixed order of sets.
    ///
    /// Null, booleans, numbers by size, text by Unicode scalars, dates, data, then containers by their elements.
    package func precedes(_ other: ParameterValue) -> Bool {
        Self.order(self, other) < 0
    }

    /// The position of a kind among the others.
    var rank: Int {
        switch self {
        case .null: 0
        case .bool: 1
        case .integer, .unsigned, .double, .decimal: 2
        case .string: 3
        case .date: 4
        case .data: 5
        case .array: 6
        case .set: 7
        case .dictionary: 8
        }
    }

    private enum Comparison {
        case values(ParameterValue, ParameterValue)
        case names(String, String)
        /// Decides between two lists if one begins with the other.
        case counts(Int, Int)
    }

    /// Below zero if the left value comes first, zero if neither does. Depth costs no stack.
    private static func order(_ left: ParameterValue, _ right: ParameterValue) -> Int {
        guard left.isContainer, right.isContainer else { return scalarOrder(left, right) }
        // The next comparison is the last one in the list.
        var rest = [Comparison.values(left, right)]
        while let comparison = rest.popLast() {
            let result: Int
            switch comparison {
            case .names(let a, let b): result = order(a, b)
            case .counts(let a, let b): result = order(a, b)
            case .values(.array(let a), .array(let b)), .values(.set(let a), .set(let b)):
                result = 0
                rest.append(.counts(a.count, b.count))
                for (one, two) in zip(a, b).reversed() { rest.append(.values(one, two)) }
            case .values(.dictionary(let a), .dictionary(let b)):
                result = 0
                rest.append(.counts(a.count, b.count))
                for (one, two) in zip(a, b).reversed() {
                    rest.append(.values(one.value, two.value))
                    rest.append(.names(one.key, two.key))
                }
            case .values(let a, let b): result = scalarOrder(a, b)
            }
            if result != 0 { return result }
        }
        return 0
    }

    private static func scalarOrder(_ left: ParameterValue, _ right: ParameterValue) -> Int {
        switch (left, right) {
        case (.bool(let a), .bool(let b)): order(a ? 1 : 0, b ? 1 : 0)
        case (.integer(let a), .integer(let b)): order(a, b)
        case (.unsigned(let a), .unsigned(let b)): order(a, b)
        case (.decimal(let a), .decimal(let b)): order(a, b)
        case (.string(let a), .string(let b)): order(a, b)
        case (.date(let a), .date(let b)): order(a.timeIntervalSinceReferenceDate, b.timeIntervalSinceReferenceDate)
        case (.data(let a), .data(let b)): order(a, b)
        default: left.rank == 2 && right.rank == 2 ? numberOrder(left, right) : order(left.rank, right.rank)
        }
    }

    private static func order<T: Comparable>(_ left: T, _ right: T) -> Int {
        left < right ? -1 : (right < left ? 1 : 0)
    }

    // NaN sorts below every number, because a sort needs a total order.
    private static func order(_ left: Double, _ right: Double) -> Int {
        left.isNaN || right.isNaN
            ? (left.isNaN ? 0 : 1) - (right.isNaN ? 0 : 1) : left < right ? -1 : left > right ? 1 : 0
    }

    private static func order(_ left: Data, _ right: Data) -> Int {
        left.lexicographicallyPrecedes(right) ? -1 : right.lexicographicallyPrecedes(left) ? 1 : 0
    }

    private static func numberOrder(_ left: ParameterValue, _ right: ParameterValue) -> Int {
        let byValue = order(left.approximation, right.approximation)
        return byValue != 0 ? byValue : order(left.numberKind, right.numberKind)
    }

    private var approximation: Double {
        switch self {
        case .integer(let value): Double(value)
        case .unsigned(let value): Double(value)
        case .double(let value): value
        case .decimal(let value): Double(value.description) ?? .nan
        default: 0
        }
    }

    private var numberKind: Int {
        switch self {
        case .integer: 0
        case .unsigned: 1
        case .double: 2
        default: 3
        }
    }
}
