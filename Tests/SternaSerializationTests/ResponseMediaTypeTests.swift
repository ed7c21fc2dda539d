import HTTPTypes
import NIOCore
import SternaCore
import SternaSerialization
import Testing

@testable import SternaTestSupport

/// Fetch, "extract a MIME type"; the examples of the standard are among the rows.
@Suite("The media type of a response")
struct ResponseMediaTypeTests {
    private func response(_ lines: [String], wire: Bool = true) throws -> Response {
        let section =
            wire
            ? FieldSection(checkedLines: Bytes(string: lines.map { "Content-Type: \($0)\r\n" }.joined()))
            : FieldSection(HTTPFields(lines.map { HTTPField(name: .contentType, value: $0) }))
        return Response(status: .ok, section: section, url: try HTTPURL("http://a.test"))
    }

    static let rows: [([String], String?)] = [
        ([], nil), ([""], nil), (["nothing"], nil), (["text/html"], "text/html"),
        (["Text/HTML;Charset=UTF-8"], "text/html; charset=UTF-8"),
        (["text/plain;charset=utf-8", "text/html"], "text/html"),
        (["text/html;charset=\"gbk\"", "text/plain", "text/html"], "text/html"),
        (["text/plain;charset=gbk, text/plain"], "text/plain; charset=gbk"),
        (["text/plain;charset=gbk", "text/plain;charset=windows-1252"], "text/plain; charset=windows-1252"),
        (["text/html;charset=gbk;a=b, text/html;x=y"], "text/html; x=y; charset=gbk"),
        (["text/html;charset=gbk;a=b", "text/html;x=y"], "text/html; x=y; charset=gbk"),
        (["text/html;x=\",text/plain"], "text/html; x=\",text/plain"),
        (["text/html;x=\"a,b\"", "x/y"], "x/y"), (["text/html;x=\"a,b\""], "text/html; x=a,b"),
        (["text/html", "cannot-parse"], "text/html"), (["text/html", "*/*"], "text/html"),
        (["*/*"], nil), (["*/*;charset=utf-8"], nil), (["*/*", "*/*"], nil), (["*/*, */*"], nil),
        (["text/*"], "text/*"),
        (["text/html", ""], "text/html"),
        (["application/json, application/json"], "application/json"), ([","], nil), (["text/html,"], "text/html"),
    ]

    @Test("The last type that can be read counts", arguments: rows)
    func last(lines: [String], expected: String?) throws {
        try expectEqual(response(lines).mediaType?.description, expected)
        try expectEqual(response(lines, wire: false).mediaType?.description, expected)
    }

    @Test("Serializers judge by it, read by its character set, and never show the joined text")
    func serializers() throws {
        let body = Bytes(string: #"{"a":1}"#)
        let twice = try response(["text/html", "application/json"])
        try expectEqual(JSONResponseSerializer().serialize(twice, body: body)["a"].int, 1)
        let reversed = try response(["application/json", "text/html"])
        let error = #expect(throws: SternaError.self) { try JSONResponseSerializer().serialize(reversed, body: body) }
        expectEqual(error?.kind, .unacceptableMediaType)
        expectEqual(error?.detail.contains("“text/html”"), true)
        let latin = try response(["text/plain; charset=utf-8", "text/plain; charset=iso-8859-1"])
        try expectEqual(TextResponseSerializer().serialize(latin, body: Bytes(bytes: [0xE9])), "\u{E9}")
    }
}
