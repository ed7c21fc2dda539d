import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Base URLs and references")
struct SessionBaseURLTests {
    static let resolved: [(String, String, String)] = [
        ("https://api.example.com/v1", "foo", "https://api.example.com/v1/foo"),
        ("https://api.example.com/v1/", "foo", "https://api.example.com/v1/foo"),
        ("https://api.example.com/v1", "/foo", "https://api.example.com/foo"),
        ("https://api.example.com/v1/", "/foo", "https://api.example.com/foo"),
        ("https://api.example.com/v1/", "foo/", "https://api.example.com/v1/foo/"),
        ("https://api.example.com", "foo", "https://api.example.com/foo"),
        ("https://api.example.com/", "/foo", "https://api.example.com/foo"),
        ("https://api.example.com/v1/", "", "https://api.example.com/v1/"),
        ("https://api.example.com/v1", "", "https://api.example.com/v1/"),
        ("https://api.example.com/v1", "foo/bar?x=1&y=2", "https://api.example.com/v1/foo/bar?x=1&y=2"),
        ("https://api.example.com/v1", "?x=1", "https://api.example.com/v1/?x=1"),
        ("https://api.example.com/v1", "../v2/foo", "https://api.example.com/v2/foo"),
        ("https://api.example.com/v1", "./foo", "https://api.example.com/v1/foo"),
        ("https://api.example.com/v1", "a b/ü", "https://api.example.com/v1/a%20b/%C3%BC"),
        ("https://api.example.com/v1", "a%2Fb", "https://api.example.com/v1/a%2Fb"),
        ("https://api.example.com/a/b.c", "foo", "https://api.example.com/a/b.c/foo"),
        ("http://127.0.0.1:8080/v1", "foo", "http://127.0.0.1:8080/v1/foo"),
        ("http://[::1]:8080", "foo", "http://[::1]:8080/foo"),
        ("HTTPS://API.example.COM:443/v1", "foo", "https://api.example.com/v1/foo"),
        // Absolute URLs of the base's own origin.
        ("https://api.example.com/v1", "https://api.example.com/x", "https://api.example.com/x"),
        ("https://api.example.com/v1", "https://API.example.com:443/x", "https://api.example.com/x"),
        ("https://api.example.com/v1", "//api.example.com/x", "https://api.example.com/x"),
        ("https://api.example.com/v1", "https:foo", "https://api.example.com/v1/foo"),
        // A base's query and fragment are not inherited, and its path counts as a folder all the same.
        ("https://api.example.com/v1?key=1", "foo", "https://api.example.com/v1/foo"),
        ("https://api.example.com/v1/?key=1", "foo", "https://api.example.com/v1/foo"),
        ("https://api.example.com/v1#part", "foo", "https://api.example.com/v1/foo"),
        ("https://api.example.com/v1?key=1", "", "https://api.example.com/v1/"),
        ("https://api.example.com/v1/?a#b", "?x", "https://api.example.com/v1/?x"),
        // A path that begins with two slashes is a path.
        ("https://api.example.com//v1", "foo", "https://api.example.com//v1/foo"),
        ("https://api.example.com//evil.test", "foo", "https://api.example.com//evil.test/foo"),
        ("https://api.example.com//?x", "foo", "https://api.example.com//foo"),
    ]

    @Test("AFNetworking's rule: the base's path is a folder", arguments: resolved)
    func resolve(base: String, reference: String, expected: String) async throws {
        let (api, mock) = try mocked(base)
        try await api.get(reference)
        expectEqual(mock.requests.map(\.url.description), [expected])
    }

