import HTTPTypes
import NIOCore
import SternaCore
import SternaTesting
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Requests with a token", .timeLimit(.minutes(5)))
struct TokenAuthenticationTests {
    private func session(
        _ mock: MockTransport, _ tokens: TokenAuthentication, _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> Session {
        try mocked(nil, by: mock) {
            $0.auth.tokens = tokens
            configure(&$0)
        }.api
    }

    static let targets: [(String, Bool)] = [
        ("https://api.example.com/a", true), ("https://API.example.com:443/a", true),
        ("https://api.example.com:8443/a", false), ("http://api.example.com/a", false),
        ("https://www.api.example.com/a", false), ("https://api.example.com./a", false),
        ("https://other.test/a", false),
        ("https://api.example.com@other.test/a", false),
    ]

    @Test("Only its origins receive it", arguments: targets)
    func origins(url: String, isSent: Bool) async throws {
        let scene = TokenScene()
        let mock = MockTransport { _ in .json([:]) }
        try await session(mock, scene.tokens(AccessToken("s3cret"))).get(url)
        expectEqual(mock.authorizations.map { $0?.contains("s3cret") ?? false }, [isSent])
        expectEqual(scene.refreshes, 0)
    }

    @Test("On each step of a redirect its origin decides")
    func redirect() async throws {
        let mock = MockTransport(responses: [
            .redirect(to: "https://other.test/b"), .redirect(to: "https://api.example.com/c"), .json([:]),
        ])
        let api = try session(mock, TokenScene().tokens(AccessToken("s3cret")))
        try await api.get("https://api.example.com/a")
        expectEqual(mock.authorizations, ["Bearer s3cret", nil, "Bearer s3cret"])
    }

    @Test("Requests with their own credentials, and requests that opt out, get no token")
    func without() async throws {
        let mock = MockTransport { _ in .json([:]) }
        let api = try session(mock, TokenScene().tokens(AccessToken("s3cret")))
        try await api.get("https://api.example.com/a") { $0.auth.header = .bearer("own") }
        try await api.get("https://api.example.com/a") { $0.auth.usesTokens = false }
        try await api.with { $0.auth.tokens = nil }.get("https://api.example.com/a")
        expectEqual(mock.authorizations, ["Bearer own", nil, nil])
    }

    @Test("A rejected token is refreshed, rather than replaced by the session's credentials")
    func otherCredentials() async throws {
        let scene = TokenScene()
        let space = ProtectionSpace(origin: try HTTPURL(TokenScene.origin).origin, realm: "x")
        let store = MemoryCredentialStore([space: Credential(user: "ada", password: "s3cret")])
        let mock = MockTransport { request in
            guard request.headers[.authorization] == "Bearer \(scene.valid)" else {
                return GuardedMock.refusal([#"Basic realm="x""#, "Bearer"])
            }
            return .json([:])
        }
        let api = try session(mock, scene.tokens()) {
            $0.auth.credentialStore = store
            $0.auth.challengeHandler = { _ in
                Issue.record("A handler was asked.")
                return .useDefault
            }
        }
        try await api.get("https://api.example.com/a")
        expectEqual(mock.authorizations, ["Bearer t0", "Bearer t1"])
        expectEqual(scene.refreshes, 1)
    }

    @Test("A rejected token is refreshed, and the request sent once more, with its body")
    func refresh() async throws {
        let scene = TokenScene()
        let mock = scene.mock
        let tokens = try scene.tokens()
        let reply = try await session(mock, tokens).post("https://api.example.com/a", body: .text("hello"))
        expectEqual(reply.status, 200)
        expectEqual(mock.authorizations, ["Bearer t0", "Bearer t1"])
        expectEqual(mock.requests.map(\.givenText), ["hello", "hello"])
        expectEqual(scene.expired, ["t0"])
        expectEqual(tokens.token?.value, "t1")
    }

    @Test("A new token that is rejected, too, is the result; no further refresh")
    func rejectedTwice() async throws {
        let scene = TokenScene()
        let mock = MockTransport { _ in .init(status: 401) }
        let api = try session(mock, scene.tokens())
        let error = await #expect(throws: SternaError.self) { try await api.get("https://api.example.com/a") }
        expectEqual(error?.kind, .unacceptableStatus)
        expectEqual(error?.status, 401)
        expectEqual(mock.requests.count, 2)
        expectEqual(scene.refreshes, 1)
    }

    @Test("A body that can be read only once is not sent again; the next request refreshes")
    func notReplayable() async throws {
        let scene = TokenScene()
        let mock = scene.mock
        let api = try session(mock, scene.tokens())
        let once = Body.stream(AsyncStream<Bytes> { $0.finish() })
        let error = await #expect(throws: SternaError.self) {
            try await api.post("https://api.example.com/a", body: once)
        }
        expectEqual(error?.status, 401)
        expectEqual(mock.requests.count, 1)
        expectEqual(scene.refreshes, 0)
        try await api.get("https://api.example.com/a")
        expectEqual(mock.authorizations, ["Bearer t0", "Bearer t1"])
    }

    @Test("A closure can recognise failures other than 401")
    func recognised() async throws {
        let scene = TokenScene()
        let mock = MockTransport { request in
            request.headers[.authorization] == "Bearer t1"
                ? .json([:]) : .json(["error": "expired"], status: 200)
        }
        let tokens = try scene.tokens {
            $0.isRejected = { _, response in response.body.whole?.text.contains("expired") == true }
        }
        let reply = try await session(mock, tokens).get("https://api.example.com/a")
        try await expectEqual(reply.json(), [:])
        expectEqual(mock.requests.count, 2)
        // A 401 is then the result.
        let other = MockTransport { _ in .init(status: 401) }
        let error = await #expect(throws: SternaError.self) {
            try await session(other, tokens).get("https://api.example.com/a")
        }
        expectEqual(error?.status, 401)
        expectEqual(scene.refreshes, 1)
    }

    @Test("Without a refresh the token is sent, and a 401 is the result")
    func fixed() async throws {
        let mock = MockTransport { _ in .init(status: 401) }
        let api = try session(mock, TokenAuthentication(AccessToken("fixed"), for: [TokenScene.origin]))
        let error = await #expect(throws: SternaError.self) { try await api.get("https://api.example.com/a") }
        expectEqual(error?.status, 401)
        expectEqual(mock.authorizations, ["Bearer fixed"])
        let none = try session(mock, TokenAuthentication(for: [TokenScene.origin]))
        _ = try? await none.get("https://api.example.com/a")
        expectEqual(mock.authorizations, ["Bearer fixed", nil])
    }

    @Test("A token that is set is used without a refresh; setting nil causes a refresh")
    func settable() async throws {
        let scene = TokenScene()
        let mock = scene.mock
        let tokens = try scene.tokens()
        let api = try session(mock, tokens)
        tokens.token = AccessToken("t1")
        try await api.get("https://api.example.com/a")
        expectEqual(scene.refreshes, 0)
        tokens.token = nil
        try await api.get("https://api.example.com/a")
        expectEqual(scene.expired, [nil])
    }

    @Test("The token can be sent in another scheme or field, and mirrors do not show it")
    func places() async throws {
        let mock = MockTransport { _ in .json([:]) }
        let scheme = try TokenScene().tokens(AccessToken("s3cret")) { $0.location = .authorization(scheme: "Token") }
        try await session(mock, scheme).get("https://api.example.com/a")
        expectEqual(mock.authorizations, ["Token s3cret"])
        let field = try TokenScene().tokens(AccessToken("s3cret")) { $0.location = .header("X-Own") }
        try await session(mock, field).get("https://api.example.com/a")
        let last = try #require(mock.requests.last)
        expectEqual(last.headers[try #require(HTTPField.Name("X-Own"))], "s3cret")
        expectNil(last.headers[.authorization])
        #expect(!dumped(last).contains("s3cret"))
    }

    @Test("A token that cannot be written fails the request, and is not shown")
    func unsendable() async throws {
        let mock = MockTransport { _ in .json([:]) }
        let api = try session(mock, TokenScene().tokens(AccessToken("s3cret\r\nX-Evil: 1")))
        let error = await #expect(throws: SternaError.self) { try await api.get("https://api.example.com/a") }
        expectEqual(error?.kind, .invalidHeader)
        expectEqual(error?.description.contains("s3cret"), false)
        #expect(mock.requests.isEmpty)
    }

    @Test(
        "URLs that have no origin are refused", arguments: ["/a", "api.example.com", "ws://a.test/", "ftp://a.test/"])
    func invalid(url: String) {
        let error = #expect(throws: SternaError.self) { try TokenAuthentication(for: [url]) }
        expectEqual(error?.kind, .invalidURL)
    }

    @Test("Nothing that is printed shows a token")
    func shown() throws {
        let token = AccessToken("s3cret", refreshToken: "s3cret2", lifetime: .seconds(60), scope: "read")
        let tokens = try TokenScene().tokens(token)
        let api = try session(MockTransport { _ in .json([:]) }, tokens)
        for value in [token, tokens, api, tokens.token as Any] as [Any] {
            for text in [dumped(value), "\(value)", String(reflecting: value)] {
                #expect(!text.contains("s3cret"), "\(text)")
            }
        }
        #expect(dumped(api).contains("https://api.example.com"))
    }
}
