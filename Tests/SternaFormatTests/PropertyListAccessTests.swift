import SternaPlatform
import SternaPropertyList
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Property lists: literals and access")
struct PropertyListAccessTests {
    private static let date = Date(timeIntervalSince1970: 5)
    private static let all: [PropertyList] = [
        "a", 7, .unsigned(.max), 1.5, true, .date(date), .data(Data([1])), [1], ["k": "v"],
    ]

    @Test("Literals make their kinds")
    func literals() {
        expectEqual(
            Self.all,
            [
                .string("a"), .integer(7), .unsigned(.max), .real(1.5), .boolean(true), .date(Self.date),
                .data(Data([1])),
                .array([.integer(1)]), .dictionary(["k": .string("v")]),
            ])
        expectEqual(Set(Self.all).count, 9)
        #expect(PropertyList.real(1) != .integer(1))
        #expect(PropertyList.boolean(true) != .integer(1))
    }

    @Test("Each kind has its value, and no other has")
    func kinds() {
        expectEqual(Self.all.map(\.string), ["a", nil, nil, nil, nil, nil, nil, nil, nil])
        expectEqual(Self.all.map(\.int), [nil, 7, nil, nil, nil, nil, nil, nil, nil])
        expectEqual(Self.all.map(\.uint), [nil, 7, .max, nil, nil, nil, nil, nil, nil])
        expectEqual(Self.all.map(\.double), [nil, 7, Double(UInt64.max), 1.5, nil, nil, nil, nil, nil])
        expectEqual(Self.all.map(\.bool), [nil, nil, nil, nil, true, nil, nil, nil, nil])
        expectEqual(Self.all.map(\.date), [nil, nil, nil, nil, nil, Self.date, nil, nil, nil])
        expectEqual(Self.all.map(\.data), [nil, nil, nil, nil, nil, nil, Data([1]), nil, nil])
        expectEqual(Self.all.map(\.array), [nil, nil, nil, nil, nil, nil, nil, [1], nil])
        expectEqual(Self.all.map(\.dictionary), [nil, nil, nil, nil, nil, nil, nil, nil, ["k": "v"]])
        expectNil(PropertyList.integer(-1).uint)
        expectEqual(PropertyList.integer(.min).int, .min)
    }

    @Test("What is not there is nil")
    func reading() {
        let tree: PropertyList = ["list": [1, ["k": "v"]], "text": "a"]
        expectEqual(tree["list"]?[1]?["k"], "v")
        expectNil(tree["none"])
        expectNil(tree["text"]?["k"])
        expectNil(tree[0])
        for index in [-1, 2, .min, .max] { expectNil(tree["list"]?[index]) }
        for value in Self.all.dropLast() { expectNil(value["k"]) }
    }

    @Test("Members are set, replaced and removed; other kinds stay as they are")
    func setting() {
        var tree: PropertyList = ["a": 1]
        tree["b"] = ["c": 2]
        tree["b"]?["c"] = 3
        tree["a"] = nil
        expectEqual(tree, ["b": ["c": 3]])
        for value in Self.all.dropLast() {
            var copy = value
            copy["k"] = 1
            copy["j"] = nil
            expectEqual(copy, value)
        }
    }
}
