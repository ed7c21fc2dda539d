import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Cookies: acceptance and matching")
struct CookieRulesTests {
    @Test(
        "A cookie's domain must contain the host, and must not be a public suffix",
        arguments: [
            ("example.com", "www.example.com", nil), (".example.com", "www.example.com", nil),
            ("www.example.com", "www.example.com", nil), ("EXAMPLE.com", "www.example.com", nil),
            ("", "www.example.com", nil), (".", "www.example.com", nil),
            ("other.com", "www.example.com", .foreignDomain), ("ample.com", "www.example.com", .foreignDomain),
            ("a.www.example.com", "www.example.com", .foreignDomain),
            ("..example.com", "www.example.com", .invalidDomain),
            ("example.com.", "www.example.com", .foreignDomain), ("example.com.", "www.example.com.", nil),
            // Supercookies.
            ("com", "www.example.com", .publicSuffix), (".com", "www.example.com", .publicSuffix),
            ("com.", "www.example.com.", .publicSuffix), ("co.uk", "a.co.uk", .publicSuffix),
            ("github.io", "me.github.io", .publicSuffix), ("github.io", "github.io", nil),
            ("xn--55qx5d.cn", "a.xn--55qx5d.cn", .publicSuffix), ("com", "a..com", .publicSuffix),
            (".com", "a..com", .publicSuffix), ("..com", "a..com", .invalidDomain),
            // Single labels and addresses have no names below them.
            ("localhost", "localhost", nil), ("localhost", "a.localhost", .publicSuffix),
            ("127.0.0.1", "127.0.0.1", nil),
            ("0.0.1", "127.0.0.1", .foreignDomain), ("[::1]", "[::1]", nil), ("1", "127.0.0.1", .foreignDomain),
            // Only ASCII.
            ("bücher.example", "bücher.example", .invalidDomain), ("xn--bcher-kva.example", "bücher.example", nil),
        ] as [(String, String, CookieRefusal?)])
    func domains(domain: String, host: String, refusal: CookieRefusal?) throws {
        var scene = CookieScene()
        #expect(try scene.set("a=b; Domain=\(domain)", from: "http://\(host)/") == refusal)
        #expect(try scene.field("http://\(host)/") == (refusal == nil ? "a=b" : nil))
    }

    @Test("A public suffix has cookies of its own host")
    func publicSuffixHost() throws {
        var scene = CookieScene()
        #expect(try scene.set("a=b; Domain=github.io", from: "https://github.io/") == nil)
        expectEqual(scene.state.all(scene.now).map(\.isHostOnly), [true])
        #expect(try scene.field("https://me.github.io/") == nil)
    }

    @Test("An IDN and its ASCII form are the same host")
    func internationalHosts() throws {
        var scene = CookieScene()
        #expect(try scene.set("a=b", from: "http://BÜCHER.example/") == nil)
        #expect(try scene.field("http://xn--bcher-kva.example/") == "a=b")
    }

    @Test("A host of more than 255 bytes has no cookies")
    func longHost() throws {
        let host = String(repeating: "a.", count: 126) + "test"
        var scene = CookieScene()
        #expect(try scene.set("a=b", from: "http://\(host)/") == .invalidDomain)
        #expect(try scene.set("a=b", from: "http://\(host.dropFirst(2))/") == nil)
        #expect(try scene.field("http://\(host.dropFirst(2))/") == "a=b")
        #expect(try scene.set("a=b; Domain=\(host.dropFirst(4))", from: "http://\(host.dropFirst(2))/") == nil)
        #expect(try scene.field("http://\(host)/") == nil)
    }

    @Test(
        "The default path is the URL's path up to its last slash",
        arguments: [
            ("/", "/"), ("/a", "/"), ("/a/", "/a"), ("/a/b", "/a"), ("/a/b/", "/a/b"), ("/a?b/c", "/"), ("", "/"),
        ])
    func defaultPaths(path: String, expected: String) throws {
        #expect(CookieMatching.defaultPath(try HTTPURL("http://a.test\(path)")) == expected)
    }

    @Test(
        "A path matches itself and the paths below it",
        arguments: [
            ("/", "/x", true), ("/a", "/a", true), ("/a", "/a/", true), ("/a", "/a/b", true), ("/a", "/ab", false),
            ("/a/", "/a", false), ("/a/", "/a/b", true), ("/A", "/a", false), ("/a/b", "/a", false),
            ("/é", "/e\u{301}", false),
        ])
    func paths(cookie: String, request: String, matches: Bool) {
        expectEqual(CookieMatching.isPath(cookie, of: request), matches)
    }

    @Test("A query is not a part of the path")
    func queries() throws {
        var scene = CookieScene()
        try scene.set("a=b; Path=/x?y", from: "http://a.test/")
        try scene.set("c=d; Path=/x", from: "http://a.test/")
        #expect(try scene.field("http://a.test/x?y") == "c=d")
    }

    @Test("Secure cookies are accepted from and sent to secure connections only")
    func secure() throws {
        var scene = CookieScene()
        #expect(try scene.set("a=1; Secure", from: "http://a.test/") == .insecure)
        #expect(try scene.set("a=1; Secure", from: "https://a.test/") == nil)
        #expect(try scene.field("http://a.test/") == nil)
        #expect(try scene.field("https://a.test/") == "a=1")
        #expect(try scene.field("wss://a.test/") == "a=1")
    }

