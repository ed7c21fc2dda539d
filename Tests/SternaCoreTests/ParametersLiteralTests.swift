import SternaCore
import SternaPlatform
import Testing

@testable import SternaTestSupport

@Suite("Parameters: literals")
struct ParametersLiteralTests {
    @Test("A literal of mixed types needs no annotation and keeps its order")
    func mixedTypes() {
        let name = "Ada"
        let mobile = "555"
        let tags: Set<String> = ["b", "a"]
        let date = Date(timeIntervalSince1970: 1)
        let maybe: String? = "yes"

        let p: Parameters = [
            "name": name, "phone": ["mobile": mobile], "tags": tags, "n": 3, "on": true, "nothing": Parameters.null,
            "when": date, "maybe": maybe, "nested": ["a": ["b": 1]], "list": [1, 2],
        ]

        expectEqual(p.keys, ["name", "phone", "tags", "n", "on", "nothing", "when", "maybe", "nested", "list"])
        expectEqual(
            p.values,
            [
                .string("Ada"), .dictionary(["mobile": "555"]), .set([.string("a"), .string("b")]), .integer(3),
                .bool(true), .null, .date(date), .string("yes"), .dictionary(["a": ["b": 1]]),
                .array([.integer(1), .integer(2)]),
            ])
    }

    @Test("Nested literals of mixed types take an annotation")
    func nestedMixedTypes() {
        let p: Parameters = [
            "user": ["name": "Ada", "age": 36] as Parameters, "mixed": [1, "two", Parameters.null] as ParameterValue,
            "tree": ["x": 1.5, "y": false] as ParameterValue, "none": [:] as Parameters,
        ]
        expectEqual(p.value(for: "user"), .dictionary(["name": "Ada", "age": 36]))
        expectEqual(p.value(for: "mixed"), .array([.integer(1), .string("two"), .null]))
        expectEqual(p.value(for: "tree"), .dictionary(["x": 1.5, "y": false]))
        expectEqual(p.value(for: "none"), .dictionary(Parameters()))
    }

    @Test("A variable that is nil leaves its pair out, at every level; a null that is asked for stays")
    func nilVariables() {
        let none: String? = nil
        let nested: Int?? = .some(.none)
        let cursor: ParameterValue? = .null
        let list: [Int?] = [1, nil]
        let p: Parameters = [
            "a": none, "b": "x", "c": nested, "d": cursor, "e": Parameters.null, "f": list,
            "g": ["h": none, "i": "y"], "j": ["k": none] as Parameters, "l": ["m": none, "n": 1] as ParameterValue,
            "o": [["p": none]],
        ]
        expectEqual(
            p,
            Parameters(
                pairs: [
                    ("b", "x"), ("d", .null), ("e", .null), ("f", .array([1, .null])), ("g", ["i": "y"]),
                    ("j", .dictionary(Parameters())), ("l", ["n": 1]), ("o", .array([.dictionary(Parameters())])),
                ] as [(String, ParameterValue)]))
        var q: Parameters = ["a": 1, "a": none]
        expectEqual(q, ["a": 1])
        q["a"] = none
        #expect(q.isEmpty)
    }

    @Test("Nil values of a dictionary variable are left out")
    func nilsOfDictionaries() {
        let names: [String: String?] = ["a": nil, "b": "x"]
        expectEqual(Parameters(names), ["b": "x"])
        expectEqual(names.parameterValue, ["b": "x"])
    }

    @Test("A repeated key takes the last value at the first place")
    func repeatedKey() {
        let p: Parameters = ["a": 1, "b": 2, "a": "three"]
        expectEqual(p.keys, ["a", "b"])
        expectEqual(p.values, [.string("three"), .integer(2)])
    }

    @Test("A repeated key is found beyond the length that has an index")
    func repeatedKeyAmongMany() {
        let pairs = (0..<40).map { ("k\($0)", ParameterValue.integer(Int64($0))) }
        let p = Parameters(pairs: pairs + [("k3", "x"), ("k20", "y")])
        expectEqual(p.count, 40)
        expectEqual(p.values[3], .string("x"))
        expectEqual(p.values[20], .string("y"))
    }
}
