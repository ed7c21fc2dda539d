import HTTPTypes
import Sterna
import SternaCore
import SternaTesting
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Authentication: credentials stay where they belong", .timeLimit(.minutes(5)))
struct AuthenticationOriginTests {
    private static let ada = AuthenticationSessionTests.ada
    private static let field = AuthenticationSessionTests.adaField

    @Test(
        "Pre-emptive Basic after a downgrade: neither to another scheme, nor host, nor port",
        arguments: ["http://a.test/p/x", "https://b.test/p/x", "https://a.test:8443/p/x", "https://a.test./p/x"])
    func downgrade(other: String) async throws {
        let (api, mock) = try mocked(nil, by: AuthenticationSessionTests.server().mock) {
            $0.auth.credential = Self.ada
        }
        try await api.get("https://a.test/p/x")
        try await api.get("https://a.test/p/x")
        expectEqual(mock.requests.count, 3)
        _ = try? await api.get(other)
        expectNil(mock.requests[3].headers[.authorization])
        try await api.get("https://a.test/p/x")
        expectEqual(mock.requests.last?.headers[.authorization], Self.field)
    }

    @Test(
        "A redirect to another origin, and back, leaves the caller's credentials behind for good",
        arguments: ["http://a.test:1/", "https://b.test/", "https://a.test:8443/"])
    func redirects(other: String) async throws {
        let mock = MockTransport { request in
            switch request.url.path {
            case "/start": .redirect(to: other + "there")
            case "/there": .redirect(to: "https://a.test/end")
            default: GuardedMock.refusal(["Basic realm=x"])
            }
        }
        for place in 0..<3 {
            let (api, _) = try mocked(nil, by: mock) {
                $0.redirects.allowsInsecure = true
                if place == 0 { $0.auth.credential = Self.ada }
            }
            let error = await #expect(throws: SternaError.self) {
                try await api.get(place == 2 ? "https://ada:s3cret@a.test/start" : "https://a.test/start") {
                    if place == 1 { $0.auth.credential = Self.ada }
                }
            }
            expectEqual(error?.status, 401)
            #expect(!mock.requests.dropFirst(3 * place + 1).contains { $0.headers.contains(.authorization) })
            expectEqual(mock.requests.count, 3 * place + 3)
        }
    }

    /// Sends two requests of one call, of which the first is redirected.
    private struct SendsTwo: Interceptor {
        nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
            _ = try await next(request)
            var second = request
            second.url = try HTTPURL("https://a.test/second")
            return try await next(second)
        }
    }

    @Test("A redirect to another origin removes no credentials from later requests of its call", arguments: 0..<3)
    func laterRequests(place: Int) async throws {
        let mock = MockTransport { request in
            if request.url.host == "b.test" { return .json([:]) }
            if request.url.path == "/first" { return .redirect(to: "https://b.test/") }
            return request.headers[.authorization] == Self.field ? .json([:]) : GuardedMock.refusal(["Basic realm=x"])
        }
        let (api, _) = try mocked(nil, by: mock) {
            $0.interceptors = [SendsTwo()]
            if place == 0 { $0.auth.credential = Self.ada }
        }
        try await api.get(place == 2 ? "https://ada:s3cret@a.test/first" : "https://a.test/first") {
            if place == 1 { $0.auth.credential = Self.ada }
        }
        expectEqual(mock.requests.last?.url.path, "/second")
        expectEqual(mock.requests.last?.headers[.authorization], Self.field)
        expectEqual(mock.requests.filter { $0.url.host == "b.test" }.map { $0.headers[.authorization] }, [nil])
    }

    @Test("With keepsCredentialsAcrossOrigins, challenges of redirect targets are answered")
    func trusted() async throws {
        let mock = MockTransport { request in
            if request.url.host == "a.test" { return .redirect(to: "https://b.test/") }
            return request.headers[.authorization] == Self.field ? .json([:]) : GuardedMock.refusal(["Basic realm=x"])
        }
        let (api, _) = try mocked(nil, by: mock) {
            $0.redirects.keepsCredentialsAcrossOrigins = true
            $0.auth.credential = Self.ada
        }
        try await api.get("https://a.test/")
        expectEqual(mock.requests.map { $0.headers[.authorization] }, [nil, nil, Self.field])
    }

    @Test("A store is asked for the origin of each hop") func storedHops() async throws {
        let store = MemoryCredentialStore([
            ProtectionSpace(origin: try HTTPURL("https://b.test/").origin, realm: "x"): Self.ada
        ])
        let server = AuthenticationSessionTests.server()
        let mock = MockTransport { request in
            if request.url.host == "a.test" { return .redirect(to: "https://b.test/") }
            guard request.headers[.authorization] == Self.field else { return GuardedMock.refusal(["Basic realm=x"]) }
            return .json([:])
        }
        let (api, _) = try mocked(nil, by: mock) { $0.auth.credentialStore = store }
        try await api.get("https://a.test/")
        expectEqual(mock.requests.map { $0.headers[.authorization] }, [nil, nil, Self.field])
        // The same realm of another origin is another space.
        let (other, otherMock) = try mocked(nil, by: server.mock) { $0.auth.credentialStore = store }
        _ = try? await other.get("https://a.test/")
        _ = try? await other.get("https://b.test:8443/")
        _ = try? await other.get("http://b.test/")
        #expect(otherMock.requests.allSatisfy { !$0.headers.contains(.authorization) })
    }

    @Test("Each origin has its own Digest nonce, whatever domain a server names")
    func digestState() async throws {
        let servers = [
            "a.test": DigestMock("ada", "s3cret", domain: "https://b.test/ /"), "b.test": DigestMock("ada", "s3cret"),
        ]
        let mocks = servers.mapValues(\.mock)
        servers["b.test"]?.renew()
        let mock = MockTransport { request in
            guard let mock = mocks[request.url.host] else { return .json([:]) }
            let response = try await mock.send(request)
            return ServerResponse(status: response.status.code, headers: .init(response.headers), body: response.body)
        }
        let (api, _) = try mocked(nil, by: mock) { $0.auth.credential = Self.ada }
        try await api.get("https://a.test/1")
        try await api.get("https://b.test/1")
        expectEqual(mock.requests.map { $0.headers.contains(.authorization) }, [false, true, false, true])
        try await api.get("https://a.test/2")
        try await api.get("https://b.test/2")
        let fields = mock.requests.compactMap { $0.headers[.authorization] }
        expectEqual(fields.map { $0.contains("nonce=\"n1\"") }, [true, false, true, false])
        expectEqual(fields.map { $0.contains("nc=00000001") }, [true, true, false, false])
        #expect(servers.values.allSatisfy { $0.refusals == ["missing"] })
    }

    @Test("Over http, credentials of a store or handler are sent only to loopback hosts, unless allowed")
    func exposed() async throws {
        for (url, isSent) in [
            ("http://a.test/", false), ("http://127.0.0.1/", true), ("http://localhost:8080/", true),
            ("http://[::1]/", true),
            ("http://10.0.0.1/", false), ("https://a.test/", true), ("http://127.0.0.1.evil.test/", false),
        ] {
            for isAllowed in [false, true] {
                let (api, mock) = try mocked(nil, by: AuthenticationSessionTests.server().mock) {
                    $0.auth.challengeHandler = { _ in .use(Self.ada) }
                    $0.auth.policy.allowsInsecurePasswords = isAllowed
                }
                let reply = try? await api.get(url)
                expectEqual((reply != nil), (isSent || isAllowed), "\(url)")
                expectEqual(mock.requests.count, (isSent || isAllowed ? 2 : 1))
            }
        }
        let (api, mock) = try mocked("http://a.test/", by: AuthenticationSessionTests.server().mock) {
            $0.auth.credential = Self.ada
        }
        try await api.get("a")
        expectEqual(mock.requests.count, 2)
    }

    @Test("Over http through a proxy, requests to loopback hosts are exposed, too") func exposedByProxy() async throws {
        let proxy = try Proxy("http://proxy.test:3128")
        let choices: [(ProxySettings, isExposed: Bool)] = [
            (.none, false), (.proxy(proxy), true), (.proxy(proxy, except: ["localhost"]), false),
            (.each { _ in proxy }, true), (.each { _ in nil }, false),
            (try .environment(["http_proxy": "http://proxy.test:3128"]), false),
        ]
        for (index, choice) in choices.enumerated() {
            for isExplicit in [false, true] {
                let (api, mock) = try mocked(nil, by: AuthenticationSessionTests.server().mock) {
                    $0.network.proxies = choice.0
                    if isExplicit {
                        $0.auth.credential = Self.ada
                    } else {
                        $0.auth.challengeHandler = { _ in .use(Self.ada) }
                    }
                }
                let reply = try? await api.get("http://localhost:8080/")
                let isSent = isExplicit || !choice.isExposed
                expectEqual((reply != nil), isSent, "\(index)")
                expectEqual(mock.requests.count, (isSent ? 2 : 1), "\(index)")
            }
        }
    }

    @Test("Derived sessions share known credentials only while their settings agree") func sharing() async throws {
        let (api, mock) = try mocked("https://a.test/", by: AuthenticationSessionTests.server().mock) {
            $0.auth.challengeHandler = { _ in .use(Self.ada) }
        }
        try await api.get("a")
        expectEqual(mock.requests.count, 2)
        try await api.with { $0.timeout = .seconds(3) }.get("a")
        expectEqual(mock.requests.count, 3)
        let changes: [@Sendable (inout SessionSettings) -> Void] = [
            { $0.auth.challengeHandler = { _ in .useDefault } }, { $0.tasks.decisions = TaskDecisions() },
            { $0.trust.policy = .insecure }, { $0.auth.credential = AuthenticationSessionTests.bob },
            { $0.auth.credentialStore = MemoryCredentialStore() }, { $0.network.unixSocket = "/run/a.sock" },
            { $0.auth.netrc = .path("/nonexistent") }, { $0.auth.policy.schemes = [.basic] },
        ]
        for (index, change) in changes.enumerated() {
            let before = mock.requests.count
            _ = try? await api.with(change).get("a")
            expectNil(mock.requests[before].headers[.authorization], "change \(index)")
        }
        #expect(
            try mocked("https://a.test/", by: mock).api.plan.settings.auth.challenges.memory
                !== api.plan.settings.auth.challenges.memory)
    }
}