    @Test(
        "A cookie of plain http neither replaces nor hides a secure one",
        arguments: [
            ("a=2", "http://www.a.test/", .shadowsSecure),
            ("a=2; Path=/login/en", "http://www.a.test/", .shadowsSecure),
            ("a=2; Domain=a.test; Path=/login", "http://www.a.test/", .shadowsSecure),
            ("a=2; Path=/login", "http://a.test/", .shadowsSecure),
            ("a=2; Path=/login", "http://x.www.a.test/", .shadowsSecure),
            ("a=2; Path=/login; Max-Age=0", "http://www.a.test/", .shadowsSecure),
            // Cookies with other names, paths that are not below, and other hosts do not shadow it.
            ("b=2; Path=/login", "http://www.a.test/", nil), ("a=2; Path=/", "http://x.www.a.test/", nil),
            ("a=2; Path=/log", "http://www.a.test/", nil), ("a=2; Path=/login", "http://other.a.test/", nil),
            ("a=2; Path=/login", "https://www.a.test/", nil),
        ] as [(String, String, CookieRefusal?)])
    func overwriting(line: String, url: String, refusal: CookieRefusal?) throws {
        var scene = CookieScene()
        // The default path of the first line is /login.
        let line = line.contains("Path") ? line : "\(line); Path=/login"
        #expect(try scene.set("a=1; Secure; Domain=www.a.test", from: "https://www.a.test/login/") == nil)
        try expectEqual(scene.set(line, from: url), refusal)
        if refusal != nil { #expect(try scene.field("https://www.a.test/login") == "a=1") }
    }

    @Test("The names below a public suffix do not hide its secure cookie, either")
    func overwritingPublicSuffix() throws {
        var scene = CookieScene()
        #expect(try scene.set("a=1; Secure", from: "https://localhost/") == nil)
        #expect(try scene.set("a=2", from: "http://app.localhost/") == .shadowsSecure)
        #expect(try scene.set("b=1; Secure", from: "https://app.localhost/") == nil)
        #expect(try scene.set("b=2", from: "http://localhost/") == .shadowsSecure)
    }

    @Test(
        "Cookies with a prefix must have its attributes",
        arguments: [
            ("__Secure-a=1; Secure", nil), ("__Secure-a=1", .prefix), ("__Host-a=1; Secure; Path=/", nil),
            ("__Host-a=1; Path=/", .prefix), ("__Host-a=1; Secure", .prefix), ("__Host-a=1; Secure; Path=/a", .prefix),
            ("__Host-a=1; Secure; Path=/; Domain=a.test", .prefix), ("__Host-a=1; Secure; Path=/; Domain=", nil),
            // Forgeries by case, by white space, and by a missing name.
            ("__host-a=1", .prefix), ("__HOST-a=1; Secure", .prefix), ("__sEcUrE-a=1", .prefix),
            (" \t__Host-a=1", .prefix), ("\u{A0}__Host-a=1", .prefix), ("\u{2003}__Secure-a=1", .prefix),
            ("\u{85}__Host-a=1", .prefix), ("\u{200B}__Host-a=1", .prefix), ("\u{FEFF}__Host-a=1", .prefix),
            ("__Host-a", .prefix), ("=__Host-a=1", .prefix), ("= __host-a=1; Secure; Path=/", .prefix),
            ("=\u{3000}__Secure-a=1; Secure", .prefix), ("=__SECURE-", .prefix),
            // These names have no prefix.
            ("__Hosta=1", nil), ("a__Host-=1", nil), ("_Host-a=1", nil), ("__Secure=1", nil), ("a=__Host-a", nil),
        ] as [(String, CookieRefusal?)])
    func prefixes(line: String, refusal: CookieRefusal?) throws {
        var scene = CookieScene()
        #expect(try scene.set(line, from: "https://a.test/b/c") == refusal)
    }

    @Test("Max-Age precedes Expires, and both end after 400 days")
    func lifetimes() throws {
        var scene = CookieScene()
        let days: (Int64) -> CookieTime = { [now = scene.now] in now.advanced(bySeconds: $0 * 86_400) }
        let cases: [(String, CookieTime?)] = [
            ("", nil), ("; Max-Age=86400; Expires=Fri, 01 Jan 2100 00:00:00 GMT", days(1)),
            ("; Expires=Fri, 01 Jan 2100 00:00:00 GMT; Max-Age=86400", days(1)), ("; Max-Age=99999999999", days(400)),
            ("; Expires=Fri, 01 Jan 2100 00:00:00 GMT", days(400)), ("; Expires=tomorrow", nil), ("; Max-Age=1d", nil),
        ]
        for (attributes, expected) in cases {
            try scene.set("a=b\(attributes)", from: "http://a.test/")
            expectEqual(scene.state.all(scene.now).map(\.expiry), [expected], "\(attributes)")
        }
        try scene.set("a=b; Max-Age=0; Expires=Fri, 01 Jan 2100 00:00:00 GMT", from: "http://a.test/")
        #expect(scene.state.all(scene.now).isEmpty)
    }

    @Test("SameSite=None requires Secure")
    func sameSiteNone() throws {
        var scene = CookieScene()
        #expect(try scene.set("a=b; SameSite=None", from: "https://a.test/") == .sameSiteNoneInsecure)
        #expect(try scene.set("a=b; SameSite=None; Secure", from: "https://a.test/") == nil)
    }
}
