import SternaCore
import Testing

@testable import SternaTestSupport

@Suite struct URLValueTests {
    @Test(arguments: [
        ("http://u:p@h/", "u", "p"), ("http://u@h/", "u", ""), ("http://u:@h/", "u", ""), ("http://:p@h/", "", "p"),
        ("http://a@b@h/", "a%40b", ""), ("http://a:b:c@h/", "a", "b%3Ac"),
        ("http://a;=[]|^ :'@h/", "a%3B%3D%5B%5D%7C%5E%20", "'"),
        ("http://%41\u{FC}:%zz@h/", "%41%C3%BC", "%zz"), ("http://u::@h/", "u", "%3A"),
    ])
    func userinfoIsEncoded(text: String, username: String, password: String) throws {
        let userinfo = try #require(try HTTPURL(text).userinfo)
        expectEqual(userinfo.username, username)
        expectEqual(userinfo.password, password)
    }

    @Test func userinfoIsDecoded() throws {
        let url = try HTTPURL("http://a%40\u{FC}%FF:%3a%zz%4@h/")
        expectEqual(url.user, "a@\u{FC}\u{FFFD}")
        expectEqual(url.password, ":%zz%4")
        let nameless = try HTTPURL("http://:p@h/")
        expectEqual(nameless.user, "")
        let plain = try HTTPURL("http://h/")
        #expect(plain.user == nil && plain.password == nil)
    }

    @Test(arguments: ["http://@h/", "http://:@h/", "http://h/@", "http://h?@", "http://h#u:p@"])
    func noUserinfo(text: String) throws {
        let url = try HTTPURL(text)
        expectNil(url.userinfo)
        expectEqual(url.host, "h")
    }

    @Test func nothingShowsUserinfo() throws {
        let url = try HTTPURL("https://alice:hunter2@host:444/p?q#f")
        #expect(url.href == "https://alice:hunter2@host:444/p?q#f")
        #expect(url.description == "https://host:444/p?q#f")
        let userinfo = try #require(url.userinfo)
        var shown = "\(url) \(String(reflecting: url)) \(userinfo) \(String(reflecting: userinfo)) \(url.origin)"
        dump(url, to: &shown)
        dump(userinfo, to: &shown)
        dump([url: userinfo], to: &shown)
        #expect(!shown.contains("alice") && !shown.contains("hunter2"))
        expectEqual(url.removingUserinfo().href, url.description)
        #expect(url.removingUserinfo() != url)
        expectNil(url.removingUserinfo().userinfo)
    }

    @Test func equality() throws {
        let urls = try [
            "http://h/", "https://h/", "http://h:81/", "http://h/?", "http://h/#", "http://h/a", "http://u@h/",
            "ws://h/", "http://h/?#",
            "http://i/",
        ].map { text throws(HTTPURL.ParseError) in try HTTPURL(text) }
        expectEqual(Set(urls).count, urls.count)
        #expect(try HTTPURL("HTTP://H:80/a/..") == urls[0])
        #expect(try Set(urls).contains(HTTPURL("HTTP:\\\\H:080")))
    }

    @Test func origins() throws {
        let origin = try HTTPURL("https://u:p@h:8443/p?q#f").origin
        #expect(origin.description == "https://h:8443")
        #expect(try origin == HTTPURL("https://H:8443").origin)
        #expect(try origin != HTTPURL("http://h:8443").origin)
        #expect(try origin != HTTPURL("https://h").origin)
        #expect(try origin != HTTPURL("https://i:8443").origin)
        #expect(try HTTPURL("https://h:443/").origin.description == "https://h")
        try expectEqual(Origin(scheme: .https, host: "H", port: 8443), origin)
        #expect(try Origin(scheme: .https, host: "h", port: 443) == HTTPURL("https://h/").origin)
        #expect(try Origin(scheme: .ws, host: "::1", port: nil) == HTTPURL("ws://[0::1]/").origin)
        #expect(try Origin(scheme: .ws, host: "[::1]", port: 0).description == "ws://[::1]:0")
        let address = try HTTPURL("http://[::1]:8080/").origin
        #expect(address.host == "[::1]" && address.port == 8080 && address.hostKind == .ipv6)
    }

    @Test(
        arguments: [
            ("", nil, HTTPURL.ParseError.missingHost), ("h/x", nil, .forbiddenHostCodePoint("/")),
            ("u@h", nil, .forbiddenHostCodePoint("@")),
            ("h:80", nil, .invalidIPv6), ("h", 65_536, .portOutOfRange), ("h", -1, .portOutOfRange),
            ("h", .max, .portOutOfRange),
        ] as [(String, Int?, HTTPURL.ParseError)])
    func refusedOrigins(host: String, port: Int?, error: HTTPURL.ParseError) {
        #expect(throws: error) { try Origin(scheme: .http, host: host, port: port) }
    }
}
