import SternaCore
import SternaTransport
import Testing

@testable import SternaTestSupport

@Suite("Proxies and their URLs")
struct ProxyURLTests {
    @Test(
        "Valid URLs are read",
        arguments: [
            ("http://proxy.example:3128", Proxy.Kind.http, "proxy.example", 3128),
            ("proxy.example:3128", .http, "proxy.example", 3128), ("proxy.example", .http, "proxy.example", 80),
            ("localhost:80", .http, "localhost", 80), ("http://p", .http, "p", 80), ("http://p:", .http, "p", 80),
            ("http://p:443", .http, "p", 443), ("https://p", .https, "p", 443), ("https://p:443", .https, "p", 443),
            ("https://p:80", .https, "p", 80), ("https://p:8443/", .https, "p", 8443),
            ("socks5://p", .socks5, "p", 1080), ("socks5h://p", .socks5, "p", 1080),
            ("socks5://p:80", .socks5, "p", 80), ("socks5://p:443", .socks5, "p", 443),
            ("socks5h://[::1]:1080", .socks5, "::1", 1080), ("SOCKS5H://P:9050", .socks5, "p", 9050),
            ("HTTP://PROXY.Example:3128", .http, "proxy.example", 3128), ("10.0.0.1:3128", .http, "10.0.0.1", 3128),
            ("[2001:DB8:0::1]:3128", .http, "2001:db8::1", 3128), ("http://[::1]", .http, "::1", 80),
            ("http://p:3128/path?query#fragment", .http, "p", 3128), ("p:3128?query", .http, "p", 3128),
            ("  http://p:3128\n", .http, "p", 3128), ("http://p:1", .http, "p", 1),
            ("http://p:65535", .http, "p", 65535),
            ("http://p:0080", .http, "p", 80), ("http://@p:81", .http, "p", 81), ("http://:@p:81", .http, "p", 81),
            ("http://p.example.:81", .http, "p.example.", 81),
        ])
    func read(text: String, kind: Proxy.Kind, host: String, port: Int) throws {
        let proxy = try Proxy(text)
        #expect(proxy.kind == kind && proxy.host == host && proxy.port == port, "\(proxy)")
        #expect(!proxy.hasCredentials && proxy.username == nil && proxy.password == nil)
        try expectEqual(proxy, Proxy(kind, host: host, port: port))
        try expectEqual(proxy, Proxy(proxy.description), "\(proxy)")
    }

    @Test(
        "User names and passwords",
        arguments: [
            ("http://user:pass@p:1", "user", "pass"), ("user:pass@p:1", "user", "pass"), ("http://user@p", "user", ""),
            ("http://user:@p", "user", ""), ("http://:pass@p", "", "pass"),
            ("http://us%20er:p%40ss@p", "us er", "p@ss"),
            ("http://user:p@ss@p", "user", "p@ss"), ("http://user:a:b@p", "user", "a:b"),
            ("http://user:a%3Ab%2F%3f@p", "user", "a:b/?"), ("http://user:100%@p", "user", "100%"),
            ("http://us\u{E9}r:p\u{E4}ss@p", "us\u{E9}r", "p\u{E4}ss"), ("http://u:%C3%A9@p", "u", "\u{E9}"),
            ("socks5://us%3Aer:pass@p", "us:er", "pass"), ("socks5://user@[::1]:9", "user", ""),
            (
                "socks5://\(String(repeating: "u", count: 255)):\(String(repeating: "p", count: 255))@p",
                String(repeating: "u", count: 255), String(repeating: "p", count: 255)
            ),
            ("http://u:\(String(repeating: "p", count: 8_192))@p", "u", String(repeating: "p", count: 8_192)),
        ])
    func credentials(text: String, username: String, password: String) throws {
        let proxy = try Proxy(text)
        #expect(proxy.hasCredentials && proxy.username == username && proxy.password == password)
    }

