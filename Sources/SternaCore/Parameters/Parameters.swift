/// Named values in order: the content of a request's query, form body or JSON body.
///
/// A literal takes values of mixed types and keeps its order:
///
///     let parameters: Parameters = ["name": name, "phone": ["mobile": mobile], "page": 3, "cursor": Parameters.null]
///
/// A nested literal whose own values are of one type needs no annotation. One of mixed types needs `as Parameters` (or, for an
/// array, `as ParameterValue`), as does an empty one:
///
///     ["user": ["name": "Ada", "age": 36] as Parameters, "mixed": [1, "two"] as ParameterValue]
///
/// A pair whose optional value is nil is left out, also in a nested dictionary; ``null`` keeps the name without a value. In an
/// array nil becomes null, since positions matter there.
///
/// A repeated key keeps the position of its first value and takes the last one. Keys are the same if the strings are equal, which
/// includes canonically equivalent Unicode. Two `Parameters` are equal if they have equal pairs in the same order.
public struct Parameters: Sendable {
    /// The null value, for literals: `["cursor": Parameters.null]`.
    public static var null: ParameterValue { .null }

    /// The maximum depth of nested containers, including this one. Deeper parameters are refused when they are encoded or decoded,
    /// which recurses.
    ///
    /// Deeper values can be built by hand. Comparing, hashing and describing them does not recurse; releasing them does, as with
    /// any nested Swift array.
    public static let maximumDepth = 512

    private static let indexedFrom = 16

    private(set) var names: [String] = []
    private(set) var contents: [ParameterValue] = []
    // Empty below `indexedFrom` pairs, where scanning the names costs less than hashing.
    private var positions: [String: Int] = [:]

    /// Makes empty parameters.
    public init() {}

    /// Makes parameters from a dictionary; keys are in ascending order, since a dictionary is unordered. Nil values are left out.
    public init(_ dictionary: [String: any ParameterConvertible]) {
        self.init(given: dictionary.sorted { $0.key < $1.key }.lazy.map { ($0.key, $0.value) })
    }

    /// Makes parameters from pairs in their order, without those whose value is nil.
    init(given pairs: some Sequence<(String, any ParameterConvertible)>) {
        self.init()
        names.reserveCapacity(pairs.underestimatedCount)
        contents.reserveCapacity(pairs.underestimatedCount)
        for (key, value) in pairs {
            let content = value.parameterValue
            if case .null = content, isNil(value) { continue }
            set(content, for: key)
        }
    }

    /// Makes parameters from pairs in their order; a repeated key keeps the position of its first value and takes the last one.
    public init(pairs: some Sequence<(String, ParameterValue)>) {
        names.reserveCapacity(pairs.underestimatedCount)
        contents.reserveCapacity(pairs.underestimatedCount)
        for (key, value) in pairs { set(value, for: key) }
    }

    /// The number of pairs.
    public var count: Int { names.count }

    /// Whether there are no pairs.
    public var isEmpty: Bool { names.isEmpty }

    /// The names in order.
    public var keys: [String] { names }

    /// The values in the order of their names.
    public var values: [ParameterValue] { contents }

    /// Returns the value of a name; nil if there is none.
    public func value(for key: String) -> ParameterValue? {
        position(of: key).map { contents[$0] }
    }

    /// The value of a name; nil if there is none. Assigning a value keeps the name's position or appends it; assigning nil removes
    /// the name.
    ///
    /// To keep the name without a value, assign ``null``.
    public subscript(key: String) -> (any ParameterConvertible)? {
        get { value(for: key) }
        set {
            if let newValue {
                set(newValue.parameterValue, for: key)
            } else {
                removeValue(for: key)
            }
        }
    }

    /// Sets the value of a name, at its position if it exists and at the end if not.
    package mutating func set(_ value: ParameterValue, for key: String) {
        if let position = position(of: key) {
            contents[position] = value
            return
        }
        names.append(key)
        contents.append(value)
        if names.count == Self.indexedFrom {
            rebuildPositions()
        } else if names.count > Self.indexedFrom {
            positions[key] = names.count - 1
        }
    }

    /// Removes a name; returns its value, or nil if there was none.
    @discardableResult
    package mutating func removeValue(for key: String) -> ParameterValue? {
        guard let position = position(of: key) else { return nil }
        names.remove(at: position)
        let value = contents.remove(at: position)
        rebuildPositions()
        return value
    }

    /// Removes every pair.
    package mutating func removeAll() {
        self = Parameters()
    }

    /// Merges other parameters, which replace the values of the same names.
    public mutating func merge(_ other: Parameters) {
        for (key, value) in other { set(value, for: key) }
    }

    /// Returns these parameters with others merged over them.
    public func merging(_ other: Parameters) -> Parameters {
        var merged = self
        merged.merge(other)
        return merged
    }

    private func position(of key: String) -> Int? {
        positions.isEmpty ? names.firstIndex(of: key) : positions[key]
    }

    private mutating func rebuildPositions() {
        positions = [:]
        guard names.count >= Self.indexedFrom else { return }
        positions.reserveCapacity(names.count)
        for (position, name) in names.enumerated() { positions[name] = position }
    }
}

extension Parameters: ExpressibleByDictionaryLiteral {
    /// Makes parameters from a literal in its order, without pairs whose value is nil; a repeated key keeps the position of its
    /// first value and takes the last one.
    public init(dictionaryLiteral elements: (String, any ParameterConvertible)...) {
        self.init(given: elements)
    }
}

extension Parameters: Sequence {
    public typealias Element = (key: String, value: ParameterValue)

    /// Returns an iterator over the pairs in order.
    public func makeIterator() -> some IteratorProtocol<Element> { PairIterator(parameters: self) }

    public var underestimatedCount: Int { count }
}

private struct PairIterator: IteratorProtocol {
    let parameters: Parameters
    var position = 0

    mutating func next() -> (key: String, value: ParameterValue)? {
        guard position < parameters.names.count else { return nil }
        defer { position += 1 }
        return (parameters.names[position], parameters.contents[position])
    }
}
