/// A JSON value as a tree (RFC 8259).
///
///     let tree: JSON = ["user": ["name": JSON(name), "tags": ["a"]], "n": JSON(temperature), "page": 3]
///
/// The elements of a literal are trees themselves: nested literals need no annotation, and the value of a variable becomes a tree.
///
/// Numbers keep the value of their text (see ``Number``), and objects keep the order of their members. Two trees are equal if they
/// have equal values, regardless of the order of members (RFC 8259, section 4).
public enum JSON: Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number.
    case number(JSON.Number)
    /// A string.
    case string(String)
    /// An array.
    case array([JSON])
    /// An object.
    case object(JSON.Object)

    /// The maximum depth of nested containers in a tree that is parsed, written, or made from parameters.
    ///
    /// Releasing and writing a tree recurse; at this depth an optimized build uses less than the 512 KiB of stack that threads may
    /// have.
    public static let maximumDepth = 512
}

extension JSON {
    /// Whether this is ``null``.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The boolean, or nil for another kind.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The text of a string, or nil for another kind.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The number, or nil for another kind.
    public var number: JSON.Number? {
        if case .number(let value) = self { value } else { nil }
    }

    /// The number as an `Int`, or nil for another kind and for a number that is not whole or out of range.
    public var int: Int? { number?.int }

    /// The number as a `UInt`, or nil for another kind and for a number that is not whole or out of range.
    public var uint: UInt? { number?.uint }

    /// The `Double` nearest to the number, or nil for another kind and for a number beyond its range.
    public var double: Double? { number?.double }

    /// The elements of an array, or nil for another kind.
    public var array: [JSON]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The members of an object, or nil for another kind.
    public var object: JSON.Object? {
        if case .object(let value) = self { value } else { nil }
    }
}

extension JSON {
    /// The member of an object; ``null`` if there is none, or if this is not an object.
    ///
    /// Assigning sets the member, even to ``null``. A value that is not an object becomes one first, so that
    /// `json["user"]["name"] = "Ada"` works even if `json` is ``null``.
    public subscript(key: String) -> JSON {
        get {
            if case .object(let object) = self { object[key] ?? .null } else { .null }
        }
        _modify {
            var members = JSON.Object()
            if case .object(let object) = self { members = object }
            // Releases the tree's own reference, so that the members change in place.
            self = .null
            defer { self = .object(members) }
            yield &members[orNull: key]
        }
    }

    /// The element of an array; ``null`` if the index is out of range, or if this is not an array.
    ///
    /// Assigning replaces the element, or appends if the index equals the count. A value that is not an array counts as
    /// an empty one. At any other index, including a negative one, an assignment has no effect.
    public subscript(index: Int) -> JSON {
        get {
            guard case .array(let elements) = self, elements.indices.contains(index) else { return .null }
            return elements[index]
        }
        _modify {
            var elements: [JSON] = []
            if case .array(let present) = self { elements = present }
            guard index >= 0, index <= elements.count else {
                var nowhere = JSON.null
                yield &nowhere
                return
            }
            // Releases the tree's own reference, so that the elements change in place.
            self = .null
            if index == elements.count { elements.append(.null) }
            defer { self = .array(elements) }
            yield &elements[index]
        }
    }

    /// The value at a JSON Pointer (RFC 6901), such as `/users/0/name`; ``null`` if there is none.
    ///
    /// The empty pointer is this value. Any other text that does not begin with `/` is not a pointer, and gives ``null``.
    public subscript(pointer pointer: String) -> JSON {
        if pointer.isEmpty { return self }
        guard pointer.utf8.first == UInt8(ascii: "/") else { return .null }
        var value = self
        for token in pointer.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            switch value {
            case .object(let object): value = object[Self.unescaped(token)] ?? .null
            case .array: value = Self.arrayIndex(token).map { value[$0] } ?? .null
            default: return .null
            }
        }
        return value
    }

    private static func unescaped(_ token: Substring.UTF8View) -> String {
        var bytes: [UInt8] = []
        var escapes = false
        for byte in token {
            switch (escapes, byte) {
            case (false, UInt8(ascii: "~")):
                escapes = true
                continue
            case (true, UInt8(ascii: "0")): bytes.append(UInt8(ascii: "~"))
            case (true, UInt8(ascii: "1")): bytes.append(UInt8(ascii: "/"))
            case (true, _): bytes.append(contentsOf: [UInt8(ascii: "~"), byte])
            case (false, _): bytes.append(byte)
            }
            escapes = false
        }
        if escapes { bytes.append(UInt8(ascii: "~")) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func arrayIndex(_ token: Substring.UTF8View) -> Int? {
        let isDecimal = !token.isEmpty && token.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard isDecimal, token.count == 1 || token.first != UInt8(ascii: "0") else { return nil }
        return Int(Substring(token))
    }
}

extension JSON {
    /// Makes a ``bool(_:)``.
    public init(_ value: Bool) { self = .bool(value) }

    /// Makes a ``number(_:)`` from any standard integer.
    public init(_ value: some FixedWidthInteger & Sendable) { self = .number(JSON.Number(value)) }

    /// Makes a ``number(_:)``. NaN and the infinities are allowed, but writing them as JSON throws, and a request that sends them
    /// fails with `encodingFailed`.
    public init(_ value: Double) { self = .number(JSON.Number(value)) }

    /// Makes a ``string(_:)``.
    public init(_ value: String) { self = .string(value) }

    /// Makes an ``array(_:)``.
    public init(_ elements: [JSON]) { self = .array(elements) }

    /// Makes an ``object(_:)`` with its keys in ascending order, since a dictionary has no order.
    public init(_ members: [String: JSON]) {
        self = .object(JSON.Object(pairs: members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }))
    }
}

extension JSON: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    /// Makes ``null``.
    public init(nilLiteral: ()) { self = .null }
    /// Makes a ``bool(_:)``.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Makes a ``number(_:)``.
    public init(integerLiteral value: Int64) { self = .number(JSON.Number(value)) }
    /// Makes a ``number(_:)``.
    public init(floatLiteral value: Double) { self = .number(JSON.Number(value)) }
    /// Makes a ``string(_:)``.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Makes an ``array(_:)``.
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }
    /// Makes an ``object(_:)``; a repeated key has the last value at the first one's position.
    public init(dictionaryLiteral elements: (String, JSON)...) { self = .object(JSON.Object(pairs: elements)) }
}
