import NIOCore
import SternaCore
import Testing

@testable import SternaSerialization
@testable import SternaTestSupport

@Suite("The fields that an error response refuses")
struct InvalidFieldsTests {
    private static func message(_ body: String, type: String = "application/json") -> String? {
        ServerMessage.find(in: Bytes(string: body), mediaType: MediaType(type))
    }

    static let cases: [(String, String?)] = [
        // Lists.
        (
            #"{"errors": [{"field": "email", "message": "is taken"}, {"field": "age", "message": "is missing"}]}"#,
            "email: is taken; age: is missing"
        ),
        (
            #"{"message": "Validation Failed", "errors": [{"resource": "x", "field": "title", "code": "missing_field"}]}"#,
            "Validation Failed (title: missing_field)"
        ),
        (
            """
            {"title": "Your request is not valid.", "errors": [
                {"detail": "must be a positive integer", "pointer": "#/age"},
                {"detail": "must be 'green', 'red' or 'blue'", "pointer": "#/profile/color"}
            ]}
            """,
            "Your request is not valid (age: must be a positive integer; profile/color: must be 'green', 'red' or 'blue')"
        ),
        (
            #"{"errors": [{"source": {"pointer": "/data/attributes/name"}, "title": "Bad", "detail": "Is empty."}]}"#,
            "data/attributes/name: Is empty"
        ),
        (#"{"errors": [{"source": {"parameter": "page"}, "detail": "Too large."}]}"#, "page: Too large"),
        (
            #"{"title": "Invalid", "invalid-params": [{"name": "age", "reason": "must be positive"}]}"#,
            "Invalid (age: must be positive)"
        ),
        (
            #"{"detail": [{"type": "missing", "loc": ["body", "users", 2, "email"], "msg": "Field required"}]}"#,
            "body.users.2.email: Field required"
        ),
        (#"{"error": {"message": "Bad.", "errors": [{"field": "a", "message": "b"}]}}"#, "Bad (a: b)"),
        (#"[{"field": "a", "message": "b"}, {"field": "c", "message": "d"}]"#, "a: b; c: d"),
        (#"{"errors": [{"field": "a", "errors": ["b", "c"]}]}"#, "a: b"),
        (#"{"errors": [{"message": "All of it"}, {"field": "a", "message": "b"}]}"#, "All of it; a: b"),
        (#"{"errors": [{"field": "a"}, 5, null, "x", {"field": "c", "message": "d"}]}"#, "c: d"),
        // Dictionaries.
        (
            #"{"message": "The data is invalid.", "errors": {"email": ["It is required.", "x"], "age": ["Too low."]}}"#,
            "The data is invalid (email: It is required; age: Too low)"
        ),
        (
            #"{"errors": {"title": ["can't be blank"], "message": ["is long"]}}"#,
            "title: can't be blank; message: is long"
        ),
        (#"{"errors": {"email": "is taken"}}"#, "email: is taken"),
        (#"{"errors": {"email": [{"message": "is taken", "value": "ada@example.com"}]}}"#, "email: is taken"),
        (#"{"title": "Invalid", "errors": {"": ["Send a body."]}}"#, "Invalid (Send a body)"),
        (#"{"errors": {"base": ["Out of stock"], "email": ["is taken"]}}"#, "Out of stock; email: is taken"),
        // Other errors.
        (#"{"errors": {"code": "quota", "message": "Quota exceeded."}}"#, "Quota exceeded."),
        (#"{"errors": [{"name": "ValidationError", "message": "No."}]}"#, "No."),
        (#"{"errors": [], "message": "No."}"#, "No."), (#"{"errors": {}, "title": "No."}"#, "No."),
        (#"{"error": "No.", "details": {"trace": ["line 1"]}}"#, "No."),
        (#"{"errors": {"a": {"b": ["c"]}}}"#, nil), (#"{"errors": [{"field": "a"}]}"#, nil),
        (#"{"errors": 5}"#, nil), (#"{"errors": [["a"]]}"#, "a"),
    ]

    @Test("The message names the refused fields", arguments: cases)
    func named(body: String, expected: String?) {
        expectEqual(Self.message(body), expected)
        expectEqual(Self.message(body, type: "application/problem+json"), expected)
        expectNil(Self.message(body, type: "text/html"))
    }

    @Test("Five are shown, and the others counted")
    func count() {
        let many = (1...9).map { #"{"field": "f\#($0)", "message": "m"}"# }.joined(separator: ",")
        expectEqual(Self.message(#"{"errors": [\#(many)]}"#), "f1: m; f2: m; f3: m; f4: m; f5: m; and 4 more")
        let keyed = (1...6).map { #""f\#($0)": ["m"]"# }.joined(separator: ",")
        expectEqual(Self.message(#"{"errors": {\#(keyed)}}"#), "f1: m; f2: m; f3: m; f4: m; f5: m; and 1 more")
    }

    @Test("Names, reasons and the message before them are cut, so that all have room")
    func length() throws {
        let long = String(repeating: "x", count: 900)
        let entries = (1...5).map { #"{"field": "\#($0)\#(long)", "message": "\#($0)\#(long)"}"# }
        let text = try #require(
            Self.message(#"{"message": "\#(long)", "errors": [\#(entries.joined(separator: ","))]}"#))
        for number in 1...5 { #expect(text.contains("\(number)xx") && text.contains(": \(number)xx")) }
        #expect(text.hasPrefix("xxx"))
        var error = SternaError(.unacceptableStatus, phase: .read, "No.")
        error.serverMessage = text
        expectEqual(error.message, text)
        #expect(text.count <= 1_000)
    }

    static let secrets: [(String, String)] = [
        (#"{"field": "password", "message": "is too short"}"#, "password: is too short"),
        (#"{"field": "password", "message": "'hunter2' is too short"}"#, "password: '***' is too short"),
        (#"{"field": "user.api_token", "message": "“hunter2” can't be used"}"#, "user.api_token: “***” can't be used"),
        (##"{"pointer": "#/password", "message": "\"hunter2\" isn't `hunter2`"}"##, "password: \"***\" isn't `***`"),
        (#"{"loc": ["body", "passwd"], "msg": "No 'hunter2"}"#, "body.passwd: No '***"),
        (#"{"field": "email", "message": "'ada' is none", "value": "hunter2", "input": "x"}"#, "email: 'ada' is none"),
    ]

    @Test("A secret that was sent is not shown if the server quotes it", arguments: secrets)
    func secret(entry: String, expected: String) {
        expectEqual(Self.message(#"{"errors": [\#(entry)]}"#), expected)
    }

    @Test("The error's text acts on no terminal and begins no line of a log")
    func controls() throws {
        let body = #"{"errors": {"a\u001b[2J\n": ["b\r\nc\u202ed"]}}"#
        let error = try #require(GivenAnswer(body, status: 422).error(of: .json))
        expectEqual(error.serverMessage, "a\u{FFFD}[2J : b c\u{FFFD}d")
        expectEqual(error.message, error.serverMessage)
        #expect(!error.description.contains { $0.isNewline || $0 == "\u{1B}" })
    }

    private static func fields(_ body: String, type: String = "application/json") throws -> [String: [String]] {
        try #require(GivenAnswer(body, type: type, status: 422).error(of: .json)).invalidFields
    }

    static let lists: [(String, [String: [String]])] = [
        (
            #"{"errors": {"email": ["is taken", "is long."], "base": ["Out of stock"], "age": "is low"}}"#,
            ["email": ["is taken", "is long"], "age": ["is low"]]
        ),
        (
            #"{"errors": [{"field": "a", "errors": ["b", "", "c"]}, {"field": "a", "message": "d"}, {"message": "e"}]}"#,
            ["a": ["b", "c", "d"]]
        ),
        (#"{"error": {"message": "Bad.", "errors": [{"field": "a", "message": "b"}]}}"#, ["a": ["b"]]),
        (#"[{"field": "a", "message": "b"}]"#, ["a": ["b"]]),
        (#"{"errors": {"password": ["'hunter2' is short"]}}"#, ["password": ["'***' is short"]]),
        (#"{"message": "No."}"#, [:]), ("", [:]), ("[[[[[]]]]]", [:]), ("<p>", [:]), ("5", [:]),
    ]

    @Test("The fields with all their reasons, by name", arguments: lists)
    func byName(body: String, expected: [String: [String]]) throws {
        expectEqual(try Self.fields(body), expected)
        // As with `json`, the media type does not matter.
        expectEqual(try Self.fields(body, type: "text/html"), expected)
    }

    @Test("Names and reasons are whole, and their number has limits")
    func limits() throws {
        let long = String(repeating: "x", count: 900)
        expectEqual(try Self.fields(#"{"errors": {"\#(long)": ["\#(long)"]}}"#), [long: [long]])
        let keyed = (1...120).map { #""f\#($0)": ["m"]"# }.joined(separator: ",")
        expectEqual(try Self.fields(#"{"errors": {\#(keyed)}}"#).count, 100)
        let reasons = Array(repeating: #""m""#, count: 20).joined(separator: ",")
        expectEqual(try Self.fields(#"{"errors": {"a": [\#(reasons)]}}"#)["a"]?.count, 10)
        let large = String(repeating: "x", count: 64 << 10)
        expectEqual(try Self.fields(#"{"errors": {"a": ["\#(large)"]}}"#), [:])
    }

    @Test("Much in one response costs little")
    func large() throws {
        let entries = Array(repeating: #"{"field":"a","message":"b"}"#, count: 2_000).joined(separator: ",")
        expectEqual(Self.message(#"{"errors":[\#(entries)]}"#), "a: b; a: b; a: b; a: b; a: b; and 1995 more")
    }
}
