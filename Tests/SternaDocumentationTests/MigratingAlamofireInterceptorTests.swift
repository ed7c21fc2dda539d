import Foundation
import HTTPTypes
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The rows of docs/Migrating/Alamofire.md about adapters, retriers, tokens, redirects, compression and server trust.
@Suite("Coming from Alamofire: interceptors", .timeLimit(.minutes(5)))
struct MigratingAlamofireInterceptorTests {
    private struct ClientStamp: RequestAdapter {
        func adapt(_ request: Request, _ progress: RetryProgress) async throws -> Request {
            var request = request
            request.headers["X-Attempt"] = "\(progress.retries + 1)"
            return request
        }
    }

    private struct Patience: RequestRetrier {
        struct Impatient: Error {}
        var statuses: [Int]

        func retry(_ request: Request, after outcome: RetryOutcome, _ progress: RetryProgress) async -> RetryDecision {
            guard case .response(let response) = outcome else { return .undecided }
            guard statuses.contains(response.status.code) else { return .deliver }
            let error = Impatient()
            switch progress.retries {
            case 0: return .retry()
            case 1: return .retry(after: .milliseconds(1))
            default: return .fail(error)
            }
        }
    }

    @Test("An adapter and a retrier")
    func handlers() async throws {
        let adapter = ClientStamp()
        let retrier = Patience(statuses: [404])
        let (api, mock) = try mocked(by: MockTransport { _ in .json([:], status: 404) }) {
            $0.adapters = [adapter]
            $0.retriers = [retrier]
        }
        let error = await #expect(throws: SternaError.self) { try await api.get("users") }
        #expect(error?.kind == .interceptorFailed)
        #expect(error?.underlying is Patience.Impatient)
        #expect(mock.requests.map { $0.headers["X-Attempt"] } == ["1", "2", "3"])

        let answers: [ServerResponse] = [.json([:], status: 404), .json([:])]
        func single() async throws {
            let (api, mock) = try mocked(by: MockTransport(responses: answers))
            try await api.get("users") { $0.retriers.append(retrier) }
            #expect(mock.requests.count == 2)
        }
        try await single()
    }

    @Test("Retry policies")
    func policies() async throws {
        let (api, mock) = try mocked(by: MockTransport(responses: [.json([:], status: 503), .json([:])])) {
            $0.retry = .transient
            $0.retry.limit = 4
            $0.retry.backoff = RetryBackoff(base: .milliseconds(500), factor: 2)
            $0.retry.methods = [.get, .head]
            $0.retry.statuses = [502, 503]
            $0.retry.errors = [.connectionClosed, .timedOut]
            $0.retry.backoff = .constant(.milliseconds(1))
        }
        try await api.get("users")
        #expect(mock.requests.count == 2)
        let statuses = RetryPolicy.transient.statuses
        #expect(statuses.isSuperset(of: [408, 500, 502, 503, 504]))

        let lost = try mocked(by: MockTransport { _ in .json([:], status: 503) }) { $0.retry = .connectionLost }
        await #expect(throws: SternaError.self) { try await lost.api.get("users") }
        #expect(lost.mock.requests.count == 1)
    }

    @Test("Tokens that are refreshed")
    func tokens() async throws {
        @Sendable func login(_ expired: AccessToken?) async throws -> AccessToken {
            AccessToken("t1", lifetime: .seconds(600))
        }
        let saved = AccessToken("t0")
        func simple() throws -> TokenAuthentication {
            let tokens = try TokenAuthentication(saved, for: ["https://api.example.com"]) { expired in
                try await login(expired)
            }
            return tokens
        }
        let mock = MockTransport { request in
            .json([:], status: request.headers[.authorization] == "Bearer t1" ? 200 : 401)
        }
        let tokens = try simple()
        let (api, _) = try mocked("https://api.example.com", by: mock) { $0.auth.tokens = tokens }
        try await api.get("report")
        #expect(mock.authorizations == ["Bearer t0", "Bearer t1"])
        tokens.token = AccessToken("t2")
        #expect(tokens.token == AccessToken("t2"))

        var options = TokenAuthentication.Options()
        options.location = .header("X-Auth-Token")
        options.isRejected = { request, response in response.status.code == 403 }
        options.refreshesBefore = .seconds(300)
        options.mostRefreshes = 3
        options.refreshWindow = .seconds(60)
        let own = try TokenAuthentication(saved, for: ["https://api.example.com"], options: options) { expired in
            try await login(expired)
        }
        let guarded = MockTransport { request in
            .json([:], status: request.headers["X-Auth-Token"] == "t1" ? 200 : 403)
        }
        let (other, _) = try mocked("https://api.example.com", by: guarded) { $0.auth.tokens = own }
        try await other.get("report")
        #expect(guarded.requests.map { $0.headers["X-Auth-Token"] } == ["t0", "t1"])
    }

    @Test("Redirects")
    func redirects() async throws {
        func session(_ configure: (inout SessionSettings) -> Void) throws -> Session {
            try mocked(by: MockTransport(responses: [.redirect(to: "/new"), .json([:])]), configure).api
        }
        #expect(try await session { $0.redirects = .follow }.get("old").status == 200)
        #expect(try await session { $0.redirects = .doNotFollow }.get("old").status == 302)
        let followed = try session { $0.redirectHandler = { response, proposed in .follow(proposed) } }
        #expect(try await followed.get("old").status == 200)
        let delivered = try session { $0.redirectHandler = { response, proposed in .deliver } }
        #expect(try await delivered.get("old").status == 302)
    }

    @Test("A compressed body")
    func compression() async throws {
        let (api, mock) = try mocked()
        let body = Body.text(String(repeating: "tern ", count: 1_000))
        try await api.post("rows", body: body.compressed(.deflate))
        #expect(mock.requests.first?.headers["Content-Encoding"] == "deflate")
    }

    @Test("Evaluators are policies")
    func trust() async throws {
        try await Downloading.withFolder { folder in
            let path = folder + "/server.pem"
            try CertificateAuthority().issue(hosts: ["example.com"]).writeChainPEM(toPath: path)
            func certificates() throws -> SecurityPolicy {
                let pinned = SecurityPolicy.pinned(try Pin.certificates(at: path))
                return pinned
            }
            func keys() throws -> SecurityPolicy {
                let pinned = SecurityPolicy.pinned(try Pin.publicKeys(at: path))
                return pinned
            }
            let pinned = try certificates()
            #expect(try keys().pins != pinned.pins)

            var policy = SecurityPolicy.system
            let other = SecurityPolicy.authority(file: path)
            policy.evaluators = [TrustEvaluator { evaluation in evaluation.verdict }]
            policy.evaluators = [TrustEvaluator(other)]
            policy.validatesDomainName = false
            policy.allowsInvalidCertificates = true
            policy.evaluators = []
            let unchecked = SecurityPolicy.insecure
            #expect(policy == unchecked)

            let (api, _) = try mocked {
                $0.trust.hosts = ["api.example.com": pinned]
                $0.trust.hosts.everyHostNeedsOne = true
            }
            #expect(api.baseURL?.host == "api.example.com")
            let policies: HostPolicies = ["api.example.com": pinned]
            let found = policies.policy(for: "api.example.com")
            #expect(found == pinned)
        }
    }
}
