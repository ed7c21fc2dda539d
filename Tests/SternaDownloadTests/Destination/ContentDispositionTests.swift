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
        // If the extended value cannot be decoded, the plain one is used.
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
        // The first parameter of a name is used.
        ("attachment; filename=a; filename=b", "a"), ("attachment; filename=\"\"; filename=b", nil),
    ]

    @Test("The suggested name is read as browsers read it", arguments: names)
    func name(field: String, expected: String?) {
        expectEqual(ContentDisposition(Array(field.utf8))?.filename, expected)
    }

    @Test(
        "Bytes that are not UTF-8 are windows-1252",
        arguments: [
            ("attachment; filename=\"Gr\u{F6}\u{DF}e.pdf\"", "Größe.pdf"), ("attachment; filename=na\u{EF}ve", "naïve"),
            // 0x80 and 0x97 are controls in ISO-8859-1.
            ("attachment; filename=\"5\u{80} \u{97} a.txt\"", "5€ — a.txt"),
            ("attachment; filename*=iso-8859-1''5%80.txt", "5€.txt"),
            // UTF-8, byte by byte.
            ("attachment; filename=\"\u{C3}\u{B6}.txt\"", "ö.txt"),
            ("attachment; filename=\"\u{C3}\u{B6}\u{E9}\"", "Ã¶é"),
            // Each value by itself.
            ("attachment; x=\u{E9}; filename=\u{C3}\u{A9}", "é"),
            ("attachment; filename=\u{E9}; filename*=UTF-8''%C3%A8", "è"),
        ])
    func latin1(characters: String, expected: String) {
        let bytes = characters.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        expectEqual(ContentDisposition(bytes)?.filename, expected)
    }

    @Test("The type and the names of parameters are read in lower case, and the first of each is used")
    func pieces() throws {
        let field = try #require(ContentDisposition(Array("Form-Data; Name=\"A\" ; size=12; =x; a b=c; name=B".utf8)))
        expectEqual(field.type, "form-data")
        expectEqual(field.parameters, [.init(name: "name", value: "A"), .init(name: "size", value: "12")])
        expectEqual(field["size"], "12")
        expectNil(field["filename"])
    }

    @Test("The length and the number of parameters have limits")
    func limits() throws {
        let long = "a; filename=" + String(repeating: "x", count: ContentDisposition.Limits.bytes)
        expectNil(ContentDisposition(Array(long.utf8)))
        let many = (0..<1_000).map { "p\($0)=1" }.joined(separator: ";")
        let field = try #require(ContentDisposition(Array("attachment;\(many);filename=a".utf8)))
        expectEqual(field.parameters.count, ContentDisposition.Limits.parameters)
        expectNil(field.filename)
    }
}
