import HTTPTypes
import SternaCore
import SternaTesting
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// The one exception from the rule that credentials stay with their origin.
@Suite("Redirects that keep credentials")
struct RedirectTrustTests {
    private func requests(_ hops: [String], keeps: Bool) async throws -> [Request] {
        let mock = MockTransport(responses: hops.map { .redirect(to: $0, status: 307) } + [.json([:])])
        let (api, _) = try mocked(by: mock) {
            $0.auth.header = .bearer("s3cret")
            $0.redirects.keepsCredentialsAcrossOrigins = keeps
        }
        try await api.get("a", headers: ["Cookie": "a=s3cret", "X-Key": "s3cret", "Host": "internal.test"]) {
            $0.auth.secretHeaders = ["x-key"]
        }
        return mock.requests
    }

    private func secrets(_ request: Request) -> Int {
        request.headers.filter { ["authorization", "cookie", "x-key"].contains($0.name.canonicalName) }.count
    }

    static let hops = ["https://other.test/b", "https://other.test:8443/c", "https://api.example.com/d"]

    @Test("With keepsCredentialsAcrossOrigins credentials are kept, but a Host field is not")
    func kept() async throws {
        let requests = try await requests(Self.hops, keeps: true)
        expectEqual(requests.map(secrets), [3, 3, 3, 3])
        let host = try #require(HTTPField.Name("Host"))
        expectEqual(requests.map { $0.headers[host] }, ["internal.test", nil, nil, nil])
        #expect(requests.allSatisfy { !$0.state.access.dropsCredentials })
    }

    @Test("By default they do not, and policies below the redirect see it")
    func dropped() async throws {
        let requests = try await requests(["/v1/b"] + Self.hops, keeps: false)
        expectEqual(requests.map(secrets), [3, 3, 0, 0, 0])
        expectEqual(requests.map { $0.state.access.dropsCredentials }, [false, false, true, true, true])
    }

    @Test("Encryption is still not given up")
    func downgrade() async throws {
        let error = await #expect(throws: SternaError.self) {
            _ = try await requests(["http://api.example.com/b"], keeps: true)
        }
        expectEqual(error?.kind, .redirectRefused)
    }

    @Test("A request's own policy may be the exception")
    func request() async throws {
        let mock = MockTransport(responses: [.redirect(to: "https://other.test/"), .json([:])])
        let (api, _) = try mocked(by: mock) { $0.auth.header = .bearer("s3cret") }
        try await api.get("a") {
            var policy = RedirectPolicy.follow
            policy.keepsCredentialsAcrossOrigins = true
            $0.redirects = policy
        }
        expectEqual(mock.requests.map { $0.headers[.authorization] }, ["Bearer s3cret", "Bearer s3cret"])
    }
}
