public import SternaPlatform
import SternaSerialization

/// A property list as a tree, as described in Apple's `plist(5)`.
public enum PropertyList: Sendable {
    /// Text.
    case string(String)
    /// A whole number from -2⁶³ to 2⁶³ - 1.
    case integer(Int64)
    /// A whole number above 2⁶³ - 1; lower ones are read as ``integer(_:)``, so that equal numbers are equal.
    case unsigned(UInt64)
    /// A binary floating point number; NaN and the infinities can be written.
    case real(Double)
    /// `true` or `false`.
    case boolean(Bool)
    /// A point in time; in whole seconds in XML.
    case date(Date)
    /// Bytes.
    case data(Data)
    /// Values in order.
    case array([PropertyList])
    /// Values by name; written in ascending order of the names.
    case dictionary([String: PropertyList])

    /// The maximum depth of nested containers in a tree that is parsed, written, or made from parameters.
    ///
    /// Releasing and writing a tree recurse.
    public static let maximumDepth = JSON.maximumDepth

    /// The encoding forms of a property list.
    public enum Format: String, Sendable, Hashable, Codable, CaseIterable {
        /// XML 1.0 in UTF-8.
        case xml
        /// The binary form, `bplist00`.
        case binary
    }
}

extension PropertyList {
    /// The text, or nil for another kind.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The whole number as an `Int`, or nil for another kind and out of range.
    public var int: Int? {
        if case .integer(let value) = self { Int(exactly: value) } else { nil }
    }

    /// The whole number as a `UInt`, or nil for another kind and out of range.
    public var uint: UInt? {
        switch self {
        case .integer(let value): UInt(exactly: value)
        case .unsigned(let value): UInt(exactly: value)
        default: nil
        }
    }

    /// The number, or the `Double` nearest to a whole one; nil for another kind.
    public var double: Double? {
        switch self {
        case .real(let value): value
        case .integer(let value): Double(value)
        case .unsigned(let value): Double(value)
        default: nil
        }
    }

    /// The boolean, or nil for another kind.
    public var bool: Bool? {
        if case .boolean(let value) = self { value } else { nil }
    }

    /// The point in time, or nil for another kind.
    public var date: Date? {
        if case .date(let value) = self { value } else { nil }
    }

    /// The bytes, or nil for another kind.
    public var data: Data? {
        if case .data(let value) = self { value } else { nil }
    }

    /// The elements of an array, or nil for another kind.
    public var array: [PropertyList]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The values of a dictionary by name, or nil for another kind.
    public var dictionary: [String: PropertyList]? {
        if case .dictionary(let value) = self { value } else { nil }
    }

    /// The value of a name in a dictionary; nil if there is none, or if this is not a dictionary.
    ///
    /// Assigning nil removes the name. In a value that is not a dictionary, an assignment has no effect.
    public subscript(key: String) -> PropertyList? {
        get {
            if case .dictionary(let values) = self { values[key] } else { nil }
        }
        set {
            guard case .dictionary(var values) = self else { return }
            // Releases the tree's own reference, so that the values change in place.
            self = .boolean(false)
            values[key] = newValue
            self = .dictionary(values)
        }
    }

    /// The element of an array; nil if the index is out of range, or if this is not an array.
    public subscript(index: Int) -> PropertyList? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }
}

extension PropertyList: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    /// Makes a ``boolean(_:)``.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    /// Makes an ``integer(_:)``.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Makes a ``real(_:)``.
    public init(floatLiteral value: Double) { self = .real(value) }
    /// Makes a ``string(_:)``.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Makes an ``array(_:)``.
    public init(arrayLiteral elements: PropertyList...) { self = .array(elements) }
    /// Makes a ``dictionary(_:)``; if a name repeats, the last value counts.
    public init(dictionaryLiteral elements: (String, PropertyList)...) {
        self = .dictionary(Dictionary(elements) { _, last in last })
    }
}
