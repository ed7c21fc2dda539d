import OrderedCollections

extension JSON {
    /// The members of a JSON object in their order.
    ///
    /// A repeated key has the last value at the first one's position. Two keys are the same if the strings are equal, which
    /// includes canonically equivalent Unicode. Two objects are equal if they have equal members in any order.
    public struct Object: Sendable {
        private var members: OrderedDictionary<String, JSON>

        /// Makes an empty object.
        public init() {
            members = [:]
        }

        /// Makes an object from pairs in their order.
        public init(pairs: some Sequence<(String, JSON)>) {
            members = OrderedDictionary(pairs, uniquingKeysWith: { _, last in last })
        }

        // For other modules of the package, which cannot specialize the initializer above: for small objects that is slow.
        package init(pairs: [(String, JSON)]) {
            members = OrderedDictionary(pairs, uniquingKeysWith: { _, last in last })
        }

        /// The number of members.
        public var count: Int { members.count }

        /// Whether there are no members.
        public var isEmpty: Bool { members.isEmpty }

        /// The keys in order.
        public var keys: [String] { members.keys.elements }

        /// The values in the order of their keys.
        public var values: [JSON] { members.values.elements }

        /// The value of a key, or nil if the key is missing.
        ///
        /// Assigning a value keeps the key's position or appends it; assigning nil removes the member. To store `null`, assign
        /// ``JSON/null`` by its full name.
        public subscript(key: String) -> JSON? {
            get { members[key] }
            _modify { yield &members[key] }
        }

        // A missing key is added with null.
        subscript(orNull key: String) -> JSON {
            get { members[key] ?? .null }
            _modify { yield &members[key, default: .null] }
        }

        /// Sets the value of a key, at its position if it exists and at the end if not.
        package mutating func set(_ value: JSON, for key: String) {
            members.updateValue(value, forKey: key)
        }

        /// Removes a member; returns its value, or nil if it was missing.
        @discardableResult
        package mutating func removeValue(for key: String) -> JSON? {
            members.removeValue(forKey: key)
        }
    }
}

extension JSON.Object: ExpressibleByDictionaryLiteral {
    /// Makes an object from a literal, in its order.
    public init(dictionaryLiteral elements: (String, JSON)...) {
        self.init(pairs: elements)
    }
}

extension JSON.Object: Sequence {
    public typealias Element = (key: String, value: JSON)

    /// Returns an iterator over the members in order.
    public func makeIterator() -> some IteratorProtocol<Element> { members.makeIterator() }

    public var underestimatedCount: Int { count }
}
