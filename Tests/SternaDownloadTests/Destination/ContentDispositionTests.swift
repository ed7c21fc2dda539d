import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Content-Disposition")
struct ContentDispositionTests {
    private static let names: [(String, String?)] = [
        // RFC 6266, 4 and 5.
        ("attachment; filename=example.html", "example.html"),
        ("INLINE; FILENAME= \"an example.html\"", "an example.html"),
        ("attachment; filename*= UTF-8''%e2%82%ac%20rates", "€ rates"),
        ("attachment; filename=\"EURO rates\"; filename*=utf-8''%e2%82%ac%20rates", "€ rates"),
        ("attachment; filename*=utf-8'de'%c3%a4; filename=a", "ä"),
        ("attachment; filename*=iso-8859-1'en'%A3%20rates", "£ rates"),
        ("attachment; filename=\"a; b.txt\"", "a; b.txt"), ("attachment; filename=\"a\\\"b\\\\c\"", "a\"b\\c"),
        ("inline", nil), ("attachment; name=a", nil), ("", nil), (";", nil), ("attachment; filename=", nil),
        // An extended value that cannot be decoded leaves the plain one.
        ("attachment; filename*=UTF-8''%zz; filename=ok", "ok"), ("attachment; filename*=UTF-8''%; filename=ok", "ok"),
        ("attachment; filename*=UTF-8''%FF; filename=ok", "ok"),
        ("attachment; filename*=koi8-r''%C1; filename=ok", "ok"),
        ("attachment; filename*=UTF-8'a; filename=ok", "ok"), ("attachment; filename*=UTF-8''; filename=ok", "ok"),
        // As browsers read them.
        ("filename=a.html", "a.html"), ("attachment;;filename = a ;", "a"),
        ("attachment; filename=a b.html; x=y", "a b.html"),
        ("attachment; filename=\"abc", "abc"), ("attachment; filename=\"a\\", "a\\"),
        ("attachment; filename=\"naïve.txt\"", "naïve.txt"),
        ("attachment; filename*=\"UTF-8''a%20b\"", "a b"), ("attachment; x=\"a;filename=b\"; filename=c", "c"),
        ("attachment; filename=\"a\"b\"; filename=c\"", "a"), ("attachment; filename='a'", "'a'"),
        // Neither percent signs nor encoded words are decoded in a plain value.
        ("attachment; filename=a-%41.html", "a-%41.html"), ("attachment; filename=\"=?UTF-8?Q?a?=\"", "=?UTF-8?Q?a?="),
        // The first of a name counts.
        ("attachment; filename=a; filename=b", "a"), ("attachment; filename=\"\"; filename=b", nil),
    ]

    @Test("The suggested name", arguments: names)
    func name(field: String, expected: String?) {
        expectEqual(ContentDisposition(field)?.filename, expected)
    }

    @Test("Type and parameters, in lower case")
    func pieces() throws {
        let field = try #require(ContentDisposition("Form-Data; Name=\"A\" ; size=12; =x; a b=c; name=B"))
        expectEqual(field.type, "form-data")
        expectEqual(field.parameters, [.init(name: "name", value: "A"), .init(name: "size", value: "12")])
        expectEqual(field["size"], "12")
        expectNil(field["filename"])
    }

    @Test("Limits on the length and on the number of parameters")
    func limits() throws {
        expectNil(
            ContentDisposition("a; filename=" + String(repeating: "x", count: ContentDisposition.Limits.bytes)))
        let many = (0..<1_000).map { "p\($0)=1" }.joined(separator: ";")
        let field = try #require(ContentDisposition("attachment;\(many);filename=a"))
        expectEqual(field.parameters.count, ContentDisposition.Limits.parameters)
        expectNil(field.filename)
    }
}
