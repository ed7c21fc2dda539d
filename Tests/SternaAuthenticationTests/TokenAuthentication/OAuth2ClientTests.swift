import HTTPTypes
import NIOCore
import SternaCore
import SternaSigning
import SternaTesting
import Synchronization
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("OAuth 2 grants", .timeLimit(.minutes(5)))
struct OAuth2ClientTests {
    private static let answer: JSON = ["access_token": "t1", "token_type": "Bearer", "expires_in": 600]

    private func client(
        _ mock: MockTransport, url: String = "https://login.test/token", secret: String? = "s3cret:1 2"
    ) throws -> OAuth2Client {
        var client = OAuth2Client(tokenURL: url, id: "app:é", secret: secret)
        client.session = try mocked(by: mock) {
            $0.auth.header = .bearer("session")
            $0.headers = ["X-Api-Key": "session"]
            $0.auth.secretHeaders = ["X-Api-Key"]
        }.api
        return client
    }

    private func fields(_ request: Request?) -> Set<String> {
        Set((request?.givenText ?? "").split(separator: "&").map(String.init))
    }

    @Test("Client credentials, with Basic authentication of the encoded texts (RFC 6749, 2.3.1)")
    func clientCredentials() async throws {
        let mock = MockTransport { _ in .json(Self.answer) }
        let token = try await client(mock).clientCredentials(scope: "read write")
        expectEqual(token, AccessToken("t1", lifetime: .seconds(600)))
        let request = try #require(mock.requests.last)
        expectEqual(request.method, .post)
        #expect(request.url.description == "https://login.test/token")
        expectEqual(request.headers[.contentType], "application/x-www-form-urlencoded")
        // The base64 of app%3A%C3%A9:s3cret%3A1+2
        expectEqual(request.headers[.authorization], "Basic YXBwJTNBJUMzJUE5OnMzY3JldCUzQTErMg==")
        expectEqual(fields(request), ["grant_type=client_credentials", "scope=read+write"])
        // What is the session's own stays with its origin.
        expectNil(request.headers[try #require(HTTPField.Name("X-Api-Key"))])
    }

    @Test("The credentials and signatures of the session are not for the token endpoint, even at its own origin")
    func ownOnly() async throws {
        let asked = Mutex(0)
        let mock = MockTransport { _ in GuardedMock.refusal(["Basic realm=\"login\""]) }
        let own = Credential(user: "session", password: "own")
        var client = OAuth2Client(tokenURL: "https://api.example.com/token", id: "app", secret: "s")
        client.session = try mocked(by: mock) {
            $0.auth.credential = own
            $0.auth.credentialStore = MemoryCredentialStore()
            $0.auth.netrc = .path("/nonexistent")
            $0.auth.challengeHandler = { _ in
                asked.withLock { $0 += 1 }
                return .use(Credential(user: "user", password: "typed"))
            }
            $0.auth.awsSigning = AWSSigningTests.signing()
            $0.auth.messageSigning = MessageSigningTests.signing()
        }.api
        let error = await #expect(throws: SternaError.self) { try await client.clientCredentials() }
        expectEqual(error?.status, 401)
        expectEqual(mock.authorizations, [Authorization.basic("app", "s").fieldValue])
        for name in ["Signature", "X-Amz-Date", "X-Amz-Security-Token"] {
            expectNil(mock.requests.last?.headers[try #require(HTTPField.Name(name))], "\(name)")
        }
        expectEqual(asked.withLock { $0 }, 0)
    }

    @Test("The secret in the body, and a client without one")
    func body() async throws {
        let mock = MockTransport { _ in .json(Self.answer) }
        var client = try client(mock)
        client.authentication = .body
        _ = try await client.clientCredentials()
        expectNil(mock.requests.last?.headers[.authorization])
        expectEqual(
            fields(mock.requests.last),
            [
                "grant_type=client_credentials", "client_id=app%3A%C3%A9", "client_secret=s3cret%3A1+2",
            ])
        client.secret = nil
        client.authentication = .basic
        _ = try await client.refresh(AccessToken("t0", refreshToken: "r0"))
        expectNil(mock.requests.last?.headers[.authorization])
        expectEqual(
            fields(mock.requests.last), ["grant_type=refresh_token", "refresh_token=r0", "client_id=app%3A%C3%A9"])
    }

    @Test("A refresh keeps the refresh token and the scope unless the server sends others")
    func refresh() async throws {
        let mock = MockTransport(responses: [
            .json(Self.answer),
            .json(["access_token": "t2", "token_type": "bearer", "refresh_token": "r2", "scope": "less"]),
        ])
        let client = try client(mock)
        let first = try await client.refresh(AccessToken("t0", refreshToken: "r0", scope: "all"))
        expectEqual(first, AccessToken("t1", refreshToken: "r0", lifetime: .seconds(600), scope: "all"))
        let second = try await client.refresh(first)
        expectEqual(second, AccessToken("t2", refreshToken: "r2", scope: "less"))
        let error = await #expect(throws: SternaError.self) { try await client.refresh(AccessToken("t0")) }
        expectEqual(error?.kind, .invalidRequest)
        expectEqual(mock.requests.count, 2)
    }

    @Test("A redirect of the token endpoint is an error, and its target learns nothing", arguments: [302, 307, 308])
    func redirect(status: Int) async throws {
        let mock = MockTransport { _ in .redirect(to: "https://evil.test/", status: status) }
        let error = await #expect(throws: SternaError.self) { try await client(mock).clientCredentials() }
        expectEqual(error?.kind, .unacceptableStatus)
        expectEqual(error?.status, status)
        expectEqual(mock.requests.count, 1)
    }

    static let endpoints: [(String, Bool)] = [
        ("https://login.test/token", true), ("http://127.0.0.1:8080/token", true), ("http://localhost/token", true),
        ("http://[::1]/token", true), ("http://login.test/token", false), ("ws://login.test/", false),
        ("http://localhost.login.test/token", false), ("/token", false),
    ]

    @Test("The endpoint is https or on the loopback", arguments: endpoints)
    func endpoint(url: String, isSent: Bool) async throws {
        let mock = MockTransport { _ in .json(Self.answer) }
        let token = try? await client(mock, url: url).clientCredentials()
        expectEqual((token != nil), isSent)
        expectEqual(mock.requests.count, (isSent ? 1 : 0))
        guard url.hasPrefix("http://login") else { return }
        var lax = try client(mock, url: url)
        lax.allowsInsecure = true
        try await expectEqual(lax.clientCredentials().value, "t1")
    }

    @Test("A proxy that receives the request exposes an endpoint on the loopback, too")
    func proxied() async throws {
        let proxy = try Proxy("http://proxy.test:3128")
        let choices: [(ProxySettings, isSent: Bool)] = [
            (.proxy(proxy), false), (.each { _ in proxy }, false), (.proxy(proxy, except: ["localhost"]), true),
            (.none, true), (try .environment(["http_proxy": "http://proxy.test:3128"]), true),
        ]
        for (index, choice) in choices.enumerated() {
            let mock = MockTransport { _ in .json(Self.answer) }
            var client = try client(mock, url: "http://localhost/token")
            client.session = client.session.with { $0.network.proxies = choice.0 }
            let token = try? await client.clientCredentials()
            expectEqual((token != nil), choice.isSent, "\(index)")
            expectEqual(mock.requests.count, (choice.isSent ? 1 : 0), "\(index)")
            client.allowsInsecure = true
            try await expectEqual(client.clientCredentials().value, "t1")
        }
    }

    @Test("A response of more than 64 KiB is not read")
    func large() async throws {
        let mock = MockTransport { _ in
            .text(String(repeating: " ", count: 65 << 10) + Self.answer.description, mediaType: "application/json")
        }
        let error = await #expect(throws: SternaError.self) { try await client(mock).clientCredentials() }
        expectEqual(error?.kind, .limitExceeded)
    }

    @Test("Errors have the response and no secret; the client's description has no secret")
    func secrets() async throws {
        let mock = MockTransport { _ in
            .json(["error": "invalid_grant", "error_description": "expired"], status: 400)
        }
        let client = try client(mock, secret: "s3cret")
        let error = await #expect(throws: SternaError.self) {
            try await client.refresh(AccessToken("t0", refreshToken: "s3cret2"))
        }
        expectEqual(error?.status, 400)
        #expect(error?.url == "https://login.test/token")
        expectEqual(error?.message, "expired")
        for value in [error as Any, client, mock.requests.last as Any] as [Any] {
            for text in [dumped(value), "\(value)"] { #expect(!text.contains("s3cret"), "\(text)") }
        }
    }

    @Test("A session obtains its first token, and refreshes it; new tokens are handed on")
    func session() async throws {
        let received = TokenList()
        let mock = MockTransport { request in
            if request.url.host == "login.test" {
                let isFirst = request.givenText?.contains("client_credentials") == true
                return .json(["access_token": isFirst ? "t1" : "t2", "token_type": "Bearer", "refresh_token": "r"])
            }
            return request.headers[.authorization] == "Bearer t2" ? .json([:]) : .init(status: 401)
        }
        let client = try client(mock, secret: "s")
        let tokens = try TokenAuthentication(for: ["https://api.example.com"], client: client, scope: "all") {
            received.add($0)
        }
        let api = client.session.with {
            $0.auth.header = nil
            $0.auth.tokens = tokens
        }
        try await expectEqual(api.get("a").status, 200)
        expectEqual(received.values, ["t1", "t2"])
        expectEqual(mock.requests.map(\.url.host), ["login.test", "api.example.com", "login.test", "api.example.com"])
    }

    private final class TokenList: Sendable {
        private let list = Mutex<[String]>([])
        var values: [String] { list.withLock { $0 } }
        func add(_ token: AccessToken) { list.withLock { $0.append(token.value) } }
    }

    @Test("Over a socket")
    func socket() async throws {
        try await TestServer.withServer { server in
            server.route("POST", "/token") { request in
                guard request.headers["Authorization"] == "Basic YXBwOnM=" else { return ServerResponse(status: 401) }
                return .json(["access_token": "t1", "token_type": "Bearer", "expires_in": 60])
            }
            var client = OAuth2Client(tokenURL: server.url("/token"), id: "app", secret: "s")
            client.session = try Session { $0.network.engine = Engine() }
            let tokens = try TokenAuthentication(for: [server.url], client: client)
            let api = try Session(baseURL: server.url) {
                $0.network.engine = Engine()
                $0.auth.tokens = tokens
            }
            let tree = try await api.get("headers").json()
            expectEqual(tree["headers"]["Authorization"], "Bearer t1")
        }
    }
}
