import HTTPTypes
import Sterna
import SternaCore
import SternaTesting
import Synchronization
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Authentication: sessions", .timeLimit(.minutes(5)))
struct AuthenticationSessionTests {
    static let ada = Credential(user: "ada", password: "s3cret")
    static let bob = Credential(user: "bob", password: "s3cret")
    static let adaField = Authorization.basic("ada", "s3cret").fieldValue
    static let bobField = Authorization.basic("bob", "s3cret").fieldValue

    /// A server that takes ada by Basic.
    static func server(_ field: String = adaField) -> GuardedMock {
        GuardedMock([#"Basic realm="x", charset="UTF-8""#]) { $0.headers[.authorization] == field }
    }

    private static func fields(_ mock: MockTransport) -> [String?] { mock.requests.map { $0.headers[.authorization] } }

    @Test("The session's credential answers a challenge, and goes at once afterwards, at and below the same folder")
    func basic() async throws {
        let (api, mock) = try mocked("https://a.test/", by: Self.server().mock) { $0.auth.credential = Self.ada }
        try await api.get("v1/a")
        expectEqual(Self.fields(mock), [nil, Self.adaField])
        try await api.get("v1/b/c?d")
        expectEqual(Self.fields(mock), [nil, Self.adaField, Self.adaField])
        try await api.get("other")
        expectEqual(Self.fields(mock), [nil, Self.adaField, Self.adaField, nil, Self.adaField])
        try await api.with { $0.timeout = .seconds(9) }.get("v1/d")
        expectEqual(Self.fields(mock).count, 6)
        try await api.with { $0.auth.credential = Self.bob }.get("v1/d") { $0.auth.credential = Self.ada }
        expectEqual(Self.fields(mock).count, 8)
    }

    @Test("Without pre-emption each request is challenged") func notPreemptive() async throws {
        let (api, mock) = try mocked("https://a.test/", by: Self.server().mock) {
            $0.auth.credential = Self.ada
            $0.auth.policy.isPreemptive = false
        }
        for _ in 0..<2 { try await api.get("a") }
        expectEqual(Self.fields(mock), [nil, Self.adaField, nil, Self.adaField])
    }

    @Test("Without an allowed scheme no challenge is answered") func off() async throws {
        let (api, mock) = try mocked("https://a.test/", by: Self.server().mock) { $0.auth.credential = Self.ada }
        let error = await #expect(throws: SternaError.self) {
            try await api.get("a") { $0.auth.policy = AuthenticationPolicy(schemes: []) }
        }
        expectEqual(error?.status, 401)
        expectEqual(mock.requests.count, 1)
    }

    @Test("With remembersCredential, an accepted credential of a request becomes the session's")
    func remembered() async throws {
        let (api, mock) = try mocked("https://a.test/", by: Self.server().mock) {
            $0.auth.policy.remembersCredential = true
            $0.network.allowsOtherOrigins = true
        }
        _ = try? await api.get("v1/a") { $0.auth.credential = Self.bob }
        _ = try? await api.get("v1/a")
        // What was refused is not remembered.
        expectEqual(Self.fields(mock), [nil, Self.bobField, nil])
        try await api.get("v1/a") { $0.auth.credential = Self.ada }
        expectEqual(Self.fields(mock).suffix(2), [nil, Self.adaField])
        // At once within the space, elsewhere when the server asks for the same realm.
        try await api.get("v1/b")
        expectEqual(Self.fields(mock).suffix(2), [Self.adaField, Self.adaField])
        try await api.get("other")
        expectEqual(Self.fields(mock).suffix(3), [Self.adaField, nil, Self.adaField])
        // A derived session knows it, one with a credential of its own or of another origin does not use it.
        try await api.with { $0.timeout = .seconds(9) }.get("v1/c")
        expectEqual(Self.fields(mock).suffix(2), [Self.adaField, Self.adaField])
        let count = mock.requests.count
        _ = try? await api.get("v1/c") { $0.auth.credential = Self.bob }
        expectEqual(Self.fields(mock)[count...], [nil, Self.bobField])
        _ = try? await api.get("https://b.test/v1/c") { $0.timeout = .seconds(9) }
        expectEqual(mock.requests.last?.url.host, "b.test")
        #expect(mock.requests.filter { $0.url.host == "b.test" }.allSatisfy { $0.headers[.authorization] == nil })
    }

    @Test("The session's credential precedes remembered ones; the last accepted one replaces earlier ones")
    func rememberedOrder() async throws {
        let accepted = Mutex([Self.adaField, Self.bobField])
        let guarded = GuardedMock([#"Basic realm="x", charset="UTF-8""#]) { request in
            accepted.withLock { $0.contains(request.headers[.authorization] ?? "") }
        }
        let (api, mock) = try mocked("https://a.test/", by: guarded.mock) {
            $0.auth.policy.remembersCredential = true
        }
        try await api.get("a") { $0.auth.credential = Self.ada }
        try await api.get("a") { $0.auth.credential = Self.bob }
        try await api.get("a")
        expectEqual(Self.fields(mock), [nil, Self.adaField, nil, Self.bobField, Self.bobField])
        accepted.withLock { $0 = [Self.adaField] }
        _ = try? await api.get("a")
        // It was refused, and so forgotten.
        _ = try? await api.get("a")
        expectEqual(Self.fields(mock).suffix(2), [Self.bobField, nil])
        let (own, sent) = try mocked("https://a.test/", by: Self.server().mock) {
            $0.auth.policy.remembersCredential = true
            $0.auth.credential = Self.bob
        }
        try await own.get("a") { $0.auth.credential = Self.ada }
        _ = try? await own.get("a")
        expectEqual(Self.fields(sent), [nil, Self.adaField, nil, Self.bobField])
    }

    @Test("A request's credential precedes the session's, and serves no other request") func requests() async throws {
        let (api, mock) = try mocked("https://a.test/", by: Self.server(Self.bobField).mock) {
            $0.auth.credential = Self.ada
        }
        try await api.get("a") { $0.auth.credential = Self.bob }
        expectEqual(Self.fields(mock), [nil, Self.bobField])
        try await api.get("a") { $0.auth.credential = Self.bob }
        expectEqual(Self.fields(mock), [nil, Self.bobField, Self.bobField])
        let error = await #expect(throws: SternaError.self) { try await api.get("a") }
        expectEqual(error?.status, 401)
        expectEqual(Self.fields(mock).suffix(2), [nil, Self.adaField])
    }

    @Test("A request's credential needs no setting of the session") func requestAlone() async throws {
        let (api, mock) = try mocked("https://a.test/", by: Self.server().mock)
        try await api.get("a") { $0.auth.credential = Self.ada }
        expectEqual(Self.fields(mock), [nil, Self.adaField])
        let (other, otherMock) = try mocked("https://a.test/", by: Self.server().mock)
        try await other.get("a") { $0.auth.challengeHandler = { _ in .use(Self.ada) } }
        expectEqual(Self.fields(otherMock), [nil, Self.adaField])
    }

    @Test("The URL's user is sent by Basic at once, and by Digest where the server asks for that") func userinfo()
        async throws
    {
        let server = DigestMock("ada", "s3cret")
        let (api, mock) = try mocked(nil, by: server.mock)
        try await api.get("https://ada:s3cret@a.test/")
        expectEqual(mock.requests.count, 2)
        expectEqual(Self.fields(mock).first, Self.adaField)
        expectEqual(Self.fields(mock).last??.hasPrefix("Digest "), true)
        let (careful, carefulMock) = try mocked(nil, by: DigestMock("ada", "s3cret").mock) {
            $0.auth.policy = AuthenticationPolicy(schemes: [.digest])
        }
        try await careful.get("https://ada:s3cret@a.test/")
        expectEqual(Self.fields(carefulMock).first, .some(nil))
        expectEqual(carefulMock.requests.count, 2)
    }

    @Test("Digest counts the uses of a nonce, and takes a new one when it is stale", arguments: DigestHash.allCases)
    func digest(algorithm: DigestHash) async throws {
        guard !algorithm.isSession else { return }
        let server = DigestMock("ada", "s3cret", algorithm)
        let (api, mock) = try mocked("https://a.test/", by: server.mock) { $0.auth.credential = Self.ada }
        for number in 0..<3 { try await api.get("p/\(number)?q") }
        expectEqual(mock.requests.count, 4)
        expectEqual(server.refusals, ["missing"])
        server.renew()
        try await api.get("x")
        expectEqual(server.refusals, ["missing", "stale"])
        try await api.with { $0.headers = ["X-A": "b"] }.post("x", parameters: ["a": 1])
        expectEqual(server.refusals, ["missing", "stale"])
    }

    @Test("A hundred requests at once use each count once") func concurrent() async throws {
        let server = DigestMock("ada", "s3cret")
        let (api, _) = try mocked("https://a.test/", by: server.mock) { $0.auth.credential = Self.ada }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 { group.addTask { try await api.get("\(number)") } }
            try await group.waitForAll()
        }
        #expect(server.refusals.allSatisfy { $0 == "missing" })
        let refused = server.refusals.count
        try await api.get("again")
        expectEqual(server.refusals.count, refused)
    }

    @Test("A refused credential is sent once, also by later requests; the error says so") func refused() async throws {
        let (api, mock) = try mocked("https://a.test/", by: GuardedMock(["Basic realm=x"]) { _ in false }.mock) {
            $0.auth.credential = Self.ada
        }
        for count in [2, 3] {
            let error = await #expect(throws: SternaError.self) { try await api.get("a") }
            expectEqual(error?.status, 401)
            expectEqual(error?.detail.contains("The server refused the credentials."), true)
            expectEqual(mock.requests.count, count)
        }
        _ = try? await api.get("a") { $0.auth.credential = Self.ada }
        expectEqual(mock.requests.count, 5)
    }

    @Test("Stores are asked by protection space; what a handler gives is kept once the server has accepted it")
    func stores() async throws {
        let origin = try HTTPURL("https://a.test/").origin
        let store = MemoryCredentialStore([ProtectionSpace(origin: origin, realm: "y"): Self.ada])
        let asked = Mutex<[Int]>([])
        let (api, mock) = try mocked("https://a.test/", by: Self.server().mock) {
            $0.auth.credentialStore = store
            $0.auth.challengeHandler = { challenge in
                asked.withLock { $0.append(challenge.previousFailures) }
                expectEqual(challenge.space, ProtectionSpace(origin: origin, realm: "x"))
                expectEqual(challenge.scheme, .basic)
                return .use(challenge.previousFailures == 0 ? Self.bob : Self.ada, stores: true)
            }
        }
        try await api.get("a")
        expectEqual(Self.fields(mock), [nil, Self.bobField, Self.adaField])
        expectEqual(asked.withLock { $0 }, [0, 1])
        expectEqual(store.credential(for: ProtectionSpace(origin: origin, realm: "x")), Self.ada)
        let (later, laterMock) = try mocked("https://a.test/", by: Self.server().mock) {
            $0.auth.credentialStore = store
        }
        try await later.get("a")
        expectEqual(Self.fields(laterMock), [nil, Self.adaField])
    }

    static let statuses: [(Int, Bool)] =
        [200, 204, 206, 304, 403, 404, 405, 409, 410, 412, 416, 422].map { ($0, true) }
        + [400, 407, 408, 413, 425, 429, 431, 500, 502, 503, 504].map { ($0, false) }

    @Test("A credential counts as accepted only where the status shows it", arguments: statuses)
    func acceptance(status: Int, isAccepted: Bool) async throws {
        expectEqual(AuthenticationRule.showsAcceptance(status), isAccepted)
        let store = MemoryCredentialStore()
        let mock = MockTransport { request in
            request.headers.contains(.authorization)
                ? .text("", status: status) : GuardedMock.refusal(["Basic realm=x"])
        }
        let (api, _) = try mocked("https://a.test/", by: mock) {
            $0.retry = .none
            $0.auth.credentialStore = store
            $0.auth.challengeHandler = { _ in .use(Self.ada, stores: true) }
        }
        _ = try? await api.get("a")
        let space = ProtectionSpace(origin: try HTTPURL("https://a.test/").origin, realm: "x")
        expectEqual(store.credential(for: space), (isAccepted ? Self.ada : nil))
        // What was accepted goes without a challenge.
        _ = try? await api.get("a")
        expectEqual(Array(Self.fields(mock).dropFirst(2).prefix(1)), [isAccepted ? Self.adaField : nil])
    }

    @Test("A store and a handler that fail") func failures() async throws {
        struct Broken: Error {}
        final class BrokenStore: CredentialStore {
            func credential(for space: ProtectionSpace) throws -> Credential? { throw Broken() }
            func setCredential(_ credential: Credential?, for space: ProtectionSpace) throws {}
        }
        let handlers: [@Sendable (CredentialChallenge) async throws -> ChallengeDisposition] = [
            { _ in throw Broken() }, { _ in .fail(Broken()) },
        ]
        for index in 0..<3 {
            let (api, mock) = try mocked("https://a.test/", by: Self.server().mock) {
                if index == 2 {
                    $0.auth.credentialStore = BrokenStore()
                } else {
                    $0.auth.challengeHandler = handlers[index]
                }
            }
            let error = await #expect(throws: SternaError.self) { try await api.get("a") }
            expectEqual(error?.kind, .authenticationFailed)
            #expect(error?.underlying is Broken)
            expectEqual(error?.status, 401)
            expectEqual(error?.requestSent, true)
            expectEqual(mock.requests.count, 1)
        }
    }

    @Test("A hundred challenges at once ask a handler once, also one that sends requests itself") func askedOnce()
        async throws
    {
        let count = Mutex(0)
        let inner = Mutex<Session?>(nil)
        let (api, _) = try mocked("https://a.test/", by: Self.server().mock) {
            $0.auth.challengeHandler = { _ in
                let number = count.withLock {
                    $0 += 1
                    return $0
                }
                if number == 1 { _ = try await inner.withLock { $0 }?.get("inner") }
                return .use(Self.ada)
            }
        }
        inner.withLock { $0 = api }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { try await api.get("a") } }
            try await group.waitForAll()
        }
        // The first one, and the request that it sends.
        expectEqual(count.withLock { $0 }, 2)
    }

    @Test("A handler can cancel, or leave the decision to the next one") func decisions() async throws {
        let (api, mock) = try mocked("https://a.test/", by: Self.server().mock) {
            $0.auth.challengeHandler = { _ in .use(Self.ada) }
        }
        let error = await #expect(throws: SternaError.self) {
            try await api.get("a") { $0.auth.challengeHandler = { _ in .cancel } }
        }
        expectEqual(error?.kind, .cancelled)
        try await api.get("a") { $0.auth.challengeHandler = { _ in .useDefault } }
        expectEqual(Self.fields(mock), [nil, nil, Self.adaField])
        let none = try mocked("https://a.test/", by: Self.server().mock) {
            $0.auth.challengeHandler = { _ in .useDefault }
        }
        let refused = await #expect(throws: SternaError.self) { try await none.api.get("a") }
        expectEqual(refused?.kind, .unacceptableStatus)
    }

    @Test("A body that can be read only once gets the 401, with a note that says so") func oneShot() async throws {
        let (api, mock) = try mocked("https://a.test/", by: Self.server().mock) { $0.auth.credential = Self.ada }
        let body = Body.stream(AsyncStream<Bytes> { $0.finish() })
        let error = await #expect(throws: SternaError.self) { try await api.post("a", body: body) }
        expectEqual(error?.status, 401)
        expectEqual(error?.detail.contains("the body can be read only once"), true)
        expectEqual(mock.requests.count, 1)
        try await api.get("b")
        try await api.post("c", body: Body.stream(AsyncStream<Bytes> { $0.finish() }))
        expectEqual(mock.requests.count, 4)
    }

    @Test("NTLM and Negotiate alone are not supported") func unsupported() async throws {
        let server = GuardedMock(["Negotiate", "NTLM"]) { _ in false }
        let (api, _) = try mocked("https://a.test/", by: server.mock) { $0.auth.credential = Self.ada }
        let error = await #expect(throws: SternaError.self) { try await api.get("a") }
        expectEqual(error?.kind, .authenticationFailed)
        expectEqual(error?.detail.contains("not supported"), true)
    }

    @Test("Digest with an empty qop is answered without one, and with an unknown one the error names the reason")
    func qualities() async throws {
        for (list, isAnswered) in [("", true), (" ", true), ("auth-conf", false), ("token, x", false)] {
            let server = GuardedMock(["Digest realm=\"x\", nonce=\"n\", qop=\"\(list)\""]) { request in
                guard let field = request.headers[.authorization] else { return false }
                return field.hasPrefix("Digest") && !field.contains("qop") && !field.contains("nc=")
            }
            let (api, mock) = try mocked("https://a.test/", by: server.mock) { $0.auth.credential = Self.ada }
            guard !isAnswered else {
                try await api.get("a")
                expectEqual(mock.requests.count, 2)
                continue
            }
            let error = await #expect(throws: SternaError.self) { try await api.get("a") }
            expectEqual(error?.status, 401)
            expectEqual(error?.detail.contains("Digest with the unknown qop “\(list)”"), true, "\(error?.detail ?? "")")
            expectEqual(mock.requests.count, 1)
        }
    }

    @Test("Bearer needs a bearer credential") func bearer() async throws {
        let server = GuardedMock([#"Bearer realm="x", error="invalid_token", error_description="expired""#]) {
            $0.headers[.authorization] == "Bearer t0ken"
        }
        let (api, mock) = try mocked("https://a.test/", by: server.mock) { $0.auth.credential = .bearer("t0ken") }
        try await api.get("a")
        expectEqual(Self.fields(mock), [nil, "Bearer t0ken"])
        let error = await #expect(throws: SternaError.self) {
            try await api.with { $0.auth.credential = .bearer("old") }.get("a")
        }
        expectEqual(error?.detail.contains("invalid_token (expired)"), true)
        expectEqual(error?.response?.challenges.first?.bearerError?.code, "invalid_token")
    }

    @Test("Attempts are counted and have their reason") func metrics() async throws {
        try await TestServer.withServer { server in
            let api = try Session(baseURL: server.url) {
                $0.network.engine = Engine()
                $0.events.collectsMetrics = true
                $0.auth.credential = Credential(user: "ada", password: "pw")
            }
            let reply = try await api.get("basic-auth/ada/pw")
            expectEqual(reply.response.metrics?.attempts.map(\.reason), [.first, .authentication])
            let again = try await api.get("basic-auth/ada/pw")
            expectEqual(again.response.metrics?.attempts.map(\.reason), [.first])
        }
    }
}
