import SternaPlatform

/// Encodes `Encodable` values as ``ParameterValue``.
struct ParameterEncoding {
    /// Whether members that are nil become null instead of being left out.
    let keepsNils: Bool

    func encode(
        _ value: some Encodable, depth: Int, codingPath: [any CodingKey]
    ) throws(ParameterError) -> ParameterValue {
        if let value = value as? any ParameterConvertible { return value.keepingNils }
        guard depth < Parameters.maximumDepth else { throw ParameterError(.tooDeep(limit: Parameters.maximumDepth)) }
        let encoder = ParameterValueEncoder(encoding: self, depth: depth, codingPath: codingPath)
        do {
            try value.encode(to: encoder)
        } catch let error as ParameterError {
            throw error
        } catch EncodingError.invalidValue(_, let context) {
            // The levels above add their own keys on the way up.
            let below = Array(context.codingPath.dropFirst(codingPath.count))
            throw ParameterError(.notEncodable(context.debugDescription)).under(below)
        } catch {
            throw ParameterError(.notEncodable("\(error)"))
        }
        if let path = encoder.excess.path {
            throw ParameterError(.tooDeep(limit: Parameters.maximumDepth)).under(path)
        }
        // A dictionary has no order, and Swift's hashes differ from run to run.
        if value is any StringKeyedDictionary { encoder.result.sortKeys() }
        return encoder.result.value
    }
}

/// A dictionary that encodes its pairs by their names.
private protocol StringKeyedDictionary {}

extension Dictionary: StringKeyedDictionary where Key == String {}

extension ParameterError {
    fileprivate func under(_ path: [any CodingKey]) -> ParameterError {
        path.reversed().reduce(self) { $0.under(Component($1)) }
    }
}

extension ParameterError.Component {
    init(_ key: any CodingKey) {
        self = key.intValue.map { .index($0) } ?? .key(key.stringValue)
    }
}

/// The values encoded so far at one place of the tree.
private final class EncodedNode {
    enum Content {
        case nothing
        case value(ParameterValue)
        case dictionary([(key: String, node: EncodedNode)])
        case array([EncodedNode])
    }

    var content: Content

    // The last position of each key; made with the first container of a key.
    private var indices: [String: Int]?

    var value: ParameterValue {
        switch content {
        case .nothing: .dictionary(Parameters())
        case .value(let value): value
        case .dictionary(let pairs): .dictionary(Parameters(pairs: pairs.lazy.map { ($0.key, $0.node.value) }))
        case .array(let nodes): .array(nodes.map(\.value))
        }
    }

    /// Returns a node for a value of a key; the last one of a key counts.
    func add(_ key: String) -> EncodedNode {
        let node = EncodedNode()
        if case .dictionary(var pairs) = content {
            content = .nothing
            indices?[key] = pairs.count
            pairs.append((key, node))
            content = .dictionary(pairs)
        } else {
            content = .dictionary([(key, node)])
            indices = nil
        }
        return node
    }

    /// Returns the node of a container for a key: the existing one if it is of that kind, or else a new one.
    func container(_ key: String, isKeyed: Bool) -> EncodedNode {
        guard case .dictionary(let pairs) = content else { return add(key) }
        let indices = indices ?? Dictionary(pairs.indices.map { (pairs[$0].key, $0) }) { $1 }
        self.indices = indices
        guard let index = indices[key] else { return add(key) }
        let node = pairs[index].node
        node.open()
        switch node.content {
        case .dictionary where isKeyed, .array where !isKeyed: return node
        default: return add(key)
        }
    }

    /// Turns an encoded value into a container, so that more can be written into it.
    private func open() {
        switch content {
        case .value(.dictionary(let parameters)):
            content = .dictionary(parameters.map { ($0.key, EncodedNode(.value($0.value))) })
        case .value(.array(let elements)): content = .array(elements.map { EncodedNode(.value($0)) })
        default: break
        }
    }

    init(_ content: Content = .nothing) { self.content = content }

    func sortKeys() {
        guard case .dictionary(let pairs) = content else { return }
        content = .dictionary(pairs.sorted { $0.key < $1.key })
        indices = nil
    }

    func addElement() -> EncodedNode {
        let node = EncodedNode()
        if case .array(var nodes) = content {
            content = .nothing
            nodes.append(node)
            content = .array(nodes)
        } else {
            content = .array([node])
        }
        return node
    }

    var elementCount: Int {
        if case .array(let nodes) = content { nodes.count } else { 0 }
    }
}

/// The position of containers nested too deep, since requesting a container cannot throw.
private final class ExcessDepth {
    var path: [any CodingKey]?
}

private struct IndexKey: CodingKey {
    let index: Int
    var stringValue: String { "\(index)" }
    var intValue: Int? { index }
    init(_ index: Int) { self.index = index }
    init?(stringValue: String) { return nil }
    init?(intValue: Int) { index = intValue }
}

