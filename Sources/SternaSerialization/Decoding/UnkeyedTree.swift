/// The elements of an array, decoded in order.
struct UnkeyedTree<Tree: DecodableTree>: UnkeyedDecodingContainer {
    private let decoder: TreeDecoder<Tree>
    private let elements: [Tree]
    private(set) var currentIndex = 0

    init(_ decoder: TreeDecoder<Tree>) throws {
        self.decoder = decoder
        guard let elements = decoder.tree.treeElements else { throw decoder.mismatch([Any].self, decoder.tree) }
        self.elements = elements
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    /// Decodes the next element; advances only on success.
    private mutating func next<T>(
        _ type: Any.Type, _ make: (TreeDecoder<Tree>, Tree, TreeKey) throws -> T
    ) throws -> T {
        let key = TreeKey(intValue: currentIndex)
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(type, decoder.context("the array has no further element.", key))
        }
        let value = try make(decoder, elements[currentIndex], key)
        currentIndex += 1
        return value
    }

    mutating func decodeNil() throws -> Bool {
        guard try next(Any?.self, { _, tree, _ in tree.isNull }) else {
            currentIndex -= 1
            return false
        }
        return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try next(type) { try $0.value(type, of: $1, at: $2) }
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try next(KeyedDecodingContainer<Nested>.self) { try $0.below($1, $2).container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next((any UnkeyedDecodingContainer).self) { try $0.below($1, $2).unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try next((any Decoder).self) { $0.below($1, $2) } }

    mutating func decode(_ type: Bool.Type) throws -> Bool {
        try next(type) { try $0.boolean(of: $1, at: $2) }
    }

    mutating func decode(_ type: String.Type) throws -> String {
        try next(type) { try $0.text(of: $1, at: $2) }
    }

    mutating func decode(_ type: Double.Type) throws -> Double {
        try next(type) { try $0.floating(type, of: $1, at: $2) }
    }

    mutating func decode(_ type: Float.Type) throws -> Float {
        try next(type) { try $0.floating(type, of: $1, at: $2) }
    }

    mutating func decode(_ type: Int.Type) throws -> Int {
        try next(type) { try $0.whole(type, of: $1, at: $2) }
    }

    mutating func decode(_ type: Int8.Type) throws -> Int8 {
        try next(type) { try $0.whole(type, of: $1, at: $2) }
    }

    mutating func decode(_ type: Int16.Type) throws -> Int16 {
        try next(type) { try $0.whole(type, of: $1, at: $2) }
    }

    mutating func decode(_ type: Int32.Type) throws -> Int32 {
        try next(type) { try $0.whole(type, of: $1, at: $2) }
    }

    mutating func decode(_ type: Int64.Type) throws -> Int64 {
        try next(type) { try $0.whole(type, of: $1, at: $2) }
    }

    mutating func decode(_ type: UInt.Type) throws -> UInt {
        try next(type) { try $0.whole(type, of: $1, at: $2) }
    }

    mutating func decode(_ type: UInt8.Type) throws -> UInt8 {
        try next(type) { try $0.whole(type, of: $1, at: $2) }
    }

    mutating func decode(_ type: UInt16.Type) throws -> UInt16 {
        try next(type) { try $0.whole(type, of: $1, at: $2) }
    }

    mutating func decode(_ type: UInt32.Type) throws -> UInt32 {
        try next(type) { try $0.whole(type, of: $1, at: $2) }
    }

    mutating func decode(_ type: UInt64.Type) throws -> UInt64 {
        try next(type) { try $0.whole(type, of: $1, at: $2) }
    }

    @available(macOS 15.0, iOS 18.0, watchOS 11.0, tvOS 18.0, visionOS 2.0, *)
    mutating func decode(_ type: Int128.Type) throws -> Int128 {
        try next(type) { try $0.whole(type, of: $1, at: $2) }
    }

    @available(macOS 15.0, iOS 18.0, watchOS 11.0, tvOS 18.0, visionOS 2.0, *)
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
        try next(type) { try $0.whole(type, of: $1, at: $2) }
    }
}
