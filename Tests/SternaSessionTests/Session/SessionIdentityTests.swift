import Sterna
import SternaPlatform
import SternaSigning
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Sessions without an identity", .timeLimit(.minutes(5)))
struct SessionIdentityTests {
    private struct UserField: Interceptor, RequestAdapter {
        nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
            var request = request
            request.headers[.referer] = "https://ada.example/"
            return try await next(request)
        }

        func adapt(_ request: Request, _ progress: RetryProgress) async throws -> Request {
            var request = request
            request.headers[.referer] = "https://ada.example/"
            return request
        }
    }

    @Test("Requests contain nothing that identifies the user")
    func fields() async throws {
        try await TestServer.withServer { server async throws in
            server.route("GET", "/page") { request in
                request.headers["authorization"] == nil
                    ? ServerResponse(status: 401, headers: ["WWW-Authenticate": "Basic realm=\"site\""]) : .text("own")
            }
            let jar = CookieJar()
            try jar.set(Cookie(name: "user", value: "ada", domain: "127.0.0.1"))
            let session = try Session(baseURL: server.url) { settings in
                settings.headers["X-User"] = "ada"
                var serializer = HTTPRequestSerializer()
                serializer.headers["X-Serialized"] = "ada"
                settings.requestSerializer = serializer
                settings.auth.header = .bearer("secret")
                settings.auth.credential = Credential(user: "ada", password: "secret")
                settings.auth.challengeHandler = { _ in .use(Credential(user: "ada", password: "secret")) }
                settings.auth.awsSigning = AWSSigning(
                    region: "r", service: "s", credentials: AWSCredentials(accessKey: "key", secretKey: "secret"))
                settings.adapters = [UserField()]
                settings.interceptors = [UserField()]
                settings.networkInterceptors = [UserField()]
                settings.cookies.jar = jar
                settings.responseSerializer = .data
            }
            let stranger = session.with { $0.removeIdentity() }
            let error = try #require(await #expect(throws: SternaError.self) { _ = try await stranger.get("page") })
            expectEqual(error.status, 401)
            let names = ["x-user", "x-serialized", "authorization", "cookie", "x-amz-date", "referer"]
            let requests = server.requests()
            expectEqual(requests.count, 1)
            for name in names { expectNil(requests.first?.headers[name], "\(name)") }
            // The session itself is as it was.
            try await expectEqual(session.get("page").status, 200)
            for name in names { #expect(server.requests().last?.headers[name] != nil, "\(name)") }
        }
    }

    @Test(
        "A certificate of the client is shown to no server, by the session's policy and those of hosts",
        arguments: 0..<3)
    func certificates(source: Int) async throws {
        let authority = try CertificateAuthority()
        let bundle = try authority.issue(
            CertificateOptions(hosts: [], commonName: "Ada", extendedKeyUsage: [.clientAuthentication]))
        let identity = try ClientIdentity(
            certificates: Array(bundle.certificateChainPEM.utf8), privateKey: Array(bundle.privateKeyPEM.utf8))
        var tls = ServerTLSSettings()
        tls.clientAuthorities = [authority.pem]
        var options = TestServer.Options(tls: try authority.issue())
        options.tlsSettings = tls
        try await TestServer.withServer(options) { server async throws in
            for name in [nil, "127.0.0.1", "localhost", "*.example.com", "**.example.com"] as [String?] {
                let session = try Session { settings in
                    settings.network.engine = Engine()
                    settings.trust.policy = .authority(pem: authority.pem)
                    settings.responseSerializer = .data
                    var policy = settings.trust.policy
                    switch source {
                    case 0: policy.identity = identity
                    case 1: policy.rotatingIdentity = RotatingIdentity(identity)
                    default:
                        policy.challengeHandler = ChallengeHandler { challenge in
                            if case .clientIdentity = challenge.subject { .identity(identity) } else { .useDefault }
                        }
                    }
                    if let name { settings.trust.hosts[name] = policy } else { settings.trust.policy = policy }
                }
                let stranger = session.with { settings in
                    settings.removeIdentity()
                    expectNil(settings.trust.policy.identity)
                    expectNil(settings.trust.policy.rotatingIdentity)
                    if let name {
                        #expect(settings.trust.hosts[name] != nil && settings.trust.hosts[name]?.identity == nil)
                    }
                }
                let url = server.url("/get")
                guard name == nil || url.contains("//" + (name ?? "")) else { continue }
                try await expectEqual(session.get(url).status, 200)
                await #expect(throws: SternaError.self) { _ = try await stranger.get(url) }
            }
        }
    }

    @Test("Responses stored for the user are not used, even if only an interceptor identified the user")
    func cache() async throws {
        try await TestServer.withServer { server async throws in
            server.route("GET", "/page") { request in
                var answer = ServerResponse.text(request.headers["referer"] == nil ? "nobody" : "ada")
                answer.headers["Cache-Control"] = "max-age=1000"
                return answer
            }
            let session = try Session(baseURL: server.url) { settings in
                settings.cache.store = .memory(bytes: 1 << 20)
                settings.cookies.jar = nil
                settings.networkInterceptors = [UserField()]
                settings.responseSerializer = .data
            }
            let stranger = session.with { $0.removeIdentity() }
            for _ in 0..<2 {
                try await expectEqual(session.get("page").text(), "ada")
                try await expectEqual(stranger.get("page").text(), "nobody")
            }
            expectEqual(server.requests().count, 2)
        }
    }
}