private struct SuperKey: CodingKey {
    var stringValue: String { "super" }
    var intValue: Int? { nil }
    init() {}
    init?(stringValue: String) { return nil }
    init?(intValue: Int) { return nil }
}

private struct ParameterValueEncoder: Encoder {
    let encoding: ParameterEncoding
    let depth: Int
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    var result = EncodedNode()

    /// The keys of nested containers below the encoder's own value.
    var nestedPath: [any CodingKey] = []

    var excess = ExcessDepth()

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if case .nothing = result.content { result.content = .dictionary([]) }
        return KeyedEncodingContainer(KeyedParameters(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if case .nothing = result.content { result.content = .array([]) }
        return UnkeyedParameters(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { SingleParameter(encoder: self) }

    func encode(_ value: some Encodable, at key: (any CodingKey)?, into node: EncodedNode) throws(ParameterError) {
        do {
            // A value at the same place, as an enumeration with a raw value encodes, adds no level to the result but one to the
            // stack.
            node.content = .value(
                try encoding.encode(value, depth: depth + 1, codingPath: codingPath + (key.map { [$0] } ?? []))
            )
        } catch {
            throw error.under(nestedPath + (key.map { [$0] } ?? []))
        }
    }

    func nested(_ key: any CodingKey, _ node: EncodedNode) -> ParameterValueEncoder {
        guard depth + 1 < Parameters.maximumDepth else {
            if excess.path == nil { excess.path = nestedPath + [key] }
            // A detached node: releasing a chain of them would recurse.
            return ParameterValueEncoder(
                encoding: encoding, depth: depth, codingPath: codingPath, result: EncodedNode(), nestedPath: nestedPath,
                excess: excess)
        }
        return ParameterValueEncoder(
            encoding: encoding, depth: depth + 1, codingPath: codingPath + [key], result: node,
            nestedPath: nestedPath + [key],
            excess: excess)
    }
}

private struct KeyedParameters<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: ParameterValueEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    mutating func encodeNil(forKey key: Key) throws {
        encoder.result.add(key.stringValue).content = .value(.null)
    }

    mutating func encode(_ value: some Encodable, forKey key: Key) throws {
        try encoder.encode(value, at: key, into: encoder.result.add(key.stringValue))
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        encoder.nested(key, encoder.result.container(key.stringValue, isKeyed: true)).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder.nested(key, encoder.result.container(key.stringValue, isKeyed: false)).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder { encoder.nested(SuperKey(), encoder.result.add("super")) }

    mutating func superEncoder(forKey key: Key) -> any Encoder {
        encoder.nested(key, encoder.result.add(key.stringValue))
    }
}

/// Encodes nil members: a synthesized conformance encodes members only if they are present.
extension KeyedParameters {
    mutating func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try keep(value, key) }
    mutating func encodeIfPresent(_ value: String?, forKey key: Key) throws { try keep(value, key) }
    mutating func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try keep(value, key) }
    mutating func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try keep(value, key) }
    mutating func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try keep(value, key) }
    mutating func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try keep(value, key) }
    mutating func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try keep(value, key) }
    mutating func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try keep(value, key) }
    mutating func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try keep(value, key) }
    mutating func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try keep(value, key) }
    mutating func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try keep(value, key) }
    mutating func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try keep(value, key) }
    mutating func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try keep(value, key) }
    mutating func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try keep(value, key) }
    mutating func encodeIfPresent(_ value: (some Encodable)?, forKey key: Key) throws { try keep(value, key) }

    private mutating func keep(_ value: (some Encodable)?, _ key: Key) throws {
        if let value {
            try encode(value, forKey: key)
        } else if encoder.encoding.keepsNils {
            try encodeNil(forKey: key)
        }
    }
}

private struct UnkeyedParameters: UnkeyedEncodingContainer {
    let encoder: ParameterValueEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { encoder.result.elementCount }

    mutating func encodeNil() throws {
        encoder.result.addElement().content = .value(.null)
    }

    mutating func encode(_ value: some Encodable) throws {
        let key = IndexKey(count)
        try encoder.encode(value, at: key, into: encoder.result.addElement())
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        superNested().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { superNested().unkeyedContainer() }

    mutating func superEncoder() -> any Encoder { superNested() }

    private func superNested() -> ParameterValueEncoder {
        let key = IndexKey(count)
        return encoder.nested(key, encoder.result.addElement())
    }
}

private struct SingleParameter: SingleValueEncodingContainer {
    let encoder: ParameterValueEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    mutating func encodeNil() throws { encoder.result.content = .value(.null) }

    mutating func encode(_ value: some Encodable) throws {
        try encoder.encode(value, at: nil, into: encoder.result)
    }
}
