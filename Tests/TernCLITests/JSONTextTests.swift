import Testing

@testable import SternaTestSupport
@testable import TernCLI

@Suite struct JSONTextTests {
    @Test(arguments: [
        ("{}", "{}"), ("[ ]", "[]"), ("1.0", "1.0"), ("{\"a\" : 1}", "{\n  \"a\": 1\n}"),
        ("[1,[2,{ }]]", "[\n  1,\n  [\n    2,\n    {}\n  ]\n]"),
        (#"{"b":"x,y:{","a":1e400,"b":null}"#, "{\n  \"b\": \"x,y:{\",\n  \"a\": 1e400,\n  \"b\": null\n}"),
        (#"["\"]\\"]"#, "[\n  \"\\\"]\\\\\"\n]"), ("  true\n", "true"),
        ("[0.10,-0,12345678901234567890.50]", "[\n  0.10,\n  -0,\n  12345678901234567890.50\n]"),
    ])
    func laysOutWithoutChangingTokens(_ text: String, _ expected: String) {
        expectEqual(JSONText.render(text, indented: true, coloured: false), expected)
    }

    @Test(arguments: ["{\"a\" : [1, \"x\"] }\n", "null", "[ ]"])
    func leavesTheLayoutAlone(_ text: String) {
        expectEqual(JSONText.render(text, indented: false, coloured: false), text)
    }

    @Test(arguments: [
        (#"{"k":"v"}"#, "{\u{1B}[34m\"k\"\u{1B}[0m:\u{1B}[32m\"v\"\u{1B}[0m}"),
        ("[-1.5,true,null]", "[\u{1B}[33m-1.5\u{1B}[0m,\u{1B}[35mtrue\u{1B}[0m,\u{1B}[35mnull\u{1B}[0m]"),
    ])
    func coloursByKind(_ text: String, _ expected: String) {
        expectEqual(JSONText.render(text, indented: false, coloured: true), expected)
    }

    @Test func shieldsTheTerminalFromStrings() {
        let shown = JSONText.render("[\"\u{9B}31m\u{7F}\u{202E}\"]", indented: false, coloured: false)
        expectEqual(shown, "[\"\u{FFFD}31m\u{2421}\u{FFFD}\"]")
    }

    @Test(arguments: ["{", "]]]", "\"", "\"\\", ",:", "[1", "{\"a\":", "\u{0}", "tru", "-"])
    func survivesWhatIsNotJSON(_ text: String) {
        for indented in [true, false] {
            _ = JSONText.render(text, indented: indented, coloured: false)
        }
        expectEqual(JSONText.render(text, indented: false, coloured: false).count, text.count)
    }
}
