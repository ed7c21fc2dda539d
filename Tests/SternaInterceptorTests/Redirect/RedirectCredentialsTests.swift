import HTTPTypes
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Credentials and redirects")
struct RedirectCredentialsTests {
    static let names = ["authorization", "cookie", "proxy-authorization", "x-api-key"]

    /// The requests that one call with every kind of secret makes, a GET to `start` whose answers lead along `hops`.
    private func requests(start: String, hops: [String], policy: RedirectPolicy = .follow) async throws -> [Request] {
        let answers = hops.map { ServerResponse.redirect(to: $0, status: 307) } + [.json([:])]
        let mock = MockTransport(responses: answers)
        let (api, _) = try mocked(nil, by: mock) { $0.redirects = policy }
        let headers: Headers = [
            "Authorization": "Bearer s3cret", "Cookie": "a=s3cret", "Proxy-Authorization": "Basic s3cret",
            "X-API-Key": "s3cret",
            "X-Other": "kept",
        ]
        try await api.get(start, headers: headers) { $0.auth.secretHeaders = ["x-api-KEY"] }
        return mock.requests
    }

    private func secrets(_ request: Request) throws -> Int {
        expectEqual(request.headers[try #require(.init("X-Other"))], "kept")
        return request.headers.filter { Self.names.contains($0.name.canonicalName) }.count
    }

    static let same = [
        "/b", "https://api.example.com/b", "https://API.EXAMPLE.COM:443/b", "//api.example.com/b", "?x", "#y",
    ]

    @Test("The same origin keeps them", arguments: same)
    func kept(location: String) async throws {
        let requests = try await requests(start: "https://api.example.com/a", hops: [location])
        try expectEqual(requests.map(secrets), [4, 4])
    }

    static let other = [
        "https://other.test/b", "https://www.api.example.com/b", "https://example.com/",
        "https://api.example.com:8443/b",
        "https://api.example.com./b", "//other.test", "https://api.example.com.other.test/",
    ]

    @Test("A host's name before an @ is a user's at another host")
    func userName() async throws {
        let requests = try await requests(
            start: "https://api.example.com/a", hops: ["https://api.example.com@other.test/"])
        expectEqual(requests.last?.url.host, "other.test")
        expectEqual(requests.last?.headers[.authorization], "Basic YXBpLmV4YW1wbGUuY29tOg==")
        try expectEqual(requests.map(secrets), [4, 1])
    }

    @Test("Another scheme, host or port drops them", arguments: other)
    func dropped(location: String) async throws {
        let requests = try await requests(start: "https://api.example.com/a", hops: [location])
        try expectEqual(requests.map(secrets), [4, 0])
    }

    @Test("http to https on the same host is another origin")
    func upgrade() async throws {
        let requests = try await requests(start: "http://api.example.com/a", hops: ["https://api.example.com/a"])
        try expectEqual(requests.map(secrets), [4, 0])
    }

    @Test("https to http, where allowed, too")
    func downgrade() async throws {
        var policy = RedirectPolicy.follow
        policy.allowsInsecure = true
        let requests = try await requests(
            start: "https://api.example.com/a", hops: ["http://api.example.com/a"], policy: policy)
        try expectEqual(requests.map(secrets), [4, 0])
    }

    @Test("Dropped credentials are not restored when a redirect leads back to the origin")
    func notBroughtBack() async throws {
        let requests = try await requests(
            start: "https://api.example.com/a", hops: ["https://other.test/b", "https://api.example.com/c", "/d"])
        try expectEqual(requests.map(secrets), [4, 0, 0, 0])
    }

    @Test("A session's credentials go the same way")
    func session() async throws {
        let mock = MockTransport(responses: [
            .redirect(to: "/b"), .redirect(to: "https://other.test/c"), .redirect(to: "https://api.example.com/d"),
            .json([:]),
        ])
        let (api, _) = try mocked(by: mock) { $0.auth.header = .bearer("s3cret") }
        try await api.get("a")
        expectEqual(mock.requests.map { $0.headers[.authorization] }, ["Bearer s3cret", "Bearer s3cret", nil, nil])
    }

    @Test("A session's own secret headers are dropped, together with the request's")
    func sessionSecret() async throws {
        let mock = MockTransport(responses: [
            .redirect(to: "/b"), .redirect(to: "https://other.test/c"), .redirect(to: "https://api.example.com/d"),
            .json([:]),
        ])
        let (api, _) = try mocked(by: mock) {
            $0.headers = ["X-Api-Key": "s3cret", "X-Open": "kept"]
            $0.auth.secretHeaders = ["x-api-key"]
        }
        try await api.get("a", headers: ["X-Own": "s3cret"]) { $0.auth.secretHeaders = ["X-Own"] }
        for (name, values) in [
            ("X-Api-Key", ["s3cret", "s3cret", nil, nil]), ("X-Own", ["s3cret", "s3cret", nil, nil]),
            ("X-Open", ["kept", "kept", "kept", "kept"]),
        ] {
            let field = try #require(HTTPField.Name(name))
            expectEqual(mock.requests.map { $0.headers[field] }, values)
        }
    }

    @Test("User information of a Location is credentials for that origin alone")
    func userinfo() async throws {
        let hops = ["https://eve:pa55@other.test/b", "/c", "https://third.test/d"]
        let requests = try await requests(start: "https://api.example.com/a", hops: hops)
        expectEqual(
            requests.map { $0.headers[.authorization] },
            ["Bearer s3cret", "Basic ZXZlOnBhNTU=", "Basic ZXZlOnBhNTU=", nil])
        #expect(requests.map(\.url.href).dropFirst().first == "https://other.test/b")
    }

    @Test("A Host field set by hand does not follow to another origin")
    func host() async throws {
        let mock = MockTransport(responses: [.redirect(to: "https://other.test/"), .json([:])])
        let (api, _) = try mocked(by: mock)
        try await api.get("a", headers: ["Host": "internal.test"])
        expectNil(mock.requests.last?.headers[try #require(.init("Host"))])
    }
}
