import SternaCore
import Testing

@Suite("Parameters: changes")
struct ParametersMutationTests {
    @Test("Assigning keeps the place of a key that is there and appends one that is not")
    func assignment() {
        var p: Parameters = ["a": 1, "b": 2]
        p["a"] = "x"
        p["c"] = [true]
        #expect(p == ["a": "x", "b": 2, "c": [true]])
        #expect(p["a"]?.parameterValue == .string("x"))
        #expect(p["nowhere"] == nil)
        #expect(p.value(for: "nowhere") == nil)
    }

    @Test("Assigning nil removes, assigning null keeps")
    func removal() {
        var p: Parameters = ["a": 1, "b": 2, "c": 3]
        p["a"] = nil
        p["b"] = Parameters.null
        p["missing"] = nil
        #expect(p.keys == ["b", "c"])
        #expect(p.values == [.null, .integer(3)])
        #expect(p.removeValue(for: "c") == .integer(3))
        #expect(p.removeValue(for: "c") == nil)
        p.removeAll()
        #expect(p.isEmpty)
        #expect(p.count == 0)
    }

    @Test("Assigning an optional variable that is nil removes")
    func optionalVariable() {
        var p: Parameters = ["a": 1, "b": 2]
        let present: String? = "x"
        let absent: String? = nil
        p["a"] = present
        p["b"] = absent
        #expect(p == ["a": "x"])
    }

    @Test(
        "Every key is found as pairs come and go across the length that has an index", arguments: [14, 15, 16, 17, 60])
    func manyKeys(count: Int) {
        var p = Parameters()
        for number in 0..<count { p["k\(number)"] = number }
        for number in stride(from: 0, to: count, by: 3) { p["k\(number)"] = nil }
        let left = (0..<count).filter { $0 % 3 != 0 }
        #expect(p.keys == left.map { "k\($0)" })
        for number in 0..<count {
            #expect(p.value(for: "k\(number)") == (number % 3 == 0 ? nil : .integer(Int64(number))))
        }
        p["new"] = 1
        #expect(p.keys.last == "new")
        #expect(p.value(for: "new") == .integer(1))
    }

    @Test("Merging sets over")
    func merging() {
        let base: Parameters = ["a": 1, "b": 2]
        #expect(base.merging(["b": 3, "c": 4]) == ["a": 1, "b": 3, "c": 4])
        var changed = base
        changed.merge([:])
        #expect(changed == base)
    }

    @Test("Iteration gives the pairs in order")
    func iteration() {
        let p: Parameters = ["z": 1, "a": "b"]
        #expect(p.map { "\($0.key)=\($0.value)" } == ["z=1", "a=\"b\""])
    }

    @Test("Equality asks for pairs and order")
    func equality() {
        let p: Parameters = ["a": 1, "b": 2]
        #expect(p == ["a": 1, "b": 2])
        #expect(p != ["b": 2, "a": 1])
        #expect(p != ["a": 1])
        #expect(p.hashValue == (["a": 1, "b": 2] as Parameters).hashValue)
    }

    @Test("A dictionary of mixed values is taken with its keys in order")
    func fromDictionary() {
        let dictionary: [String: any ParameterConvertible] = ["b": 1, "a": "x", "c": false]
        #expect(Parameters(dictionary) == ["a": "x", "b": 1, "c": false])
    }
}
