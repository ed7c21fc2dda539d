import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Credentials")
struct AuthorizationTests {
    private func sent(
        _ url: String = "https://api.example.com/", headers: Headers = [:],
        session: (inout SessionSettings) -> Void = { _ in }, request: (inout RequestSettings) -> Void = { _ in }
    ) async throws -> [String] {
        let (api, mock) = try mocked(nil, session)
        try await api.get(url, headers: headers, request)
        return try #require(mock.requests.first).headers[values: .authorization]
    }

    static let pairs: [(String, String, String)] = [
        ("Aladdin", "open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
        ("test", "123£", "Basic dGVzdDoxMjPCow=="),
        ("user", "a:b:c", "Basic dXNlcjphOmI6Yw=="),
        ("", "", "Basic Og=="),
        ("user", "", "Basic dXNlcjo="),
    ]

    @Test("Basic by RFC 7617, in UTF-8", arguments: pairs)
    func basic(user: String, password: String, value: String) async throws {
        try await expectEqual(sent(session: { $0.auth.header = .basic(user, password) }), [value])
    }

    @Test("Bearer by RFC 6750")
    func bearer() async throws {
        try await expectEqual(
            sent(session: { $0.auth.header = .bearer("mF_9.B5f-4.1JqM") }), ["Bearer mF_9.B5f-4.1JqM"])
    }

    static let userinfo: [(String, String)] = [
        ("https://Aladdin:open%20sesame@host/", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
        ("https://test:123%C2%A3@host/", "Basic dGVzdDoxMjPCow=="),
        ("https://user:a%3Ab:c@host/", "Basic dXNlcjphOmI6Yw=="),
        ("https://user@host/", "Basic dXNlcjo="),
        ("https://user:%0D%0AX-Evil%3A%201@host/", "Basic dXNlcjoNClgtRXZpbDogMQ=="),
    ]

    @Test("User information of a URL becomes Basic and is removed", arguments: userinfo)
    func fromURL(url: String, value: String) async throws {
        let (api, mock) = try mocked(nil)
        let reply = try await api.get(url)
        let request = try #require(mock.requests.first)
        expectEqual(request.headers[.authorization], value)
        expectNil(request.url.userinfo)
        #expect(request.url.href == "https://host/")
        #expect(reply.url.href == "https://host/")
    }

    @Test("A request's own credentials win over the URL's, those over the session's, and a header over all")
    func precedence() async throws {
        let url = "https://user@host/"
        try await expectEqual(sent(url, session: { $0.auth.header = .bearer("s") }), ["Basic dXNlcjo="])
        try await expectEqual(
            sent(
                url, session: { $0.auth.header = .bearer("s") }, request: { $0.auth.header = .bearer("r") }),
            ["Bearer r"])
        try await expectEqual(
            sent(url, headers: ["authorization": "Own x"], request: { $0.auth.header = .bearer("r") }), ["Own x"])
    }

    @Test("User information of the base URL goes with its own origin")
    func base() async throws {
        let (api, mock) = try mocked("https://user:pa55@api.example.com/v1")
        try await api.get("a")
        try await api.get("/b")
        expectEqual(mock.requests.map { $0.headers[.authorization] }, ["Basic dXNlcjpwYTU1", "Basic dXNlcjpwYTU1"])
        #expect(mock.requests.map(\.url.href) == ["https://api.example.com/v1/a", "https://api.example.com/b"])
    }

    @Test(
        "Credentials with control characters are refused, and not shown",
        arguments: ["s3cret\r\nX: 1", "s3cret\n", "s3cret\u{0}"])
    func control(token: String) async throws {
        let made = #expect(throws: SternaError.self) { try Session { $0.auth.header = .bearer(token) } }
        let (api, mock) = try mocked()
        let sent = await #expect(throws: SternaError.self) {
            try await api.get("a") { $0.auth.header = .bearer(token) }
        }
        let derived = await #expect(throws: SternaError.self) {
            try await api.with { $0.auth.header = .bearer(token) }.get("a")
        }
        for error in [made, sent, derived] {
            expectEqual(error?.kind, .invalidHeader)
            expectEqual(error.map { "\($0)" + dumped($0) }?.contains("s3cret"), false)
        }
        #expect(mock.requests.isEmpty)
    }

    @Test("Nothing that shows a session, its settings or credentials shows the secret")
    func shown() throws {
        for authorization in [Authorization.bearer("s3cret"), .basic("user", "s3cret")] {
            var settings = RequestSettings()
            settings.auth.header = authorization
            let session = try Session(baseURL: "https://user:s3cret@api.example.com/") {
                $0.auth.header = authorization
            }
            let values: [Any] = [authorization, session, session.with { _ in }, settings, session.baseURL as Any]
            for value in values {
                let text = "\(value)" + String(reflecting: value) + dumped(value)
                #expect(!text.contains("s3cret"))
                #expect(!text.contains("dXNlcjpzM2NyZXQ"))
            }
        }
    }

    @Test("An error shows no credentials")
    func errors() async throws {
        let (api, _) = try mocked(
            "https://user:s3cret@api.example.com/", by: MockTransport { _ in .text("no", status: 401) })
        let refused = await #expect(throws: SternaError.self) { try await api.get("a") }
        let other = await #expect(throws: SternaError.self) { try await api.get("https://user:s3cret@other.test/") }
        let invalid = await #expect(throws: SternaError.self) { try await api.get("https://user:s3cret@a b/") }
        expectEqual(refused?.status, 401)
        expectEqual(other?.kind, .originRefused)
        expectEqual(invalid?.kind, .invalidURL)
        for error in [refused, other, invalid] {
            let error = try #require(error)
            #expect(!("\(error)" + String(reflecting: error) + dumped(error)).contains("s3cret"))
        }
    }

    @Test("The server takes them")
    func network() async throws {
        try await TestServer.withServer { server in
            let api = try Session(baseURL: server.url) { $0.network.engine = Engine() }
            let basic = api.with { $0.auth.header = .basic("käthe", "pa:ss") }
            try await expectEqual(basic.get("basic-auth/k%C3%A4the/pa:ss").json()["authenticated"].bool, true)
            let error = await #expect(throws: SternaError.self) { try await api.get("basic-auth/u/p") }
            expectEqual(error?.status, 401)
            let bearer = api.with { $0.auth.header = .bearer("t0ken") }
            try await expectEqual(bearer.get("bearer").json()["token"].string, "t0ken")
        }
    }
}
