import NIOCore
import SternaCore
import Testing

@testable import SternaSerialization
@testable import SternaTestSupport

@Suite("The server's own message")
struct ServerMessageTests {
    static let cases: [(String?, String, String?)] = [
        ("application/json", #"{"message": "No such user."}"#, "No such user."),
        ("application/json; charset=utf-8", #"{"message": "é"}"#, "é"),
        (
            "application/problem+json", #"{"type": "x", "title": "Gone", "detail": "It was deleted.", "status": 410}"#,
            "It was deleted."
        ),
        ("application/problem+json", #"{"title": "Gone", "status": 410}"#, "Gone"),
        (
            "application/json", #"{"error": "invalid_grant", "error_description": "The code has expired."}"#,
            "The code has expired."
        ),
        ("application/json", #"{"error": "invalid_grant"}"#, "invalid_grant"),
        ("application/json", #"{"error": {"code": 5, "message": "Quota exceeded."}}"#, "Quota exceeded."),
        (
            "application/vnd.api+json", #"{"errors": [{"title": "Bad", "detail": "Name is missing."}]}"#,
            "Name is missing."
        ),
        ("application/json", #"{"errors": ["first", "second"]}"#, "first"),
        ("application/json", #"{"message": "", "detail": "x"}"#, "x"),
        ("application/json", #"{"message": 5, "detail": "x"}"#, "x"),
        ("application/json", #""just text""#, "just text"),
        (nil, #"{"message": "m"}"#, "m"),
        ("text/plain", "Not here.\nSecond line", "Not here."),
        ("text/plain; charset=utf-8", "\r\n\r\nNot here.\r\n", "Not here."),
        ("text/html", "<h1>Not Found</h1>", nil),
        ("application/json", "<h1>Not Found</h1>", nil),
        // Exponents at the ends of `Int`.
        ("application/json", #"{"a": 1e9223372036854775807, "message": "m"}"#, "m"),
        (nil, #"{"a": -1e-9223372036854775808, "message": "m"}"#, "m"),
        ("application/json", "{", nil),
        ("application/json", "{}", nil),
        ("application/json", "[]", nil),
        ("application/json", "null", nil),
        ("application/octet-stream", #"{"message": "m"}"#, nil),
        ("text/plain", "", nil),
        ("text/plain", "\n\n", nil),
    ]

    @Test("The message is found in the members that APIs use", arguments: cases)
    func find(type: String?, body: String, message: String?) {
        expectEqual(ServerMessage.find(in: Bytes(string: body), mediaType: type.flatMap { MediaType($0) }), message)
    }

    @Test("No message is looked for in long or deep bodies")
    func bounds() {
        let json = MediaType("application/json")
        let long = #"{"message": "\#(String(repeating: "x", count: 70_000))"}"#
        expectNil(ServerMessage.find(in: Bytes(string: long), mediaType: json))
        let deep = String(repeating: #"{"error":"#, count: 20_000) + "1" + String(repeating: "}", count: 20_000)
        expectNil(ServerMessage.find(in: Bytes(string: deep), mediaType: json))
    }
}
