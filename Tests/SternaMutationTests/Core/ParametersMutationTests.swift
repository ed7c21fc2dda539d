import SternaCore
import Testing

@testable import SternaTestSupport

@Suite("Parameters: changes")
struct ParametersMutationTests {
    @Test("Assigning keeps the place of a key that is there and appends one that is not")
    func assignment() {
        var p: Parameters = ["a": 1, "b": 2]
        p["a"] = "x"
        p["c"] = [true]
        expectEqual(p, ["a": "x", "b": 2, "c": [true]])
        expectEqual(p["a"]?.parameterValue, .string("x"))
        expectNil(p["nowhere"])
        expectNil(p.value(for: "nowhere"))
    }

    @Test("Assigning nil removes, assigning null keeps")
    func removal() {
        var p: Parameters = ["a": 1, "b": 2, "c": 3]
        p["a"] = nil
        p["b"] = Parameters.null
        p["missing"] = nil
        expectEqual(p.keys, ["b", "c"])
        expectEqual(p.values, [.null, .integer(3)])
        expectEqual(p.removeValue(for: "c"), .integer(3))
        expectNil(p.removeValue(for: "c"))
        p.removeAll()
        #expect(p.isEmpty)
        expectEqual(p.count, 0)
    }

    @Test("Assigning an optional variable that is nil removes")
    func optionalVariable() {
        var p: Parameters = ["a": 1, "b": 2]
        let present: String? = "x"
        let absent: String? = nil
        p["a"] = present
        p["b"] = absent
        expectEqual(p, ["a": "x"])
    }

    @Test(
        "Every key is found as pairs come and go across the length that has an index", arguments: [14, 15, 16, 17, 60])
    func manyKeys(count: Int) {
        var p = Parameters()
        for number in 0..<count { p["k\(number)"] = number }
        for number in stride(from: 0, to: count, by: 3) { p["k\(number)"] = nil }
        let left = (0..<count).filter { $0 % 3 != 0 }
        expectEqual(p.keys, left.map { "k\($0)" })
        for number in 0..<count {
            expectEqual(p.value(for: "k\(number)"), (number % 3 == 0 ? nil : .integer(Int64(number))))
        }
        p["new"] = 1
        expectEqual(p.keys.last, "new")
        expectEqual(p.value(for: "new"), .integer(1))
    }

    @Test("Merging sets over")
    func merging() {
        let base: Parameters = ["a": 1, "b": 2]
        expectEqual(base.merging(["b": 3, "c": 4]), ["a": 1, "b": 3, "c": 4])
        var changed = base
        changed.merge([:])
        expectEqual(changed, base)
    }

    @Test("Iteration gives the pairs in order")
    func iteration() {
        let p: Parameters = ["z": 1, "a": "b"]
        expectEqual(p.map { "\($0.key)=\($0.value)" }, ["z=1", "a=\"b\""])
    }

    @Test("Equality asks for pairs and order")
    func equality() {
        let p: Parameters = ["a": 1, "b": 2]
        expectEqual(p, ["a": 1, "b": 2])
        #expect(p != ["b": 2, "a": 1])
        #expect(p != ["a": 1])
        expectEqual(p.hashValue, (["a": 1, "b": 2] as Parameters).hashValue)
    }

    @Test("A dictionary of mixed values is taken with its keys in order")
    func fromDictionary() {
        let dictionary: [String: any ParameterConvertible] = ["b": 1, "a": "x", "c": false]
        expectEqual(Parameters(dictionary), ["a": "x", "b": 1, "c": false])
    }
}
