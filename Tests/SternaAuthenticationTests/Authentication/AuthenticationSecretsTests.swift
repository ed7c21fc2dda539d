import Sterna
import SternaCore
import SternaTesting
import Synchronization
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Authentication: no secret is shown", .timeLimit(.minutes(5)))
struct AuthenticationSecretsTests {
    // The password, its Base64 forms, and the token.
    private static let secrets = ["s3cret", "YWRhOnMzY3JldA", "OnMzY3JldA"]

    private static func holdsNone(_ text: String) -> Bool { !secrets.contains { text.contains($0) } }

    private static func texts(_ value: Any) -> String { "\(value)" + String(reflecting: value) + dumped(value) }

    @Test("Settings, sessions, stores, challenges, spaces") func mirrors() async throws {
        let ada = Credential(user: "ada", password: "s3cret")
        let origin = try HTTPURL("https://a.test/").origin
        let store = MemoryCredentialStore([ProtectionSpace(origin: origin, realm: "x"): ada])
        let (api, _) = try mocked("https://a.test/", by: AuthenticationSessionTests.server().mock) {
            $0.auth.credential = ada
            $0.auth.credentialStore = store
            $0.auth.netrc = .path("/nonexistent")
            $0.auth.challengeHandler = { _ in .use(ada) }
        }
        try await api.get("a")
        var settings = RequestSettings()
        settings.auth.credential = .bearer("s3cret")
        var draft = RequestDraft(.get, "https://ada:s3cret@a.test/")
        draft.settings = settings
        let challenge = CredentialChallenge(
            url: try HTTPURL("https://a.test/"), method: .get, space: ProtectionSpace(origin: origin, realm: "x"),
            scheme: .basic, challenges: [], rejected: [ada],
            response: Response(status: .unauthorized, url: try HTTPURL("https://a.test/")))
        let memory = try #require(api.plan.settings.auth.challenges.memory)
        for value in [
            ada as Any, api, api.plan.settings, settings, draft, store, challenge, ChallengeDisposition.use(ada),
            memory,
            try api.request(for: draft), memory.spaces.withLock { $0 },
        ] {
            #expect(Self.holdsNone(Self.texts(value)), "\(type(of: value))")
        }
    }

    @Test(
        "Errors, notes, logs of requests and curl lines", arguments: ["Basic realm=x", #"Digest realm="x", nonce="n""#])
    func errors(challenge: String) async throws {
        let (api, mock) = try mocked("https://a.test/", by: GuardedMock([challenge]) { _ in false }.mock) {
            $0.auth.credential = Credential(user: "ada", password: "s3cret")
            $0.events.collectsMetrics = true
        }
        let error = await #expect(throws: SternaError.self) { try await api.get("https://ada:s3cret@a.test/") }
        expectEqual(error.map { Self.holdsNone(Self.texts($0) + $0.message) }, true)
        #expect(!mock.requests.isEmpty)
        for request in mock.requests {
            #expect(Self.holdsNone(Self.texts(request)))
            #expect(Self.holdsNone(request.curl()))
        }
        let names: [Credential] = [Credential(user: "a:b", password: "s3cret"), .bearer("s3cret\r\nX: 1")]
        for (credential, line) in zip(names, ["Basic realm=x", "Bearer"]) {
            let (api, mock) = try mocked("https://a.test/", by: GuardedMock([line]) { _ in false }.mock) {
                $0.auth.credential = credential
            }
            let error = await #expect(throws: SternaError.self) { try await api.get("a") }
            expectEqual(error?.kind, .invalidHeader)
            expectEqual(error.map { Self.holdsNone(Self.texts($0)) }, true)
            expectEqual(mock.requests.count, 1)
        }
    }
}
