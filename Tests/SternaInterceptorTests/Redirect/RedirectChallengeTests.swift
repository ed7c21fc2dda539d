import HTTPTypes
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// Servers that mix redirects and challenges; what they get to see.
@Suite("Redirects and challenges over the network", .timeLimit(.minutes(5)))
struct RedirectChallengeTests {
    private func session(_ server: TestServer) throws -> Session {
        try Session(baseURL: server.url) {
            $0.network.engine = Engine()
            $0.auth.header = .bearer("s3cret")
        }
    }

    @Test("A redirect whose target answers 401 brings no credentials there", arguments: [302, 307])
    func redirectToChallenge(status: Int) async throws {
        try await TestServer.withServer { first in
            try await TestServer.withServer { second in
                second.route(nil, "/guarded") { _ in
                    ServerResponse(status: 401, headers: ["WWW-Authenticate": "Bearer realm=\"a\", Basic realm=\"b\""])
                }
                let error = await #expect(throws: SternaError.self) {
                    try await session(first).get(
                        "redirect-to", query: ["url": second.url("/guarded"), "status_code": status])
                }
                expectEqual(error?.kind, .unacceptableStatus)
                expectEqual(error?.status, 401)
                expectEqual(error?.redirects.map(\.status), [status])
                expectEqual(second.requestCount, 1)
                #expect(second.requests().allSatisfy { !$0.headers.contains("Authorization") })
            }
        }
    }

    @Test("A 401 or 407 with a Location is no redirect", arguments: [401, 407])
    func challengeThatRedirects(status: Int) async throws {
        try await TestServer.withServer { first in
            try await TestServer.withServer { second in
                let target = second.url("/get")
                first.route(nil, "/guarded") { _ in
                    ServerResponse(
                        status: status,
                        headers: ["Location": target, "WWW-Authenticate": "Basic", "Proxy-Authenticate": "Basic"])
                }
                let error = await #expect(throws: SternaError.self) { try await session(first).get("guarded") }
                expectEqual(error?.kind, .unacceptableStatus)
                expectEqual(error?.status, status)
                expectEqual(error?.redirects.isEmpty, true)
                expectEqual(second.requestCount, 0)
                expectEqual(first.requestCount, 1)
            }
        }
    }

    @Test("A chain of redirects and challenges is bounded, and the way home has no credentials")
    func backAndForth() async throws {
        try await TestServer.withServer { first in
            try await TestServer.withServer { second in
                let (there, home) = (second.url("/go"), first.url("/home"))
                first.route(nil, "/away") { _ in .redirect(to: there) }
                second.route(nil, "/go") { _ in .redirect(to: home) }
                first.route(nil, "/home") { _ in ServerResponse(status: 401, headers: ["WWW-Authenticate": "Basic"]) }
                let error = await #expect(throws: SternaError.self) { try await session(first).get("away") }
                expectEqual(error?.status, 401)
                expectEqual(first.requests().map { $0.headers["Authorization"] }, ["Bearer s3cret", nil])
                expectEqual(second.requests().map { $0.headers["Authorization"] }, [nil])
            }
        }
    }

    @Test("The named exception sends them everywhere, to origins alone")
    func trusted() async throws {
        try await TestServer.withServer { first in
            try await TestServer.withServer { second in
                let (there, home) = (second.url("/go"), first.url("/headers"))
                first.route(nil, "/away") { _ in .redirect(to: there) }
                second.route(nil, "/go") { _ in .redirect(to: home) }
                let api = try session(first).with { $0.redirects.keepsCredentialsAcrossOrigins = true }
                try await api.get("away", headers: ["Cookie": "a=1", "Proxy-Authorization": "Basic eA=="])
                for seen in first.requests() + second.requests() {
                    expectEqual(seen.headers["Authorization"], "Bearer s3cret")
                    expectEqual(seen.headers["Cookie"], "a=1")
                    expectNil(seen.headers["Proxy-Authorization"])
                }
                expectEqual(first.requestCount + second.requestCount, 3)
            }
        }
    }
}
