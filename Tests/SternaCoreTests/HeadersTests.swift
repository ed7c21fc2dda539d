import HTTPTypes
import SternaCore
import Testing

@testable import SternaTestSupport

@Suite("Headers as a caller writes them")
struct HeadersTests {
    @Test("A literal keeps order and repeated names")
    func literal() {
        let headers: Headers = ["B": "1", "A": "2", "b": "3"]
        expectEqual(headers.lines.map(\.name), ["B", "A", "b"])
        expectEqual(headers.lines.map(\.value), ["1", "2", "3"])
        #expect(!headers.isEmpty)
        expectEqual(Headers([("X", "1")]), ["X": "1"])
    }

    @Test("Names are looked up, replaced and removed in any case")
    func subscripting() {
        var headers: Headers = ["X-Trace": "1", "x-trace": "2", "Accept": "*/*"]
        expectEqual(headers["X-TRACE"], "1")
        headers["x-Trace"] = "3"
        expectEqual(headers.lines.map(\.value), ["3", "*/*"])
        headers["ACCEPT"] = nil
        expectNil(headers["Accept"])
        expectNil(headers["X"])
    }

    @Test("A set value replaces all of its name, at the place of the first one")
    func place() {
        var headers: Headers = ["A": "1", "X-B": "2", "C": "3", "x-b": "4", "D": "5"]
        headers["x-B"] = "new"
        expectEqual(headers.lines.map(\.name), ["A", "x-B", "C", "D"])
        expectEqual(headers.lines.map(\.value), ["1", "new", "3", "5"])
        headers["A"] = nil
        headers["E"] = "6"
        headers["D"] = "7"
        expectEqual(headers.lines.map(\.value), ["new", "3", "7", "6"])
    }

    @Test("Merging replaces each name as a whole and keeps the rest")
    func merging() throws {
        var fields: HTTPFields = [.accept: "*/*", .userAgent: "u"]
        try (["accept": "a/b", "Accept": "c/d", "X-New": "n"] as Headers).merge(into: &fields)
        expectEqual(fields[values: .accept], ["a/b", "c/d"])
        expectEqual(fields[.userAgent], "u")
        expectEqual(fields.count, 4)
    }

    @Test("A bad line leaves the list as it was")
    func atomic() {
        var fields: HTTPFields = [.accept: "*/*"]
        let before = fields
        #expect(throws: SternaError.self) {
            try (["Accept": "a/b", "Bad": "a\nb"] as Headers).merge(into: &fields)
        }
        expectEqual(fields, before)
    }

    @Test("Typed fields are set and removed by text, in any case")
    func typed() {
        var fields: HTTPFields = [.accept: "*/*", .userAgent: "u"]
        fields["X-Trace"] = "1"
        expectEqual(fields["x-trace"], "1")
        fields[values: "x-TRACE"] = ["2", "3"]
        expectEqual(fields[values: "X-Trace"], ["2", "3"])
        fields["ACCEPT"] = "a/b\tc"
        expectEqual(fields[.accept], "a/b\tc")
        fields["user-agent"] = nil
        fields["X-None"] = nil
        fields["not a name"] = nil
        expectEqual(fields.count, 3)
    }

    @Test(
        "A text that cannot be sent removes the field, and is refused until another replaces it",
        arguments: [
            ("Accept", "a\r\nEvil: b"), ("accept", "\u{0}"), ("Content-Length", "1\n"), ("not a name", "1"), ("", "1"),
            ("Evil: 1\r\nX", "1"), (":path", "/"),
        ])
    func refused(name: String, value: String) throws {
        var fields: HTTPFields = [.userAgent: "u"]
        try fields.checkValues()
        fields[name] = value
        fields[name.uppercased()] = value
        expectNil(fields[name])
        let error = #expect(throws: SternaError.self) { try fields.checkValues() }
        expectEqual(error?.kind, .invalidHeader)
        #expect(error?.message.contains("Evil: b") == false)
        #expect(error?.message.contains("\n") == false)
        fields[name] = nil
        try fields.checkValues()
        expectEqual(fields, [.userAgent: "u"])
    }

    @Test("A valid value takes the place of a refused one, and the error names the field")
    func repaired() throws {
        var fields: HTTPFields = [.accept: "*/*"]
        fields[values: "X-Trace"] = ["1", "2\n"]
        expectEqual(fields[values: "X-Trace"], [])
        let error = #expect(throws: SternaError.self) { try fields.checkValues() }
        #expect(error?.message.contains("X-Trace") == true)
        fields["x-trace"] = "3"
        try fields.checkValues()
        expectEqual(fields.count, 2)
        var other: HTTPFields = [:]
        other["not a name"] = "1"
        let named = #expect(throws: SternaError.self) { try other.checkValues() }
        let expected = #expect(throws: SternaError.self) { try (["not a name": "1"] as Headers).merge(into: &other) }
        expectEqual(named?.message, expected?.message)
    }

    static let badNames = [
        "", " ", "A B", "A:", ":A", "A\r\nB", "A\n", "\tA", "A\u{0}", "A\u{7F}", "é", "A(", "A)", "A,", "A/", "A;",
        "A<",
        "A=", "A>", "A?", "A@", "A[", "A\\", "A]", "A{", "A}", "A\"",
    ]

    @Test("A name that is no token is refused", arguments: badNames)
    func badName(_ name: String) {
        let error = #expect(throws: SternaError.self) { try Headers.field(name, "v") }
        expectEqual(error?.kind, .invalidHeader)
        expectEqual(error?.phase, .prepare)
        expectEqual(error?.description.contains { $0.isNewline }, false)
        expectEqual(FieldSyntax.isToken(name), false)
    }

    static let badValues = [
        "a\rb", "a\nb", "a\r\nSet-Cookie: x", "\u{0}", "a\u{1}", "a\u{1B}[31m", "a\u{7F}", "\r", "\n",
    ]

    @Test("A value with a control character is refused, and is not shown", arguments: badValues)
    func badValue(_ value: String) {
        let error = #expect(throws: SternaError.self) { try Headers.field("X-Key", "s3cret" + value) }
        expectEqual(error?.kind, .invalidHeader)
        expectEqual(error?.description.contains("X-Key"), true)
        expectEqual(error.map { "\($0)" + String(reflecting: $0) }?.contains("s3cret"), false)
    }

    @Test(
        "What a value may hold goes through unchanged", arguments: ["", "a\tb", "é€", "a, b; c=\"d\"", "~!@#$%^&*()"])
    func goodValue(_ value: String) throws {
        try expectEqual(Headers.field("X-Key", value).value, value)
    }

    @Test("Every character of a token may stand in a name")
    func tokens() throws {
        let name = "!#$%&'*+-.^_`|~09azAZ"
        try expectEqual(Headers.field(name, "v").name.rawName, name)
    }

    @Test("A text for a message is short and on one line")
    func printable() {
        expectEqual(FieldSyntax.printable("a\r\nb\u{85}c"), "a\u{FFFD}\u{FFFD}b\u{FFFD}c")
        expectEqual(FieldSyntax.printable(String(repeating: "x", count: 80)).count, 80)
        expectEqual(FieldSyntax.printable(String(repeating: "x", count: 81)), String(repeating: "x", count: 80) + "…")
        expectEqual(FieldSyntax.printable("a\u{2028}b\u{2029}c").contains { $0.isNewline }, false)
    }
}