    @Test("The base that a session shows ends in a slash")
    func shown() throws {
        #expect(
            try Session(baseURL: "https://api.example.com/v1").baseURL?.description == "https://api.example.com/v1/")
        try expectNil(Session().baseURL)
        expectNil(Session.shared.baseURL)
    }

    @Test("A base is given as text, as Foundation's URL, or parsed")
    func kinds() async throws {
        let url = try #require(URL(string: "https://api.example.com/v1"))
        let mock = MockTransport { _ in .json([:]) }
        try await Session(baseURL: url) { $0.network.transport = mock }.get("foo")
        try await Session(baseURL: HTTPURL("https://api.example.com/v1")) { $0.network.transport = mock }.get("foo")
        let (api, other) = try mocked()
        try await api.get(try #require(URL(string: "foo?x=1")))
        try await api.get("foo"[...])
        expectEqual(mock.requests.map(\.url.path), ["/v1/foo", "/v1/foo"])
        expectEqual(other.requests.map(\.url.requestTarget), ["/v1/foo?x=1", "/v1/foo"])
    }

    static let foreign = [
        "https://evil.test/x", "//evil.test/x", "///evil.test/x", "\\\\evil.test\\x", "/\\evil.test/x",
        "\\/evil.test/x",
        "https:\\\\evil.test/x", "https:/\\evil.test", "https:///evil.test/x", "http://api.example.com/x", "http:foo",
        "https://api.example.com:8443/x", "https://api.example.com@evil.test/x",
        "https://api.example.com:443@evil.test/",
        "https://api.example.com.evil.test/", "https://example.com/",
        "https://api.example.com./x", "\t//evil.test/x", "/\t/evil.test/x", " //evil.test",
        "https://api.example.com%2Eevil.test/", "//evil.test\\@api.example.com/",
    ]

    @Test("Another origin is refused before anything is sent", arguments: foreign)
    func refused(reference: String) async throws {
        let (api, mock) = try mocked { $0.auth.header = .bearer("s3cret") }
        let error = await #expect(throws: SternaError.self) { try await api.get(reference) }
        #expect([.originRefused, .invalidURL].contains(error?.kind))
        expectEqual(error?.phase, .prepare)
        expectEqual(error?.requestSent, false)
        #expect(mock.requests.isEmpty)
        let streamed = await #expect(throws: SternaError.self) {
            try await api.withResponse(to: .get(reference)) { _ in }
        }
        expectEqual(streamed?.kind, error?.kind)
        #expect(mock.requests.isEmpty)
    }

    @Test("A backslash in a URL counts as a slash, so the origin stays the same")
    func backslash() async throws {
        let (api, mock) = try mocked()
        try await api.get("https://api.example.com\\@evil.test/")
        #expect(mock.requests.map(\.url.description) == ["https://api.example.com/@evil.test/"])
    }

    @Test("allowsOtherOrigins allows another origin, without the session's credentials")
    func allowed() async throws {
        let (api, mock) = try mocked {
            $0.network.allowsOtherOrigins = true
            $0.auth.header = .bearer("s3cret")
        }
        for url in ["https://other.test/x", "http://api.example.com/x", "https://api.example.com:8443/x"] {
            try await api.get(url)
        }
        try await api.get("https://api.example.com/x")
        expectEqual(mock.requests.map { $0.headers[.authorization] }, [nil, nil, nil, "Bearer s3cret"])
    }

    @Test("Credentials in header fields or in the base URL are not sent to another origin")
    func allowedWithFields() async throws {
        let (api, mock) = try mocked("https://user:pa55@api.example.com/v1") {
            $0.network.allowsOtherOrigins = true
            $0.headers = [
                "Authorization": "Bearer s3cret", "Cookie": "id=s3cret", "Proxy-Authorization": "Basic s3cret",
                "X-Api-Key": "s3cret", "X-Open": "kept",
            ]
            $0.auth.secretHeaders = ["X-API-KEY"]
        }
        try await api.get("https://other.test/x")
        let headers = try #require(mock.requests.first).headers
        expectNil(headers[.authorization])
        expectNil(headers[.cookie])
        expectNil(headers[.proxyAuthorization])
        expectNil(headers[try #require(.init("X-Api-Key"))])
        expectEqual(headers[try #require(.init("X-Open"))], "kept")
    }

    @Test("Without a base URL every absolute URL is valid, and a relative one fails")
    func noBase() async throws {
        let (api, mock) = try mocked(nil)
        try await api.get("https://one.test/a")
        try await api.get("http://two.test/b")
        #expect(mock.requests.map(\.url.description) == ["https://one.test/a", "http://two.test/b"])
        for reference in ["foo", "/foo", "//host/foo", "", "?x"] {
            let error = await #expect(throws: SternaError.self) { try await api.get(reference) }
            expectEqual(error?.kind, .invalidURL)
        }
        expectEqual(mock.requests.count, 2)
    }

    static let bad = [
        "", "foo", "ftp://host/", "file:///x", "mailto:a@b", "javascript:x", "https://", "https://:80", "https://a b/",
        "https://host:99999", "https://[::1", "https://%00/", "ws:",
    ]

    @Test("A base URL that is not http or https is rejected", arguments: bad)
    func badBase(_ base: String) {
        let error = #expect(throws: SternaError.self) { try Session(baseURL: base) }
        expectEqual(error?.kind, .invalidURL)
        expectEqual(error?.phase, .prepare)
    }

    @Test(
        "A request goes to no other scheme",
        arguments: ["ws://host/", "wss://host/", "ftp://host/", "file:///etc/passwd", "data:,x"])
    func badScheme(_ reference: String) async throws {
        let (api, mock) = try mocked(nil)
        let error = await #expect(throws: SternaError.self) { try await api.get(reference) }
        expectEqual(error?.kind, .invalidURL)
        #expect(mock.requests.isEmpty)
    }
}
