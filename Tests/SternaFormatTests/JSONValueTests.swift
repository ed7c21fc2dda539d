import SternaCore
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("JSON: from values of variables")
struct JSONValueTests {
    // A literal in place of a variable would make a tree without these initializers.
    private static let (isOn, isOff, name, empty) = (true, false, "é\"", "")
    private static let (small, great, huge) = (Int8.min, Int.max, UInt64.max)
    private static let (fraction, whole, tiny) = (21.5, 2.0, Double.leastNonzeroMagnitude)
    private static let list: [JSON] = [1, "two", [nil]]
    private static let members: [String: JSON] = ["b": [true], "a": nil, "c": ["d": 1]]

    static let trees: [(tree: JSON, text: String)] = [
        (JSON(isOn), "true"), (JSON(isOff), "false"),
        (JSON(small), "-128"), (JSON(great), "9223372036854775807"), (JSON(huge), "18446744073709551615"),
        (JSON(fraction), "21.5"), (JSON(whole), "2"), (JSON(tiny), "5e-324"),
        (JSON(name), #""é\"""#), (JSON(empty), #""""#),
        (JSON(list), #"[1,"two",[null]]"#), (JSON([JSON]()), "[]"),
        (JSON(members), #"{"a":null,"b":[true],"c":{"d":1}}"#), (JSON([String: JSON]()), "{}"),
    ]

    @Test("Each has its JSON", arguments: trees.indices)
    func text(index: Int) throws {
        let (tree, text) = Self.trees[index]
        try expectEqual(tree.serializedString(), text)
    }

    @Test("They stand in a literal beside nested literals of mixed types")
    func inLiteral() throws {
        let tree: JSON = [
            "user": ["name": JSON(Self.name), "tags": ["a"], "all": JSON(Self.list)], "n": JSON(Self.fraction),
            "ids": JSON([Self.great].map { JSON($0) }),
        ]
        try expectEqual(
            tree.serializedString(),
            #"{"user":{"name":"é\"","tags":["a"],"all":[1,"two",[null]]},"n":21.5,"ids":[9223372036854775807]}"#)
    }

    @Test(
        "A number that is not finite makes a tree that cannot be written",
        arguments: [Double.nan, .infinity, -.infinity])
    func nonFinite(value: Double) {
        let tree: JSON = ["scores": [1, JSON(value)]]
        expectEqual(tree["scores"][1].number?.isFinite, false)
        let error = #expect(throws: ParameterError.self) { try tree.serialized() }
        expectEqual(error?.reason, .nonFiniteNumber)
        expectEqual(error?.keyPath, "scores[1]")
    }
}
