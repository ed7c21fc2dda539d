import SternaCore
import SternaPlatform
import Testing

@testable import SternaTestSupport

@Suite("Parameters: from untyped dictionaries")
struct ParametersUntypedTests {
    struct Stranger: Hashable {}

    @Test("Known types, nested containers, sets and optionals are taken")
    func accepted() throws {
        let date = Date(timeIntervalSince1970: 0)
        let untyped: [String: Any] = [
            "z": 1, "text": "x", "flag": true, "number": 1.5, "date": date, "data": Data([7]),
            "list": [1, "two", [3.5]] as [Any],
            "tree": ["b": ["c": 1] as [String: Any], "a": false] as [String: Any],
            "set": ["y", 2] as Set<AnyHashable>,
            "numbers": [3, 1, 2] as Set<Int>,
            "hashable": AnyHashable("h"),
            "some": Optional<Any>.some(5) as Any,
            "none": Optional<Any>.none as Any,
            "noned": ["a": Optional<Any>.some(Int?.none as Any) as Any, "b": 1] as [String: Any],
            "list of none": [Optional<Any>.none as Any] as [Any],
            "keyed": [AnyHashable("k"): "v"] as [AnyHashable: Any],
            "typed": ["p": 1] as Parameters,
            "empty": [String: Any](),
        ]
        let expected: Parameters = [
            "data": Data([7]), "date": date, "empty": [:] as Parameters, "flag": true, "hashable": "h",
            "keyed": ["k": "v"], "list": [1, "two", [3.5]] as ParameterValue,
            "list of none": [Parameters.null], "noned": ["b": 1], "number": 1.5,
            "numbers": [1, 2, 3] as Set<Int>, "set": [2, "y"] as Set<ParameterValue>, "some": 5, "text": "x",
            "tree": ["a": false, "b": ["c": 1]] as Parameters, "typed": ["p": 1], "z": 1,
        ]
        try expectEqual(Parameters(untyped: untyped), expected)
    }

    @Test("A type that is not known is refused with its place")
    func refusedType() {
        let untyped: [String: Any] = ["user": ["scores": [1, 2, Stranger()] as [Any]] as [String: Any]]
        let error = #expect(throws: ParameterError.self) { try Parameters(untyped: untyped) }
        expectEqual(error?.reason, .unsupportedType("Stranger"))
        expectEqual(error?.keyPath, "user.scores[2]")
        expectEqual(error?.description, "a value of type Stranger cannot be a parameter at user.scores[2]")
    }

    @Test("A key that is not a string is refused with its place")
    func refusedKey() {
        let untyped: [String: Any] = ["a": [1: "x"] as [AnyHashable: Any]]
        let error = #expect(throws: ParameterError.self) { try Parameters(untyped: untyped) }
        expectEqual(error?.reason, .unsupportedKey("Int"))
        expectEqual(error?.keyPath, "a")
    }

    @Test("Depth is taken up to the limit and refused above it")
    func depth() throws {
        func nested(_ levels: Int) -> [String: Any] {
            var value: Any = 1
            for _ in 1..<levels { value = [value] }
            return ["a": value]
        }
        try expectEqual(Parameters(untyped: nested(512)).count, 1)
        let error = #expect(throws: ParameterError.self) { try Parameters(untyped: nested(513)) }
        expectEqual(error?.reason, .tooDeep(limit: 512))
        expectEqual(error?.description.hasPrefix("containers are nested deeper than 512 levels at a[0][0]"), true)
        #expect((error?.keyPath.unicodeScalars.count ?? .max) <= 257)
    }

    @Test("A key path shows no control characters and has an end")
    func keyPathText() {
        let error = #expect(throws: ParameterError.self) {
            try Parameters(untyped: ["a\r\nb\u{2028}": Stranger()])
        }
        expectEqual(error?.keyPath, "a\u{FFFD}\u{FFFD}b\u{FFFD}")
        let long = #expect(throws: ParameterError.self) {
            try Parameters(untyped: [String(repeating: "k", count: 5000): Stranger()])
        }
        expectEqual(long?.keyPath, String(repeating: "k", count: 256) + "…")
    }
}
