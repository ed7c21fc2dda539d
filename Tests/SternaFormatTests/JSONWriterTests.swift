import SternaCore
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("JSON: writing")
struct JSONWriterTests {
    static let strings: [(String, String)] = [
        ("", #""""#),
        ("a\"b\\c/d", #""a\"b\\c/d""#),
        ("\u{8}\u{C}\n\r\t", #""\b\f\n\r\t""#),
        ("\u{0}\u{1}\u{F}\u{10}\u{1F}\u{B}", #""\u0000\u0001\u000f\u0010\u001f\u000b""#),
        ("\u{7F}é日😀\u{2028}\u{2029}", "\"\u{7F}é日😀\u{2028}\u{2029}\""),
    ]

    @Test("Strings escape what they must and nothing else", arguments: strings)
    func string(text: String, expected: String) throws {
        try expectEqual(JSON.string(text).serializedString(), expected)
        try expectEqual(JSON.object([text: 1]).serializedString(), "{\(expected):1}")
    }

    static let tree: JSON = ["b": [1, [], [:], ["x": nil]], "a": ["d/e": true, "c": "s"]]

    static let options: [(JSON.WritingOptions, String)] = [
        ([], #"{"b":[1,[],{},{"x":null}],"a":{"d/e":true,"c":"s"}}"#),
        (.sortedKeys, #"{"a":{"c":"s","d/e":true},"b":[1,[],{},{"x":null}]}"#),
        (.escapesSlashes, #"{"b":[1,[],{},{"x":null}],"a":{"d\/e":true,"c":"s"}}"#),
        (
            .pretty,
            """
            {
              "b": [
                1,
                [],
                {},
                {
                  "x": null
                }
              ],
              "a": {
                "d/e": true,
                "c": "s"
              }
            }
            """
        ),
        (
            [.pretty, .sortedKeys, .escapesSlashes],
            """
            {
              "a": {
                "c": "s",
                "d\\/e": true
              },
              "b": [
                1,
                [],
                {},
                {
                  "x": null
                }
              ]
            }
            """
        ),
    ]

    @Test("Each option has its form", arguments: options)
    func option(options: JSON.WritingOptions, expected: String) throws {
        try expectEqual(Self.tree.serializedString(options), expected)
        try expectEqual(Self.tree.serialized(options), Array(expected.utf8))
        try expectEqual(JSON(parsing: expected), Self.tree)
    }

    @Test("The description is the compact form")
    func description() {
        expectEqual(Self.tree.description, Self.options[0].1)
        expectEqual("\(Self.tree["a"])", #"{"d/e":true,"c":"s"}"#)
        expectEqual(JSON.number(JSON.Number(Double.nan)).description, "nan")
    }

    @Test("A number that is not finite is refused with its place", arguments: [Double.nan, .infinity, -.infinity])
    func nonFinite(value: Double) {
        let json: JSON = ["user": ["scores": [1, 2, .number(JSON.Number(value))]]]
        let error = #expect(throws: ParameterError.self) { try json.serialized() }
        expectEqual(error?.reason, .nonFiniteNumber)
        expectEqual(error?.keyPath, "user.scores[2]")
        expectEqual(error?.description, "a number is not finite at user.scores[2]")
        let top = #expect(throws: ParameterError.self) {
            try JSON.number(JSON.Number(value)).serializedString(.pretty)
        }
        expectEqual(top?.description, "a number is not finite")
    }
}
