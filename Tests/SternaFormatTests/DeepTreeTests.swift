import MutationKit
import SternaCore
import SternaPropertyList
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Trees: deep nesting")
struct DeepTreeTests {
    private static func nested<Tree>(_ levels: Int, _ bottom: Tree, _ wrap: (Tree, Int) -> Tree) -> Tree {
        (0..<levels).reduce(bottom) { wrap($0, $1) }
    }

    private static func json(_ levels: Int, _ bottom: JSON) -> JSON {
        nested(levels, bottom) { $1 % 2 == 0 ? [$0] : ["k": $0, "x": 1] }
    }

    private static func list(_ levels: Int, _ bottom: PropertyList) -> PropertyList {
        nested(levels, bottom) { $1 % 2 == 0 ? [$0] : ["k": $0, "x": 1] }
    }

    /// Runs the first closure with the values on a small stack; they are released on a large one, as that is recursive.
    private static func check<Tree: Hashable & CustomStringConvertible>(
        _ make: (Int) -> Tree, _ also: (Tree) -> Void = { _ in }
    ) {
        SmallStack.run(stack: 256 << 20) {
            let (one, same, other) = (make(1), make(1), make(2))
            SmallStack.run {
                expectEqual(one, same)
                #expect(one != other)
                expectEqual(one.hashValue, same.hashValue)
                expectEqual(one.description, same.description)
                expectEqual(Set([one, same, other]).count, 2)
                also(one)
            }
        }
    }

    @Test(
        "JSON of any depth is compared, hashed, and described as far as it is written", arguments: [100, 5_000, 50_000])
    func json(levels: Int) {
        Self.check({ Self.json(levels, .number(JSON.Number($0))) }) { json in
            expectEqual(((try? json.serialized()) == nil), (levels > JSON.maximumDepth))
        }
    }

    @Test("Members in another order are equal and hashed alike at any depth")
    func order() {
        SmallStack.run(stack: 256 << 20) {
            let one = Self.nested(5_000, JSON.null) { inner, _ in ["a": inner, "b": 2] }
            let two = Self.nested(5_000, JSON.null) { inner, _ in ["b": 2, "a": inner] }
            SmallStack.run {
                expectEqual(one, two)
                expectEqual(one.hashValue, two.hashValue)
            }
        }
    }

    @Test("Property lists of any depth are compared, hashed and described", arguments: [100, 5_000, 50_000])
    func propertyLists(levels: Int) {
        Self.check({ Self.list(levels, .integer(Int64($0))) }) { list in
            expectEqual(((try? list.serialized()) == nil), (levels > PropertyList.maximumDepth))
            expectEqual(((try? list.serialized(.binary)) == nil), (levels > PropertyList.maximumDepth))
        }
    }

    @Test("Parameters too deep to be written are refused before their sets are sorted")
    func deepSets() {
        SmallStack.run(stack: 256 << 20) {
            let deep = Self.nested(50_000, ParameterValue.null) { inner, _ in .array([inner]) }
            let parameters: Parameters = ["a": ParameterValue.set([deep, deep])]
            SmallStack.run {
                #expect(throws: ParameterError.self) { try JSON(parameters) }
                #expect(throws: ParameterError.self) { try PropertyList(parameters) }
                #expect(throws: ParameterError.self) { try QueryEncoder().encode(parameters) }
            }
        }
    }

    @Test("A property list's NaN is written as XML that is read, and equals itself")
    func notANumber() throws {
        let values = [
            Double.nan, -.nan, .signalingNaN, Double(nan: 7, signaling: false), Double(nan: 1, signaling: true),
        ]
        for value in values {
            let list: PropertyList = ["x": .real(value), "y": [.real(-value)]]
            let text = try list.serialized(.xml)
            #expect(String(decoding: text, as: UTF8.self).contains("<real>nan</real>"))
            try expectEqual(PropertyList(parsing: text), list)
            try expectEqual(PropertyList(parsing: list.serialized(.binary)), list)
            try expectEqual(PropertyList(parsing: text).hashValue, list.hashValue)
        }
    }
}
