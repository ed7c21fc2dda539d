/// The members of an object.
struct KeyedTree<Tree: DecodableTree, Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let decoder: TreeDecoder<Tree>
    private let members: Tree.Members

    init(_ decoder: TreeDecoder<Tree>) throws {
        self.decoder = decoder
        guard let members = try decoder.tree.treeMembers(decoder.rules, decoder.path) else {
            throw decoder.mismatch([String: Any].self, decoder.tree)
        }
        self.members = members
    }

    var codingPath: [any CodingKey] { decoder.codingPath }

    var allKeys: [Key] { members.names.compactMap(Key.init(stringValue:)) }

    func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }

    private func member(_ key: some CodingKey) throws -> Tree {
        if let tree = members[key.stringValue] { return tree }
        throw DecodingError.keyNotFound(key, decoder.context("there is no member “\(key.stringValue)”."))
    }

    /// Returns the member, or nil if it is missing or null.
    private func present(_ key: Key) -> Tree? {
        guard let tree = members[key.stringValue], !tree.isNull else { return nil }
        return tree
    }

    func decodeNil(forKey key: Key) throws -> Bool { try member(key).isNull }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try decoder.value(type, of: member(key), at: key)
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        try present(key).map { try decoder.value(type, of: $0, at: key) }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try decoder.below(member(key), key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder.below(member(key), key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try superDecoder(TreeKey.super) }

    func superDecoder(forKey key: Key) throws -> any Decoder { try superDecoder(key) }

    // Without such a member, the decoder decodes null, as JSONDecoder does.
    private func superDecoder(_ key: some CodingKey) throws -> any Decoder {
        decoder.below(members[key.stringValue] ?? .absent, key)
    }
}

/// Decodes the standard library's types directly instead of through their conformances, which is slower.
extension KeyedTree {
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try decoder.boolean(of: member(key), at: key)
    }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try decoder.text(of: member(key), at: key)
    }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try decoder.floating(type, of: member(key), at: key)
    }

    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        try decoder.floating(type, of: member(key), at: key)
    }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        try decoder.whole(type, of: member(key), at: key)
    }

    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
        try decoder.whole(type, of: member(key), at: key)
    }

    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
        try decoder.whole(type, of: member(key), at: key)
    }

    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
        try decoder.whole(type, of: member(key), at: key)
    }

    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
        try decoder.whole(type, of: member(key), at: key)
    }

    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
        try decoder.whole(type, of: member(key), at: key)
    }

    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
        try decoder.whole(type, of: member(key), at: key)
    }

    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
        try decoder.whole(type, of: member(key), at: key)
    }

    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
        try decoder.whole(type, of: member(key), at: key)
    }

    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
        try decoder.whole(type, of: member(key), at: key)
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try present(key).map { try decoder.boolean(of: $0, at: key) }
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try present(key).map { try decoder.text(of: $0, at: key) }
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try present(key).map { try decoder.floating(type, of: $0, at: key) }
    }

    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        try present(key).map { try decoder.floating(type, of: $0, at: key) }
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try present(key).map { try decoder.whole(type, of: $0, at: key) }
    }

    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
        try present(key).map { try decoder.whole(type, of: $0, at: key) }
    }

    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
        try present(key).map { try decoder.whole(type, of: $0, at: key) }
    }

    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
        try present(key).map { try decoder.whole(type, of: $0, at: key) }
    }

    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        try present(key).map { try decoder.whole(type, of: $0, at: key) }
    }

    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
        try present(key).map { try decoder.whole(type, of: $0, at: key) }
    }

    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
        try present(key).map { try decoder.whole(type, of: $0, at: key) }
    }

    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
        try present(key).map { try decoder.whole(type, of: $0, at: key) }
    }

    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
        try present(key).map { try decoder.whole(type, of: $0, at: key) }
    }

    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
        try present(key).map { try decoder.whole(type, of: $0, at: key) }
    }

    @available(macOS 15.0, iOS 18.0, watchOS 11.0, tvOS 18.0, visionOS 2.0, *)
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        try decoder.whole(type, of: member(key), at: key)
    }

    @available(macOS 15.0, iOS 18.0, watchOS 11.0, tvOS 18.0, visionOS 2.0, *)
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try decoder.whole(type, of: member(key), at: key)
    }
}
