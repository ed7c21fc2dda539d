import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Set-Cookie")
struct SetCookieTests {
    @Test("Attributes are read in any case, and the last one of each is used")
    func attributes() throws {
        let field = try SetCookie(
            parsing: """
                 sid = 31d4 ; expires=Wed, 21 Oct 2026 07:28:00 GMT; MAX-AGE=5;max-age = 60 ; Domain=a.test; domain=.B.test;\
                Path=/a; path=/b; Secure; HTTPOnly; SameSite=Strict; samesite=LAX; Partitioned; Unknown=x
                """)
        #expect((field.name, field.value) == ("sid", "31d4"))
        expectEqual(field.expires, CookieTime(seconds: Int64(1_792_567_680)))
        expectEqual(field.maxAge, 60)
        expectEqual(field.domain, "b.test")
        expectEqual(field.path, .given("/b"))
        #expect(field.isSecure && field.isHTTPOnly && field.isPartitioned)
        expectEqual(field.sameSite, .lax)
    }

    @Test("A cookie without attributes has the defaults")
    func bare() throws {
        let field = try SetCookie(parsing: "a=b")
        #expect(field.maxAge == nil && field.expires == nil && field.domain == nil && field.sameSite == nil)
        expectEqual(field.path, .absent)
        #expect(!field.isSecure && !field.isHTTPOnly && !field.isPartitioned)
    }

    @Test(
        "Max-Age is read and clamped",
        arguments: [
            ("60", 60), ("0", 0), ("-1", 0), ("-0", 0), ("34560000", 34_560_000), ("34560001", 34_560_000),
            ("99999999999999999999999", 34_560_000), ("-99999999999999999999999", 0), ("", nil), ("-", nil),
            ("+5", nil),
            ("5.0", nil), ("5 0", nil), ("0x5", nil), ("٥", nil),
        ] as [(String, Int64?)])
    func maxAge(text: String, seconds: Int64?) throws {
        try expectEqual(SetCookie(parsing: "a=b; Max-Age=\(text)").maxAge, seconds)
    }

    @Test("An invalid value does not undo a valid one before it")
    func invalidValues() throws {
        let field = try SetCookie(
            parsing: "a=b; Max-Age=7; Max-Age=x; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Expires=never")
        expectEqual(field.maxAge, 7)
        expectEqual(field.expires, CookieTime(seconds: Int64(1_792_567_680)))
    }

    @Test("An unknown SameSite is the default one, which replaces an earlier one")
    func unknownSameSite() throws {
        try expectNil(SetCookie(parsing: "a=b; SameSite=Strict; SameSite=other").sameSite)
    }

    @Test(
        "The first equals sign separates name and value, which are trimmed",
        arguments: [
            ("a=b=c", "a", "b=c"), ("foo", "", "foo"), ("=foo", "", "foo"), ("==foo", "", "=foo"), ("foo=", "foo", ""),
            ("\t a\t=\t b c \t", "a", "b c"), ("a=\"b; c\"", "a", "\"b"), ("é=ü", "é", "ü"), ("a b=c", "a b", "c"),
        ])
    func pairs(line: String, name: String, value: String) throws {
        let field = try SetCookie(parsing: line)
        #expect((field.name, field.value) == (name, value))
    }

    @Test(
        "Empty lines and lines with control characters are refused",
        arguments: [
            ("", .empty), ("=", .empty), (" ; Path=/", .empty), (" = ", .empty), ("a=b\u{0}", .controlCharacter),
            ("a=b\r\nX: y", .controlCharacter), ("a=b; Path=/\u{7F}", .controlCharacter),
            ("a\u{1F}=b", .controlCharacter),
        ] as [(String, CookieRefusal)])
    func refusals(line: String, refusal: CookieRefusal) {
        #expect(throws: refusal) { try SetCookie(parsing: line) }
    }

    @Test("A line that is not UTF-8 is refused")
    func notText() {
        #expect(throws: CookieRefusal.notText) { try SetCookie(parsing: [0x61, 0x3D, 0xE9][...]) }
        #expect(throws: CookieRefusal.notText) { try SetCookie(parsing: (Array("a=b; Path=/".utf8) + [0xE9])[...]) }
    }

    @Test("Name and value may have 4,096 bytes together, the value of an attribute 1,024")
    func limits() throws {
        let long = String(repeating: "x", count: 4_096)
        try expectEqual(SetCookie(parsing: long).value, long)
        try expectEqual(SetCookie(parsing: "a=\(long.dropLast())").value.utf8.count, 4_095)
        #expect(throws: CookieRefusal.tooLong) { try SetCookie(parsing: "a=\(long)") }
        #expect(throws: CookieRefusal.tooLong) { try SetCookie(parsing: "\(long)x") }
        let path = "/" + String(repeating: "p", count: 1_023)
        try expectEqual(SetCookie(parsing: "a=b; Path=\(path)").path, .given(path))
        try expectEqual(SetCookie(parsing: "a=b; Path=/a; Path=\(path)x").path, .given("/a"))
        try expectEqual(SetCookie(parsing: "a=b; Domain=a.test; Domain=\(path)x").domain, "a.test")
    }

    @Test("Neither a description nor a mirror shows the value")
    func secrets() throws {
        let field = try SetCookie(parsing: "sid=geheim; Path=/")
        var dumped = ""
        dump(field, to: &dumped)
        #expect(!"\(field)\(String(reflecting: field))\(dumped)".contains("geheim"))
    }
}
