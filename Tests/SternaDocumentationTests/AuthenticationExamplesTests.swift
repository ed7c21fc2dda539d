import Foundation
import HTTPTypes
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import Sterna
@testable import SternaSigning
@testable import SternaTestSupport

/// Makes clients under the name of the type whose requests a session sends.
private struct OAuth2ClientMaker {
    let session: Session

    func callAsFunction(tokenURL: String, id: String, secret: String) -> OAuth2Client {
        var client = OAuth2Client(tokenURL: tokenURL, id: id, secret: secret)
        client.session = session
        return client
    }
}

/// The examples of docs/Authentication.md, so that they compile and do what it says.
@Suite("Examples: authentication", .timeLimit(.minutes(5)))
struct AuthenticationExamplesTests {
    private let password = "s3cret"
    private let ada = Authorization.basic("ada", "s3cret").fieldValue

    /// A server that takes ada by Basic.
    private func server() -> MockTransport {
        GuardedMock([#"Basic realm="Staff""#]) { [ada] in $0.headers[.authorization] == ada }.mock
    }

    @Test("At once, and when a server asks")
    func first() async throws {
        let token = "sesame"
        let mock = server()
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let Session = SessionMaker(mock)

        let api = try Session(baseURL: "https://api.example.com") {
            $0.auth.credential = Credential(user: "ada", password: password)
        }
        let report = try await api.get("report").json()  // Digest if the server offers it, else Basic

        let tokens = try Session(baseURL: "https://api.example.com") { $0.auth.header = .bearer(token) }
        try await tokens.get("report") { $0.auth.header = .basic("ada", password) }

        let nothing: JSON = [:]
        #expect(report == nothing)
        #expect(mock.authorizations == [nil, ada, ada])
    }

    @Test("Digest alone")
    func schemes() async throws {
        let mock = DigestMock("ada", "s3cret").mock
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let Session = SessionMaker(mock)

        let api = try Session(baseURL: "https://api.example.com") {
            $0.auth.credential = Credential(user: "ada", password: password)
            $0.auth.policy.schemes = [.digest]  // the password itself is never sent
        }

        try await api.get("report")
        #expect(mock.authorizations.count == 2)
        #expect(mock.authorizations.last??.hasPrefix("Digest ") == true)
    }

    @Test("A request that differs from its session")
    func oneRequest() async throws {
        let digest = DigestMock("grace", "s3cret")
        let (api, mock) = try mocked(by: digest.mock) {
            $0.auth.credential = Credential(user: "ada", password: "other")
        }

        try await api.get("report") {
            $0.auth.credential = Credential(user: "grace", password: password)
            $0.auth.policy.schemes = [.digest]
        }
        let anonymous = api.with { $0.auth.header = nil }  // a session that sends no Authorization

        #expect(mock.authorizations.count == 2)
        #expect(mock.authorizations.last??.contains("grace") == true)
        #expect(anonymous.baseURL == api.baseURL)
    }

    @Test("The challenges of a 401")
    func challenges() async throws {
        let guarded = GuardedMock([#"Bearer realm="api", error="invalid_token""#]) { _ in false }
        let (api, _) = try mocked(by: guarded.mock)

        do {
            try await api.get("report")
        } catch let error as SternaError where error.status == 401 {
            for challenge in error.response?.challenges ?? [] {
                print(challenge.scheme, challenge.realm ?? "", challenge.bearerError?.code ?? "")
            }
        }

        let error = await #expect(throws: SternaError.self) { try await api.get("report") }
        #expect(error?.response?.challenges.first?.bearerError?.code == "invalid_token")
    }

    @Test("A store and a .netrc")
    func stores() async throws {
        try await CredentialFolder.with { folder in
            try CredentialFolder.write(
                "machine api.example.com login ada password s3cret", to: folder + "/netrc")
            let mock = server()
            // swift-format-ignore: AlwaysUseLowerCamelCase
            let Session = SessionMaker(mock)

            let store = try FileCredentialStore(path: folder + "/credentials.json")
            let api = try Session(baseURL: "https://api.example.com") {
                $0.auth.credentialStore = store
                $0.auth.netrc = .path(folder + "/netrc")  // .standard is ~/.netrc
            }

            try await api.get("report")
            #expect(mock.authorizations == [nil, ada])
        }
    }

    @Test("A handler that asks")
    func handler() async throws {
        @Sendable func ask(_ space: ProtectionSpace) async -> String? { space.realm == "Staff" ? "s3cret" : nil }
        let mock = server()
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let Session = SessionMaker(mock)

        let api = try Session(baseURL: "https://api.example.com") {
            $0.auth.credentialStore = MemoryCredentialStore()
            $0.auth.challengeHandler = { challenge in
                guard challenge.previousFailures < 3, let password = await ask(challenge.space) else { return .cancel }
                return .use(Credential(user: "ada", password: password), stores: true)
            }
        }

        try await api.get("report")
        #expect(mock.authorizations == [nil, ada])
    }

    final class ProxyLogin: ProxyAuthenticator {
        func authorization(for challenge: ProxyChallenge) async throws -> ProxyAuthorization? {
            challenge.refusedCount == 0 ? .password("ada", "secret") : nil  // Digest if the proxy offers it, else Basic
        }
    }

    @Test("A proxy that asks")
    func proxies() async throws {
        try await TestServer.withServer { server in
            let options = TestProxy.Options(
                username: "ada", password: "secret", routes: ["origin.test:80": server.port],
                digest: TestProxy.Digest())
            try await TestProxy.withProxy(options) { relay in
                let proxy = try Proxy(relay.url)
                let api = try Session(baseURL: "http://origin.test") { $0.network.engine = Engine() }

                let login = ProxyLogin()
                let proxied = api.with {
                    $0.network.proxies = .proxy(proxy)  // its URL may have credentials: http://ada:secret@proxy.example
                    $0.network.proxies.authenticator = login
                }

                #expect(try await proxied.get("get").status == 200)
                #expect(relay.requests().last?.digest?["username"] == "ada")
            }
        }
    }

    @Test("Tokens that are refreshed")
    func tokens() async throws {
        let saved = AccessToken("t0", refreshToken: "r0")
        let login = try mocked("https://login.example.com", by: MockTransport { _ in .json(["token": "t1"]) }).api
        let mock = TokenScene().mock
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let Session = SessionMaker(mock)

        let tokens = try TokenAuthentication(saved, for: ["https://api.example.com"]) { expired in
            let reply = try await login.post("refresh", parameters: ["token": expired?.refreshToken ?? ""])
            return AccessToken(try await reply.json()["token"].string ?? "", lifetime: .seconds(600))
        }
        let api = try Session(baseURL: "https://api.example.com") { $0.auth.tokens = tokens }

        try await api.get("report")
        #expect(mock.authorizations == ["Bearer t0", "Bearer t1"])
        #expect(tokens.token == AccessToken("t1", lifetime: .seconds(600)))
    }

    struct RefusalReader: Interceptor {  // a longer body fails with limitExceeded
        nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
            var response = try await next(request)
            guard response.status.code == 400 else { return response }
            response.body = ResponseBody(try await response.body.collect(upTo: 65_536))
            return response
        }
    }

    /// A body that arrives behind its head.
    private final class LateBody: BodyStream {
        private let piece: Mutex<Bytes?>
        init(_ text: String) { piece = Mutex(Bytes(text: text)) }
        func next() async throws -> Bytes? { piece.withLock { $0.take() } }
        func cancel() {}
        var length: Int64? { nil }
        var trailers: HTTPFields? { nil }
    }

    @Test("Tokens that a body rejects")
    func tokenRejectedByBody() async throws {
        let saved = AccessToken("t0", refreshToken: "r0")
        @Sendable func renewed(_ expired: AccessToken?) async throws -> AccessToken {
            AccessToken("t1", refreshToken: expired?.refreshToken)
        }
        let mock = MockTransport { request in
            guard request.headers[.authorization] != "Bearer t1" else { return .json([:]) }
            return .init(status: 400, body: ResponseBody(LateBody(#"{"error": "token_expired"}"#)))
        }
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let Session = SessionMaker(mock)

        var options = TokenAuthentication.Options()
        options.refreshesBefore = .seconds(30)
        options.isRejected = { request, response in
            guard response.status.code == 400, let body = response.body.whole else { return false }
            return (try? JSON(parsing: body.text))?["error"].string == "token_expired"
        }
        let tokens = try TokenAuthentication(saved, for: ["https://api.example.com"], options: options) { expired in
            try await renewed(expired)
        }
        let api = try Session(baseURL: "https://api.example.com") {
            $0.auth.tokens = tokens
            $0.networkInterceptors = [RefusalReader()]
        }

        try await api.get("report")
        #expect(mock.authorizations == ["Bearer t0", "Bearer t1"])
        #expect(tokens.token == AccessToken("t1", refreshToken: "r0"))
    }

    @Test("Tokens of an OAuth 2 server")
    func oauth() async throws {
        let secret = "hidden"
        let stored = Mutex<AccessToken?>(nil)
        @Sendable func save(_ token: AccessToken) async { stored.withLock { $0 = token } }
        let answer: JSON = ["access_token": "t1", "token_type": "Bearer", "expires_in": 600]
        let endpoint = MockTransport { _ in .json(answer) }
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let OAuth2Client = OAuth2ClientMaker(session: try mocked(nil, by: endpoint).api)

        let client = OAuth2Client(tokenURL: "https://login.example.com/token", id: "app", secret: secret)
        let tokens = try TokenAuthentication(for: ["https://api.example.com"], client: client, scope: "read") { token in
            await save(token)  // its refresh token may be the only one that works
        }

        let (api, mock) = try mocked("https://api.example.com") { $0.auth.tokens = tokens }
        try await api.get("report")
        #expect(mock.authorizations == ["Bearer t1"])
        #expect(stored.withLock { $0 } == AccessToken("t1", lifetime: .seconds(600)))
        #expect(endpoint.requests.count == 1)
    }

    @Test("AWS signatures")
    func aws() async throws {
        let (accessKey, secretKey) = ("AKID", "hidden")
        let mock = MockTransport { _ in .json([:]) }
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let Session = SessionMaker(mock)

        let credentials = AWSCredentials(accessKey: accessKey, secretKey: secretKey)  // sessionToken: of temporary ones
        let api = try Session(baseURL: "https://sqs.eu-central-1.amazonaws.com") {
            $0.auth.awsSigning = AWSSigning(region: "eu-central-1", service: "sqs", credentials: credentials)
        }
        try await api.post("", parameters: ["Action": "ListQueues"])

        #expect(mock.authorizations.first??.contains("/eu-central-1/sqs/aws4_request") == true)
    }

    /// An answer that is signed with a secret, its content's digest included.
    private static func signed(with secret: [UInt8]) throws -> ServerResponse {
        let key = SignatureKey.hmacSHA256(id: "key-1", secret: secret)
        let input = #"("@status" "content-digest");keyid="key-1""#
        let digest: Headers = [
            "Content-Type": "application/json",
            "Content-Digest": "sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:",
        ]
        var fields = HTTPFields()
        try digest.merge(into: &fields)
        let head = Response(
            status: .ok, headers: fields, url: try HTTPURL("https://api.example.com/orders"))
        let base = try SignatureBase.text(
            [.status, "content-digest"], parameters: input, of: SignedMessage(head, to: nil))
        let signature = Data(try key.sign(base)).base64EncodedString()
        let proof: Headers = ["Signature-Input": "sig1=\(input)", "Signature": "sig1=:\(signature):"]
        try proof.merge(into: &fields)
        return ServerResponse(headers: ServerHeaders(fields), body: .bytes(Array("hello".utf8)))
    }

    @Test("Message signatures")
    func messages() async throws {
        let secret = Array("hidden".utf8)
        let answer = try Self.signed(with: secret)
        let mock = MockTransport { _ in answer }
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let Session = SessionMaker(mock)

        let key = SignatureKey.hmacSHA256(id: "key-1", secret: secret)
        let api = try Session(baseURL: "https://api.example.com") { $0.auth.messageSigning = MessageSigning(key: key) }
        let reply = try await api.post("orders", parameters: ["bird": "tern"])

        let rules = MessageVerification(keys: [key], requiring: [.status, "content-digest"])
        try rules.verify(reply.response).check(content: reply.body)

        let sent = try #require(mock.requests.first)
        #expect(sent.headers["Signature-Input"]?.hasPrefix("sig1=(") == true)
        #expect(sent.headers["Content-Digest"] != nil)
    }

    @Test("Message signatures with Ed25519")
    func ed25519() async throws {
        // The test key of RFC 9421, B.1.4.
        let privateKey = try #require(Data(base64Encoded: "n4Ni+HpISpVObnQMW0wOhCKROaIKqKtW/2ZYb2p9KcU="))
        let publicKey = try #require(Data(base64Encoded: "JrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs="))
        let (api, mock) = try mocked()

        var signing = MessageSigning(key: try .ed25519(id: "key-1", privateKey: privateKey))  // 32 bytes
        signing.components = [.method, .authority, .path, .query]
        signing.lifetime = .seconds(300)
        let signed = api.with { [signing] in $0.auth.messageSigning = signing }
        let server = try SignatureKey.ed25519(id: "server-1", publicKey: publicKey)  // 32 bytes

        try await signed.get("orders", query: ["bird": "tern"])
        let input = try #require(mock.requests.first?.headers["Signature-Input"])
        #expect(input.hasPrefix(#"sig1=("@method" "@authority" "@path" "@query");"#))
        #expect(input.contains("expires="))
        #expect(server.algorithm == .ed25519)
    }
}
