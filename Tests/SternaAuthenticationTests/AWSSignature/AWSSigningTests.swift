import HTTPTypes
import NIOCore
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import Sterna
@testable import SternaSigning
@testable import SternaTestSupport

@Suite("AWS signatures: requests of a session")
struct AWSSigningTests {
    static let keys = AWSCredentials(accessKey: "AKID", secretKey: "hidden-key", sessionToken: "hidden-token")

    static func signing(_ service: String = "sqs", now: Int64 = 1_369_353_600) -> AWSSigning {
        var signing = AWSSigning(region: "eu-central-1", service: service, credentials: keys)
        signing.now = { now }
        return signing
    }

    @Test("Requests are not signed by default")
    func off() async throws {
        let (api, mock) = try mocked()
        try await api.get("a")
        expectNil(mock.requests.first?.headers[.authorization])
    }

    @Test("A session signs its requests, with the session token, below interceptors that change them")
    func session() async throws {
        let (api, mock) = try mocked { settings in
            settings.auth.awsSigning = Self.signing()
            settings.interceptors = [Stamp()]
        }
        try await api.post("a", parameters: ["b": 1])
        let request = try #require(mock.requests.first)
        let field = try #require(request.headers[.authorization])
        #expect(
            field.hasPrefix("AWS4-HMAC-SHA256 Credential=AKID/20130524/eu-central-1/sqs/aws4_request, SignedHeaders="))
        for name in ["host", "x-amz-date", "x-amz-security-token", "x-stamp", "content-type"] {
            #expect(field.contains(name), "\(name)")
        }
        expectEqual(request.headers["x-amz-security-token"], "hidden-token")
        expectNil(request.headers["x-amz-content-sha256"])
    }

    @Test("A network interceptor sees the signed request")
    func network() async throws {
        let seen = Mutex<[String?]>([])
        let (api, _) = try mocked { settings in
            settings.auth.awsSigning = Self.signing()
            settings.networkInterceptors = [
                Watch { request in seen.withLock { $0.append(request.headers[.authorization]) } }
            ]
        }
        try await api.get("a")
        expectEqual(seen.withLock { $0.first??.hasPrefix("AWS4-HMAC-SHA256 ") }, true)
    }

    @Test("A request signs for itself, and may leave the session's signature out")
    func request() async throws {
        let (plain, mock) = try mocked()
        try await plain.get("a") { $0.auth.awsSigning = Self.signing("own") }
        expectEqual(mock.requests.last?.headers[.authorization]?.contains("/own/aws4_request"), true)
        let (signed, other) = try mocked { $0.auth.awsSigning = Self.signing() }
        try await signed.get("a") { $0.auth.awsSigning = Self.signing("own") }
        expectEqual(other.requests.last?.headers[.authorization]?.contains("/own/aws4_request"), true)
        try await signed.get("a") { $0.auth.awsSigning = nil }
        expectNil(other.requests.last?.headers[.authorization])
        try await signed.get("a")
        expectEqual(other.requests.last?.headers[.authorization]?.contains("/sqs/aws4_request"), true)
    }

    @Test("A request to another origin than the session's is not signed")
    func otherOrigin() async throws {
        let (api, mock) = try mocked { settings in
            settings.auth.awsSigning = Self.signing()
            settings.network.allowsOtherOrigins = true
        }
        try await api.get("https://other.example/a")
        expectNil(mock.requests.last?.headers[.authorization])
        expectNil(mock.requests.last?.headers["x-amz-security-token"])
    }

    @Test(
        "A redirect to another origin carries no signature, token or date; one within the origin is signed anew",
        arguments: [
            ("https://api.example.com/b", true), ("https://evil.example/b", false),
            ("https://api.example.com:444/b", false),
            ("https://amazonaws.com.evil.example/b", false), ("https://eu.amazonaws.com/b", true),
            ("https://amazonaws.com/b", true), ("https://xamazonaws.com/b", false),
        ])
    func redirect(target: String, isSigned: Bool) async throws {
        let mock = MockTransport(responses: [.redirect(to: target, status: 307), .json([:])])
        let (api, _) = try mocked(by: mock) { settings in
            settings.auth.awsSigning = Self.signing()
            settings.auth.awsSigning?.trustedHosts = ["amazonaws.com"]
        }
        try await api.get("a")
        let last = try #require(mock.requests.last)
        expectEqual((last.headers[.authorization] != nil), isSigned)
        expectEqual((last.headers["x-amz-security-token"] != nil), isSigned)
        #expect(mock.requests.first?.headers[.authorization] != last.headers[.authorization])
    }

    @Test(
        "A redirect that returns from a foreign origin is signed only if the policy keeps credentials, even at a trusted host",
        arguments: [(false, "", false), (false, "example.com", false), (true, "", true), (true, "example.com", true)])
    func returning(keeps: Bool, trusted: String, isSigned: Bool) async throws {
        let mock = MockTransport(responses: [
            .redirect(to: "https://evil.example/b", status: 307),
            .redirect(to: "https://api.example.com/c", status: 307), .json([:]),
        ])
        let (api, _) = try mocked(by: mock) { settings in
            settings.auth.awsSigning = Self.signing()
            settings.auth.awsSigning?.trustedHosts = [trusted]
            settings.redirects.keepsCredentialsAcrossOrigins = keeps
        }
        try await api.get("a")
        expectEqual(mock.requests.map { $0.headers[.authorization] != nil }, [true, false, isSigned])
    }

    @Test("Redirects among trusted hosts are signed until one leads to another host")
    func trail() async throws {
        let mock = MockTransport(responses: [
            .redirect(to: "https://eu.amazonaws.com/b", status: 307),
            .redirect(to: "https://us.amazonaws.com/c", status: 307),
            .redirect(to: "https://evil.example/d", status: 307),
            .redirect(to: "https://us.amazonaws.com/e", status: 307), .json([:]), .json([:]),
        ])
        let (api, _) = try mocked(by: mock) { settings in
            settings.auth.awsSigning = Self.signing()
            settings.auth.awsSigning?.trustedHosts = ["amazonaws.com"]
        }
        try await api.get("a")
        // The next request has redirects of its own.
        try await api.get("a")
        expectEqual(mock.requests.map { $0.headers[.authorization] != nil }, [true, true, true, false, false, true])
    }

    @Test("A trusted host over http gets no signature")
    func insecure() throws {
        var signing = Self.signing()
        signing.trustedHosts = ["amazonaws.com", ""]
        let origin = try HTTPURL("https://a.example").origin
        #expect(!signing.allows(try HTTPURL("http://s3.amazonaws.com/"), from: origin, hasLeft: false))
        #expect(!signing.allows(try HTTPURL("https://127.0.0.1/"), from: origin, hasLeft: false))
        #expect(signing.allows(try HTTPURL("https://s3.amazonaws.com/"), from: origin, hasLeft: false))
    }

    @Test("Plus signs in a query are sent as %20, so that they cannot be read in two ways")
    func plus() async throws {
        let (api, mock) = try mocked { $0.auth.awsSigning = Self.signing() }
        try await api.get("a?b=c+d")
        expectEqual(mock.requests.last?.url.query, "b=c%20d")
    }

    @Test("A signature in the query leaves Authorization out")
    func query() async throws {
        let (api, mock) = try mocked { settings in
            settings.auth.awsSigning = Self.signing()
            settings.auth.awsSigning?.placement = .query(expires: 60)
        }
        try await api.get("a?b=1")
        let request = try #require(mock.requests.last)
        expectEqual(request.url.query?.hasPrefix("b=1&X-Amz-Algorithm=AWS4-HMAC-SHA256&"), true)
        expectNil(request.headers[.authorization])
    }

    @Test("Credentials are asked for at each request, and the provider's error reaches the caller")
    func provider() async throws {
        let store = AWSCredentialStore(AWSCredentials(accessKey: "ONE", secretKey: "s"))
        let (api, mock) = try mocked {
            $0.auth.awsSigning = AWSSigning(region: "r", service: "s", credentials: store)
        }
        try await api.get("a")
        store.current = AWSCredentials(accessKey: "TWO", secretKey: "s")
        try await api.get("a")
        let keys = mock.requests.map { $0.headers[.authorization]?.split(separator: "/").first }
        expectEqual(keys, ["AWS4-HMAC-SHA256 Credential=ONE", "AWS4-HMAC-SHA256 Credential=TWO"])
        store.current = nil
        let error = await #expect(throws: SternaError.self) { try await api.get("a") }
        expectEqual(error?.kind, .invalidRequest)
        expectEqual(mock.requests.count, 2)
    }

    @Test("The environment's variables make credentials; a missing one is named")
    func environment() throws {
        let all = ["AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "S", "AWS_SESSION_TOKEN": ""]
        try expectEqual(
            AWSEnvironmentCredentials.credentials(of: all), AWSCredentials(accessKey: "A", secretKey: "S"))
        let error = #expect(throws: SternaError.self) {
            try AWSEnvironmentCredentials.credentials(of: ["AWS_ACCESS_KEY_ID": "A"])
        }
        expectEqual(error?.detail.contains("AWS_SECRET_ACCESS_KEY"), true)
    }

    @Test("No mirror, description or error shows a key or a token")
    func secrets() async throws {
        let (api, mock) = try mocked { $0.auth.awsSigning = Self.signing() }
        try await api.get("a")
        let request = try #require(mock.requests.last)
        var settings = RequestSettings()
        settings.auth.awsSigning = Self.signing()
        let url = try await Self.signing("s3").presign(.get, try HTTPURL("https://example.com/k"))
        var error = SternaError(.timedOut, phase: .wait, "x").at(Request(.get, url))
        error.underlying = nil
        for value in [
            api, settings, Self.keys, AWSCredentialStore(Self.keys), Self.signing(), request, error,
            SigningChoices.Choice(type: AWSSigning.self, signer: Self.signing(), isOfRequest: true),
        ] as [Any] {
            for text in [dumped(value), "\(value)", String(reflecting: value)] {
                #expect(!text.contains("hidden"), "\(type(of: value))")
            }
        }
        let signature = try #require(request.headers[.authorization]?.suffix(64))
        #expect(!dumped(request).contains(signature))
        #expect(!"\(error)".contains("X-Amz-Signature=\(url.href.suffix(64))"))
        #expect(dumped(api).contains("eu-central-1"))
    }
}

/// Adds a field.
private struct Stamp: Interceptor {
    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        var request = request
        let fields: Headers = ["X-Stamp": "1"]
        try fields.merge(into: &request.headers)
        return try await next(request)
    }
}

/// Shows requests to a closure.
private struct Watch: Interceptor {
    let see: @Sendable (Request) -> Void

    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        see(request)
        return try await next(request)
    }
}
