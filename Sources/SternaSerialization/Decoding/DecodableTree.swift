/// A parsed document from which `Decodable` values are decoded, so that no body is parsed twice.
package protocol DecodableTree: Sendable {
    /// The conversion from the format's values to Swift's.
    associatedtype Rules: Sendable

    /// The members of an object.
    associatedtype Members: TreeMembers where Members.Tree == Self

    /// The format's null.
    static var absent: Self { get }

    /// Whether this is the format's null.
    var isNull: Bool { get }

    /// The kind of this value in an error: `a string`.
    var kind: String { get }

    /// The elements, or nil for another kind.
    var treeElements: [Self]? { get }

    /// The boolean, or nil for another kind.
    var treeBoolean: Bool? { get }

    /// The text, or nil for another kind.
    var treeText: String? { get }

    /// The members of an object by the names that types request, or nil for another kind.
    func treeMembers(_ rules: Rules, _ path: TreePath?) throws -> Members?

    /// The members of an object by their names in the document, or nil for another kind.
    var namedMembers: [(key: String, value: Self)]? { get }

    /// Whether member names differ between the document and the types.
    static func convertsKeys(_ rules: Rules) -> Bool

    /// Returns the value as a whole number.
    func whole<T: FixedWidthInteger>(_ type: T.Type) -> TreeNumber<T>

    /// Returns the value as a floating point number.
    func floating<T: TreeFloat>(_ type: T.Type, _ rules: Rules) -> TreeNumber<T>

    /// Decodes a type that the format represents directly; returns nil for any other type.
    func special<T: Decodable>(_ type: T.Type, in decoder: TreeDecoder<Self>) throws -> T?
}

/// The members of an object, as a keyed container looks them up.
package protocol TreeMembers<Tree> {
    associatedtype Tree
    var names: [String] { get }
    subscript(name: String) -> Tree? { get }
}

/// The result of converting a value to a number type.
package enum TreeNumber<T> {
    case value(T)
    /// The value is not a number.
    case mismatch
    /// The number does not fit the type.
    case outOfRange
}

/// A floating point type of the standard library.
package protocol TreeFloat: BinaryFloatingPoint, LosslessStringConvertible, Decodable {}

extension Double: TreeFloat {}
extension Float: TreeFloat {}

/// The path to a value, as a linked list that shares its beginning with the paths of its neighbors.
///
/// The parser limits the number of levels, so releasing the list, which recurses, does not overflow the stack.
package final class TreePath: Sendable {
    let parent: TreePath?
    let key: any CodingKey

    init(_ parent: TreePath?, _ key: any CodingKey) {
        self.parent = parent
        self.key = key
    }

    /// Returns the keys from the top down.
    static func keys(_ path: TreePath?, _ last: (any CodingKey)? = nil) -> [any CodingKey] {
        var keys = last.map { [$0] } ?? []
        var place = path
        while let here = place {
            keys.append(here.key)
            place = here.parent
        }
        keys.reverse()
        return keys
    }
}

/// A key of a document: a name, or an index.
struct TreeKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    static let `super` = TreeKey(stringValue: "super")

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = "Index \(intValue)"
        self.intValue = intValue
    }
}