    @Test(
        "Invalid URLs are refused with a reason",
        arguments: [
            ("", "empty"), (" \t\n", "empty"), ("http://", "no host"), ("socks5://", "no host"), ("://p", "scheme"),
            ("socks4://p", "“socks4” is not supported; use http, https, socks5 or socks5h"),
            ("socks4a://p", "“socks4a”"),
            ("socks://p:1", "“socks”"), ("ftp://p", "“ftp”"), ("wss://p", "“wss”"), ("quic://p", "“quic”"),
            ("socks4://user:s3cret@p", "“socks4”"), ("http:///p", "no host"), ("/p", "no host"), ("\\p", "no host"),
            ("http:p:80", "port"), ("http://p:0", "1 to 65535"), ("http://p:65536", "port"), ("http://p:x", "port"),
            ("http://p:-1", "port"), ("http://p:99999999999999999999", "port"), ("http://[::1", "IPv6"),
            ("http://[::g]:1", "IPv6"), ("http://[fe80::1%25eth0]:1", "IPv6"), ("http://::1:3128", "host"),
            ("http://1.2.3.4.5:1", "IPv4"), ("http://256.1.1.1", "IPv4"), ("http://a b:1", "host"),
            ("http://p^q", "host"), ("http://user:s3cret@", "host"), ("p:1\u{0}", "control"),
            ("http://p\r\nX: y:1", "control"), ("http://u:s3\tcret@p", "control"),
            ("http://u\u{7F}:s3cret@p", "control"),
            ("http://u:s3cret%0D%0A@p", "password holds a control"),
            ("http://u%00:s3cret@p", "user name holds a control"),
            ("socks5://u:s3cret%00@p", "control"), ("socks5://u:%7Fs3cret@p", "control"),
            ("http://u:s3cret%ff@p", "UTF-8"), ("http://%ff:s3cret@p", "UTF-8"),
            ("http://us%3Aer:s3cret@p", "colon"), ("https://us%3aer:s3cret@p", "colon"),
            ("socks5://:s3cret@p", "without a user name"),
            ("socks5://\(String(repeating: "u", count: 256)):s3cret@p", "user name is longer than 255 bytes"),
            ("socks5://u:s3cret\(String(repeating: "p", count: 250))@p", "password is longer than 255 bytes"),
            ("socks5://u:s3cret\(String(repeating: "%C3%A9", count: 125))@p", "password is longer than 255 bytes"),
            ("http://u:s3cret\(String(repeating: "p", count: 8_192))@p", "password is longer than 8192 bytes"),
            ("http://u:s3cret\(String(repeating: "p", count: 20_000))@p", "longer than 16384 bytes"),
            ("http://u:12/s3cret@p", "@"), ("http://u:12?s3cret@p", "@"), ("http://u:12#s3cret@p", "@"),
            ("http://u/s3cret@p:1", "@"), ("DOMAIN\\user:s3cret@p:1", "@"), ("http://u:s3cret/1@p", "port"),
            ("u:s3cret://x@p", "scheme"), ("s3cret://x@p", "Its scheme"), ("us er://s3cret@p", "scheme"),
        ])
    func refused(text: String, says: String) throws {
        let error = try #require(throws: SternaError.self) { try Proxy(text) }
        expectEqual(error.kind, .invalidURL)
        #expect(error.detail.contains(says), "\(error)")
        #expect(!"\(error) \(String(reflecting: error))".contains("s3cret"), "\(error)")
    }

    @Test(
        "Parts that are refused",
        arguments: [
            ("", 1, nil, nil), ("a/b", 1, nil, nil), ("user@p", 1, nil, nil), ("p:1", 1, nil, nil), ("p", 0, nil, nil),
            ("p", -1, nil, nil), ("p", 65_536, nil, nil), ("p", .max, nil, nil), ("p", .min, nil, nil),
            ("p", 1, "a:b", "s3cret"), ("p", 1, "a\n", "s3cret"), ("p", 1, "a", "s3cret\u{0}"),
            ("[::1", 1, nil, nil), ("::g", 1, nil, nil), ("256.0.0.1", 1, nil, nil), ("p\n", 1, nil, nil),
        ] as [(String, Int, String?, String?)])
    func parts(host: String, port: Int, username: String?, password: String?) throws {
        let error = try #require(throws: SternaError.self) {
            try Proxy(.http, host: host, port: port, username: username, password: password)
        }
        expectEqual(error.kind, .invalidURL)
        #expect(!"\(error)".contains("s3cret"), "\(error)")
    }

    @Test("Parts are as given, not percent-decoded; both brackets or none")
    func given() throws {
        let proxy = try Proxy(.socks5, host: "[2001:DB8::1]", username: "a%41:", password: "%40")
        #expect(proxy.host == "2001:db8::1" && proxy.port == 1080)
        #expect(proxy.username == "a%41:" && proxy.password == "%40")
        try expectEqual(proxy, Proxy(.socks5, host: "2001:db8::1", username: "a%41:", password: "%40"))
        try expectEqual(Proxy(.http, host: "p", username: "a").password, "")
        try expectEqual(Proxy(.http, host: "p", password: "b").username, "")
        #expect(try !Proxy(.http, host: "p", username: "", password: "").hasCredentials)
        #expect(throws: SternaError.self) { try Proxy(.socks5, host: "p", password: "b") }
    }

    @Test("Proxies that differ in any byte are different")
    func equality() throws {
        let texts = [
            "http://p:1", "https://p:1", "socks5://p:1", "http://q:1", "http://p:2", "http://u@p:1", "http://v@p:1",
            "http://u:a@p:1", "http://u:b@p:1", "http://:ua@p:1", "http://u:%C3%A9@p:1", "http://u:e%CC%81@p:1",
        ]
        try expectEqual(Set(texts.map { try Proxy($0) }).count, texts.count)
        #expect(try Proxy("u:%61@p:80") == Proxy("http://u:a@P"))
    }

    @Test("No description of a proxy shows its credentials", arguments: ["http", "https", "socks5"])
    func shown(scheme: String) throws {
        let proxy = try Proxy("\(scheme)://n4me:s3cret@[::1]:3128")
        let settings = try [
            ProxySettings.proxy(proxy), .environment(["https_proxy": "\(scheme)://n4me:s3cret@[::1]:3128"]),
        ]
        #expect(proxy.description == "\(scheme)://[::1]:3128")
        for value in [proxy, [proxy], Optional(proxy) as Any, ["a": proxy], settings] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            for text in [dumped, "\(value)", String(reflecting: value)] {
                #expect(!text.contains("s3cret") && !text.contains("n4me"), "\(text)")
                #expect(text.contains("::1"), "\(text)")
            }
        }
    }
}
