import HTTPTypes
import Sterna
import SternaCore
import SternaTesting
import Synchronization
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Authentication: hostile servers", .timeLimit(.minutes(5)))
struct HostileChallengeTests {
    private static let ada = AuthenticationSessionTests.ada

    /// A server that answers each request by its number with a 401.
    private static func endless(_ challenge: @escaping @Sendable (Int) -> String) -> MockTransport {
        let count = Mutex(0)
        return MockTransport { _ in
            GuardedMock.refusal([
                challenge(
                    count.withLock {
                        $0 += 1
                        return $0
                    })
            ])
        }
    }

    static let endlessChallenges: [@Sendable (Int) -> String] = [
        { "Basic realm=\"\($0)\"" }, { _ in "Basic realm=\"x\"" },
        { #"Digest realm="x", nonce="\#($0)", qop="auth", stale=true"# },
        { #"Digest realm="\#($0)", nonce="\#($0)", qop="auth", stale=true"# },
        { _ in #"Digest realm="x", nonce="x", qop="auth", stale=true"# },
        { $0 % 2 == 0 ? "Basic realm=x" : #"Digest realm="x", nonce="\#($0)", stale=true"# },
    ]

    @Test("Endless challenges", arguments: endlessChallenges.indices) func endless(index: Int) async throws {
        let challenge = Self.endlessChallenges[index]
        let (api, mock) = try mocked("https://a.test/", by: Self.endless(challenge)) {
            $0.auth.credential = Self.ada
            $0.auth.challengeHandler = { challenge in
                .use(Credential(user: "u\(challenge.previousFailures)", password: "p"))
            }
        }
        let error = await #expect(throws: SternaError.self) { try await api.get("a") }
        expectEqual(error?.status, 401)
        expectEqual(error?.detail.contains("again and again"), true)
        #expect(mock.requests.count <= AuthenticationRule.Limits.answers + 2)
    }

    @Test("Challenges of 1 MB and ten thousand of them are ignored") func large() async throws {
        let long = String(repeating: "x", count: 1 << 20)
        let many = (0..<10_000).map { "Basic realm=\"\($0)\"" }.joined(separator: ", ")
        let qualities = (0..<10_000).map { "q\($0)" }.joined(separator: ",")
        for lines in [
            ["Basic realm=\"\(long)\""], [many], ["Digest realm=\"x\", nonce=\"\(long)\""],
            ["Digest realm=\"x\", nonce=\"n\", qop=\"\(qualities)\""],
            Array(repeating: "Basic realm=\"\(long)\"", count: 3),
        ] {
            let (api, mock) = try mocked("https://a.test/", by: GuardedMock(lines) { _ in false }.mock) {
                $0.auth.credential = Self.ada
            }
            let error = await #expect(throws: SternaError.self) { try await api.get("a") }
            expectEqual(error?.status, 401)
            expectEqual(mock.requests.count, 1)
        }
    }

    @Test("Control characters in realms reach no terminal and no request") func control() async throws {
        let realm = "a\u{1B}]0;title\u{7}\u{202E}b\tc"
        let space = ProtectionSpace(origin: try HTTPURL("https://a.test/").origin, realm: realm)
        #expect(!"\(space)".unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E })
        let lines = [
            "Basic realm=\"a\u{1B}[31mb\"", "Digest realm=\"a\u{7}b\", nonce=\"n\"", "Basic realm=\"a\u{0}b\"",
        ]
        for line in lines { #expect(SternaCore.AuthenticationChallenge.parse([line]).isEmpty) }
        let bearer = SternaCore.AuthenticationChallenge(
            "Bearer", parameters: [.init("error", "x\u{1B}"), .init("error_description", "y\u{202E}z\n")])
        let shown = bearer.bearerError.map { "\($0)" } ?? ""
        #expect(!shown.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E })
    }

    @Test("A 401 with a Location is no redirect") func redirecting401() async throws {
        let mock = MockTransport { request in
            var answer = GuardedMock.refusal(["Basic realm=x"])
            answer.headers[.location] = "https://evil.test/"
            return request.headers.contains(.authorization) ? .json([:]) : answer
        }
        let (api, _) = try mocked("https://a.test/", by: mock) { $0.auth.credential = Self.ada }
        try await api.get("a")
        expectEqual(mock.requests.map(\.url.host), ["a.test", "a.test"])
    }

    @Test("A redirect whose target asks for credentials, on the same origin and on another") func redirectTo401()
        async throws
    {
        for (target, status) in [("/end", 200), ("https://b.test/end", 401)] {
            let mock = MockTransport { request in
                if request.url.path == "/start" { return .redirect(to: target) }
                return request.headers.contains(.authorization) ? .json([:]) : GuardedMock.refusal(["Basic realm=x"])
            }
            let (api, _) = try mocked("https://a.test/", by: mock) { $0.auth.credential = Self.ada }
            do {
                let reply = try await api.get("/start")
                expectEqual(reply.response.status.code, status)
            } catch let error as SternaError {
                expectEqual(error.status, status)
                #expect(!mock.requests.contains { $0.headers.contains(.authorization) })
            }
        }
    }

    @Test("Redirects and challenges in turn end by the limit of redirects") func alternating() async throws {
        let count = Mutex(0)
        let mock = MockTransport { request in
            let number = count.withLock {
                $0 += 1
                return $0
            }
            guard request.headers.contains(.authorization) else {
                return GuardedMock.refusal(["Basic realm=\"\(number)\""])
            }
            return .redirect(to: "/\(number)/")
        }
        let (api, _) = try mocked("https://a.test/", by: mock) { $0.auth.credential = Self.ada }
        let error = await #expect(throws: SternaError.self) { try await api.get("/") }
        expectEqual(error?.kind, .tooManyRedirects)
        #expect(mock.requests.count <= 21 * (AuthenticationRule.Limits.answers + 1))
    }

    @Test("A 407 from an origin is a response, and gets no credentials") func proxyStatus() async throws {
        let mock = MockTransport { _ in
            var answer = GuardedMock.refusal(["Basic realm=x"])
            answer.status = 407
            answer.headers["Proxy-Authenticate"] = "Basic realm=x"
            return answer
        }
        let (api, _) = try mocked("https://ada:s3cret@a.test/", by: mock) {
            $0.auth.credential = Self.ada
            $0.auth.credentialStore = MemoryCredentialStore()
        }
        let error = await #expect(throws: SternaError.self) { try await api.get("a") }
        expectEqual(error?.status, 407)
        expectEqual(mock.requests.count, 1)
        expectEqual(mock.requests.first?.headers.contains(.proxyAuthorization), false)
    }

    @Test("A server that does not know the password is noticed") func wrongProof() async throws {
        let mock = MockTransport { request in
            guard request.headers.contains(.authorization) else {
                return GuardedMock.refusal([#"Digest realm="x", nonce="n", qop="auth""#])
            }
            var answer = ServerResponse.json([:])
            answer.headers["Authentication-Info"] = #"rspauth="00000000000000000000000000000000", qop=auth"#
            return answer
        }
        let (api, _) = try mocked("https://a.test/", by: mock) { $0.auth.credential = Self.ada }
        let error = await #expect(throws: SternaError.self) { try await api.get("a") }
        expectEqual(error?.kind, .unacceptableResponse)
        expectEqual(error?.status, 200)
    }
}
