import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Media types")
struct MediaTypeTests {
    static let good: [(String, String, [String])] = [
        ("text/html", "text/html", []),
        ("Text/HTML", "text/html", []),
        (" text/html ", "text/html", []),
        ("text/html;", "text/html", []),
        ("text/html; charset=utf-8", "text/html", ["charset", "utf-8"]),
        ("text/html;charset=UTF-8", "text/html", ["charset", "UTF-8"]),
        ("text/html ; Charset = \"utf-8\"", "text/html", ["charset", "utf-8"]),
        ("application/problem+json", "application/problem+json", []),
        ("multipart/mixed; boundary=\"a;b\\\"c\"; x=1", "multipart/mixed", ["boundary", "a;b\"c", "x", "1"]),
        ("a/b; c", "a/b", []),
        ("a/b; =x; y=", "a/b", ["y", ""]),
        ("a/b; x=\"\"", "a/b", ["x", ""]),
        ("a/b; x=\"open", "a/b", ["x", "\"open"]),
        (
            "application/vnd.api+json; ext=\"https://jsonapi.org/ext/atomic\"", "application/vnd.api+json",
            ["ext", "https://jsonapi.org/ext/atomic"]
        ),
    ]

    @Test("A type, its subtype and parameters", arguments: good)
    func parse(field: String, essence: String, parameters: [String]) throws {
        let type = try #require(MediaType(field))
        expectEqual(type.essence, essence)
        expectEqual(type.parameters.flatMap { [$0.name, $0.value] }, parameters)
    }

    static let bad = [
        "", " ", "text", "text/", "/html", "text/html/x", "te xt/html", "text/ht ml", "text /html", ";charset=utf-8",
        "text/html, text/plain", "text/h\u{E9}", "\u{212A}/b", "te\"xt/html",
    ]

    @Test("Text that is not a type and a subtype is refused", arguments: bad)
    func refuse(field: String) {
        expectNil(MediaType(field))
    }

    @Test("The first parameter of a name counts, in any case")
    func lookup() throws {
        let type = try #require(MediaType("a/b; CHARSET=ISO-8859-1; charset=utf-8"))
        expectEqual(type.charset, "iso-8859-1")
        expectEqual(type["charset"], "ISO-8859-1")
        expectNil(type["x"])
    }

    @Test("Parameters without end are bounded")
    func bounded() throws {
        let type = try #require(MediaType("a/b" + String(repeating: "; x=1", count: 10_000)))
        #expect(type.parameters.count <= 100)
    }
}
