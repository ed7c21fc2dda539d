/// The attributes of an element: a list in the order of the document, each name once.
///
/// Two lists are equal if they have the same names and values; their order does not matter (XML 1.0, 3.1).
public struct XMLAttributes: Sendable, RandomAccessCollection, ExpressibleByDictionaryLiteral {
    /// An attribute: its name as written, with its prefix if any, and its value with references replaced.
    public typealias Element = (name: String, value: String)

    private var list: [Element] = []

    /// Makes an empty list.
    public init() {}

    /// Makes attributes in the order given; a repeated name keeps the place of its first value and takes the last one.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { self[name] = value }
    }

    init(sorting attributes: [String: String]) {
        list = attributes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Appends an attribute whose name must be new.
    mutating func append(_ name: String, _ value: String) { list.append((name, value)) }

    public var startIndex: Int { 0 }

    public var endIndex: Int { list.count }

    /// The attribute at a position in the list, from 0 to `count - 1`.
    public subscript(index: Int) -> Element { list[index] }

    /// The value of a name as written; nil if there is none. Assigning nil removes it.
    public subscript(name: String) -> String? {
        get { list.first { $0.name == name }?.value }
        set {
            let index = list.firstIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let value?): list[index].value = value
            case (let index?, nil): list.remove(at: index)
            case (nil, let value?): list.append((name, value))
            case (nil, nil): break
            }
        }
    }
}

extension XMLAttributes: Hashable {
    public static func == (left: XMLAttributes, right: XMLAttributes) -> Bool {
        guard left.count == right.count else { return false }
        if left.list.elementsEqual(right.list, by: ==) { return true }
        return left.dictionary == right.dictionary
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(dictionary) }

    /// The values by name, without their order.
    public var dictionary: [String: String] {
        Dictionary(list.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
}
