/// Decodes from a value of a tree, with the errors of Foundation's decoders: kind, path and reason.
package struct TreeDecoder<Tree: DecodableTree>: Decoder {
    let tree: Tree
    let rules: Tree.Rules
    package let userInfo: [CodingUserInfoKey: Any]
    let path: TreePath?

    package init(_ tree: Tree, _ rules: Tree.Rules, userInfo: [CodingUserInfoKey: Any] = [:], path: TreePath? = nil) {
        self.tree = tree
        self.rules = rules
        self.userInfo = userInfo
        self.path = path
    }

    package var codingPath: [any CodingKey] { TreePath.keys(path) }

    package func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(try KeyedTree<Tree, Key>(self))
    }

    package func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try UnkeyedTree(self) }

    package func singleValueContainer() throws -> any SingleValueDecodingContainer { SingleTree(decoder: self) }

    /// Returns a decoder of a value below this one.
    func below(_ tree: Tree, _ key: any CodingKey) -> TreeDecoder {
        TreeDecoder(tree, rules, userInfo: userInfo, path: TreePath(path, key))
    }

    // MARK: Values

    /// Decodes a value of any type.
    package func value<T: Decodable>(_ type: T.Type) throws -> T {
        if let value = try tree.special(type, in: self) { return value }
        if Tree.convertsKeys(rules), let type = type as? any StringKeyedDictionary.Type,
            let value = try type.read(from: self) as? T
        {
            return value
        }
        return try T(from: self)
    }

    /// Decodes a member or an element; a nil key stands for this value itself.
    func value<T: Decodable>(_ type: T.Type, of tree: Tree, at key: (any CodingKey)?) throws -> T {
        try (key.map { below(tree, $0) } ?? self).value(type)
    }

    func boolean(of tree: Tree, at key: (any CodingKey)?) throws -> Bool {
        if let value = tree.treeBoolean { return value }
        throw mismatch(Bool.self, tree, key)
    }

    func text(of tree: Tree, at key: (any CodingKey)?) throws -> String {
        if let value = tree.treeText, !tree.isNull { return value }
        throw mismatch(String.self, tree, key)
    }

    func whole<T: FixedWidthInteger>(_ type: T.Type, of tree: Tree, at key: (any CodingKey)?) throws -> T {
        try number(tree.whole(type), tree, key)
    }

    func floating<T: TreeFloat>(_ type: T.Type, of tree: Tree, at key: (any CodingKey)?) throws -> T {
        try number(tree.floating(type, rules), tree, key)
    }

    private func number<T>(_ number: TreeNumber<T>, _ tree: Tree, _ key: (any CodingKey)?) throws -> T {
        switch number {
        case .value(let value): return value
        case .mismatch: throw mismatch(T.self, tree, key)
        case .outOfRange:
            throw DecodingError.dataCorrupted(context("the number does not fit in \(T.self).", key))
        }
    }

    // MARK: Errors

    func context(_ text: String, _ key: (any CodingKey)? = nil) -> DecodingError.Context {
        DecodingError.Context(codingPath: TreePath.keys(path, key), debugDescription: text)
    }

    /// Returns the error for a value of another kind, or for null.
    package func mismatch(_ type: Any.Type, _ tree: Tree, _ key: (any CodingKey)? = nil) -> DecodingError {
        if tree.isNull { return .valueNotFound(type, context("expected \(type), found null.", key)) }
        return .typeMismatch(type, context("expected \(type), found \(tree.kind).", key))
    }
}

/// A dictionary whose keys are names of the document: no key style changes them, as in JSONDecoder.
private protocol StringKeyedDictionary {
    static func read<Tree>(from decoder: TreeDecoder<Tree>) throws -> Any
}

extension Dictionary: StringKeyedDictionary where Key == String, Value: Decodable {
    fileprivate static func read<Tree>(from decoder: TreeDecoder<Tree>) throws -> Any {
        guard let members = decoder.tree.namedMembers else {
            throw decoder.mismatch([String: Value].self, decoder.tree)
        }
        var values: [String: Value] = [:]
        values.reserveCapacity(members.count)
        for (name, tree) in members {
            values[name] = try decoder.value(Value.self, of: tree, at: TreeKey(stringValue: name))
        }
        return values
    }
}

/// A container for a single value.
struct SingleTree<Tree: DecodableTree>: SingleValueDecodingContainer {
    let decoder: TreeDecoder<Tree>

    var codingPath: [any CodingKey] { decoder.codingPath }
    private var tree: Tree { decoder.tree }

    func decodeNil() -> Bool { tree.isNull }
    func decode(_ type: Bool.Type) throws -> Bool { try decoder.boolean(of: tree, at: nil) }
    func decode(_ type: String.Type) throws -> String { try decoder.text(of: tree, at: nil) }
    func decode(_ type: Double.Type) throws -> Double { try decoder.floating(type, of: tree, at: nil) }
    func decode(_ type: Float.Type) throws -> Float { try decoder.floating(type, of: tree, at: nil) }
    func decode(_ type: Int.Type) throws -> Int { try decoder.whole(type, of: tree, at: nil) }
    func decode(_ type: Int8.Type) throws -> Int8 { try decoder.whole(type, of: tree, at: nil) }
    func decode(_ type: Int16.Type) throws -> Int16 { try decoder.whole(type, of: tree, at: nil) }
    func decode(_ type: Int32.Type) throws -> Int32 { try decoder.whole(type, of: tree, at: nil) }
    func decode(_ type: Int64.Type) throws -> Int64 { try decoder.whole(type, of: tree, at: nil) }
    func decode(_ type: UInt.Type) throws -> UInt { try decoder.whole(type, of: tree, at: nil) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try decoder.whole(type, of: tree, at: nil) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try decoder.whole(type, of: tree, at: nil) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try decoder.whole(type, of: tree, at: nil) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try decoder.whole(type, of: tree, at: nil) }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.value(type) }

    @available(macOS 15.0, iOS 18.0, watchOS 11.0, tvOS 18.0, visionOS 2.0, *)
    func decode(_ type: Int128.Type) throws -> Int128 { try decoder.whole(type, of: tree, at: nil) }

    @available(macOS 15.0, iOS 18.0, watchOS 11.0, tvOS 18.0, visionOS 2.0, *)
    func decode(_ type: UInt128.Type) throws -> UInt128 { try decoder.whole(type, of: tree, at: nil) }
}
