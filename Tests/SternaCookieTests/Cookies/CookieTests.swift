import SternaCore
import SternaPlatform
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Cookie")
struct CookieTests {
    @Test("Neither descriptions nor mirrors show the value")
    func secrets() throws {
        let cookie = try Cookie(name: "sid", value: "geheim", domain: "a.test", path: "/x", isSecure: true)
        let jar = CookieJar()
        try jar.set(cookie)
        var dumped = ""
        dump(cookie, to: &dumped)
        dump([cookie], to: &dumped)
        dump(jar, to: &dumped)
        dump(jar.snapshot(), to: &dumped)
        let texts = ["\(cookie)", String(reflecting: cookie), "\([cookie])", "\(jar)", "\(jar.snapshot())", dumped]
        for text in texts { #expect(!text.contains("geheim"), "\(text)") }
        expectEqual("\(cookie)", "sid (a.test/x)")
    }

    @Test("Hosts are normalized as in URLs")
    func domains() throws {
        let cases = [
            ("Example.COM", "example.com"), (".example.com", "example.com"),
            ("bücher.example", "xn--bcher-kva.example"),
            ("127.1", "127.0.0.1"), ("::1", "[::1]"), ("[0:0::1]", "[::1]"),
        ]
        for (text, domain) in cases {
            try expectEqual(Cookie(name: "a", value: "b", domain: text).domain, domain)
        }
    }

    @Test(
        "Cookies that no server could set are refused",
        arguments: [
            ("a;b", "v", "a.test", "/"), ("a=b", "v", "a.test", "/"), (" a", "v", "a.test", "/"),
            ("a", "v ", "a.test", "/"),
            ("a", "v; Domain=x", "a.test", "/"), ("a", "v\r\n", "a.test", "/"), ("a\u{0}", "v", "a.test", "/"),
            ("", "", "a.test", "/"), ("a", "v", "", "/"), ("a", "v", "a b", "/"), ("a", "v", "a.test/x", "/"),
            ("a", "v", "a.test:80", "/"), ("a", "v", "..a.test", "/"), ("a", "v", "a.test", ""),
            ("a", "v", "a.test", "x"),
            ("a", "v", "a.test", "/;"), ("a", "v", "a.test", "/\n"), ("a", "v", "a.test", "/ "),
            ("__Host-a", "v", "a.test", "/"),
            ("__secure-a", "v", "a.test", "/"), ("", "__Host-a=1", "a.test", "/"),
            ("a", String(repeating: "v", count: 4_096), "a.test", "/"),
            ("a", "v", String(repeating: "a.", count: 127) + "test", "/"),
            ("a", "v", "a.test", "/" + String(repeating: "p", count: 1_024)),
        ] as [(String, String, String, String)])
    func refusals(name: String, value: String, domain: String, path: String) {
        let error = #expect(throws: SternaError.self) {
            try Cookie(name: name, value: value, domain: domain, path: path)
        }
        expectEqual(error?.kind, .invalidHeader)
        expectEqual(error?.detail.contains("Domain=x"), false)
    }

    @Test("A cookie is decoded as it was encoded")
    func coding() throws {
        let cookies = [
            try Cookie(name: "a", value: "v", domain: "a.test"),
            try Cookie(
                name: "__Host-ü", value: "ä\t\"", domain: "[::1]", path: "/", expires: Date(timeIntervalSince1970: 4e9),
                isSecure: true, isHTTPOnly: true, sameSite: Cookie.SameSite.none, isPartitioned: true),
            try Cookie(
                name: "", value: "x=y", domain: "a.test", includesSubdomains: true, path: "/x", sameSite: .strict),
        ]
        let data = try JSONEncoder().encode(cookies)
        try expectEqual(JSONDecoder().decode([Cookie].self, from: data), cookies)
        let snapshot = CookieSnapshot(cookies: cookies)
        try expectEqual(JSONDecoder().decode(CookieSnapshot.self, from: JSONEncoder().encode(snapshot)), snapshot)
    }

    @Test("An invalid cookie is not decoded")
    func decoding() throws {
        let valid = #"{"name":"a","value":"v","domain":"a.test","path":"/","created":0}"#
        try expectEqual(JSONDecoder().decode(Cookie.self, from: Data(valid.utf8)).name, "a")
        for (old, new) in [
            ("\"v\"", "\"v;w\""), ("a.test", "A.test"), ("\"/\"", "\"\""), ("\"created\":0", "\"created\":\"0\""),
        ] {
            let text = valid.replacing(old, with: new)
            #expect(text != valid)
            #expect(throws: DecodingError.self) { try JSONDecoder().decode(Cookie.self, from: Data(text.utf8)) }
        }
    }
}
