import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The rows of docs/Migrating/AFNetworking.md and docs/Migrating/ASIHTTPRequest.md about credentials, redirects and retries.
@Suite("Coming from elsewhere: credentials", .timeLimit(.minutes(5)))
struct MigratingCredentialTests {
    private let ada = Authorization.basic("ada", "secret").fieldValue

    /// A server that takes ada by Basic.
    private func server() -> MockTransport {
        GuardedMock([#"Basic realm="Staff""#]) { [ada] in $0.headers[.authorization] == ada }.mock
    }

    @Test("What a challenge has, and its answers")
    func challenges() async throws {
        @Sendable func answer(_ challenge: CredentialChallenge) -> ChallengeDisposition {
            if challenge.previousFailures > 0 { return .cancel }
            #expect(challenge.space.realm == "Staff")
            #expect(challenge.scheme == .basic)
            #expect(challenge.response.status.code == 401)
            return .use(Credential(user: "ada", password: "secret"))
        }
        @Sendable func kept(_ challenge: CredentialChallenge) -> ChallengeDisposition {
            return .use(Credential(user: "ada", password: "secret"), stores: true)
        }
        @Sendable func declined(_ challenge: CredentialChallenge) -> ChallengeDisposition {
            return .useDefault
        }

        let answers: [@Sendable (CredentialChallenge) -> ChallengeDisposition] = [answer, kept]
        for handler in answers {
            let (api, mock) = try mocked(by: server()) { $0.auth.challengeHandler = { handler($0) } }
            try await api.get("report")
            #expect(mock.authorizations == [nil, ada])
        }
        let (api, _) = try mocked(by: server()) { $0.auth.challengeHandler = { declined($0) } }
        let error = await #expect(throws: SternaError.self) { try await api.get("report") }
        #expect(error?.status == 401)
    }

    @Test("A handler that leaves the 401 to the caller")
    func handlers() async throws {
        let (api, _) = try mocked(by: server()) {
            $0.auth.challengeHandler = { challenge in .useDefault }
        }
        do {
            try await api.get("report")
        } catch let error as SternaError {
            #expect(error.status == 401)
        }
        let (asking, mock) = try mocked(by: server()) {
            $0.auth.credentialStore = MemoryCredentialStore()
            $0.auth.challengeHandler = { challenge in .use(Credential(user: "ada", password: "secret"), stores: true) }
        }
        try await asking.get("report")
        #expect(mock.authorizations == [nil, ada])
    }

    @Test("Credentials of a session and of a request")
    func credentials() async throws {
        let (answering, mock) = try mocked(by: server()) {
            $0.auth.credential = Credential(user: "ada", password: "secret")
            $0.auth.policy.isPreemptive = false
        }
        for _ in 0..<2 { try await answering.get("report") }
        #expect(mock.authorizations == [nil, ada, nil, ada])

        let (remembering, kept) = try mocked(by: server()) { $0.auth.policy.remembersCredential = true }
        try await remembering.get("report") { $0.auth.credential = Credential(user: "ada", password: "secret") }
        try await remembering.get("report")
        #expect(kept.authorizations == [nil, ada, ada])

        let (sending, sent) = try mocked(by: server()) { $0.auth.header = .basic("ada", "secret") }
        try await sending.get("report")
        #expect(sent.authorizations == [ada])

        let (api, seen) = try mocked("https://api.example.com", by: server())
        try await api.get("https://ada:secret@api.example.com/report")
        #expect(seen.authorizations == [ada])

        let (careful, asked) = try mocked(by: server()) {
            $0.auth.credential = Credential(user: "ada", password: "secret")
            $0.auth.policy.schemes = [.digest]
        }
        await #expect(throws: SternaError.self) { try await careful.get("report") }
        #expect(asked.authorizations == [nil])
    }

    @Test("Stores in place of the keychain and of the session store")
    func stores() async throws {
        func file(_ path: String) throws -> FileCredentialStore {
            let store = try FileCredentialStore(path: path)
            return store
        }
        func memory(_ space: ProtectionSpace) -> MemoryCredentialStore {
            let store = MemoryCredentialStore([space: Credential(user: "ada", password: "secret")])
            return store
        }
        func use(_ store: any CredentialStore, _ space: ProtectionSpace) async throws {
            try await store.setCredential(Credential(user: "ada", password: "secret"), for: space)
            let saved = try await store.credential(for: space)
            #expect(saved?.user == "ada")
            try await store.setCredential(nil, for: space)
            #expect(try await store.credential(for: space) == nil)
        }

        let space = ProtectionSpace(
            origin: try Origin(scheme: .https, host: "api.example.com", port: 8443), realm: "Staff")
        try await CredentialFolder.with { folder in try await use(try file(folder + "/credentials.json"), space) }
        let store = memory(space)
        #expect(store.credential(for: space)?.user == "ada")
        store.removeAll()
        #expect(store.credential(for: space) == nil)
        try await use(store, space)

        let own = ProtectionSpace(origin: try Origin(scheme: .https, host: "api.example.com"), realm: "Staff")
        store.setCredential(Credential(user: "ada", password: "secret"), for: own)
        let (api, mock) = try mocked(by: server()) { $0.auth.credentialStore = store }
        try await api.get("report")
        #expect(mock.authorizations == [nil, ada])
    }

    @Test("Credentials of proxies")
    func proxies() throws {
        final class Login: ProxyAuthenticator {
            func authorization(for challenge: ProxyChallenge) async throws -> ProxyAuthorization? {
                guard challenge.refusedCount == 0, challenge.challenges.first?.realm == "Office" else { return nil }
                if challenge.offers("Digest") { print("Digest") }
                return .password("ada", "secret")
            }
        }
        let login = Login()
        let proxy = try Proxy(.http, host: "proxy.example", port: 3128, username: "ada", password: "secret")
        #expect(proxy.hasCredentials)
        let (api, _) = try mocked {
            $0.network.proxies = .proxy(proxy)
            $0.network.proxies.authenticator = login
        }
        #expect(api.baseURL?.host == "api.example.com")
    }

    @Test("Redirects and retries")
    func resending() async throws {
        let mock = MockTransport(responses: [.redirect(to: "/new"), .json([:], status: 503), .json([:])])
        let (api, _) = try mocked(by: mock) {
            $0.redirects.methods = .asiHTTPRequest
            $0.redirectHandler = { response, proposed in .follow(proposed) }
            $0.retry = .transient
        }
        let reply = try await api.get("old")
        #expect(reply.response.redirects.count == 1)
        #expect(mock.requests.count == 3)

        let (strict, asked) = try mocked(by: MockTransport { _ in .redirect(to: "/new") }) {
            $0.redirects.methods = .rfc9110
        }
        #expect(try await strict.get("old") { $0.redirects = .doNotFollow }.status == 302)
        #expect(asked.requests.count == 1)
    }
}
