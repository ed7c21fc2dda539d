import HTTPTypes
import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import Sterna
@testable import SternaSigning
@testable import SternaTestSupport

@Suite("Message signatures: requests of a session")
struct MessageSigningTests {
    static let key = SignatureKey.hmacSHA256(id: "k", secret: Array("hidden".utf8))

    static func signing() -> MessageSigning {
        var signing = MessageSigning(key: key)
        signing.now = { 1_000 }
        return signing
    }

    /// The signature of a request, verified as a server would.
    @discardableResult
    static func verify(_ request: Request, _ required: [SignatureComponent] = []) throws -> VerifiedSignature {
        try MessageVerification(keys: [key], requiring: required)
            .verify(SignedMessage(request), request.headers, at: 1_000)
    }

    @Test("Requests are not signed by default")
    func off() async throws {
        let (api, mock) = try mocked()
        try await api.get("a")
        expectNil(mock.requests.last?.headers["Signature"])
    }

    @Test("A session signs method, URL and the content's digest")
    func session() async throws {
        let (api, mock) = try mocked { $0.auth.messageSigning = Self.signing() }
        try await api.post("a?b=1", body: .text("hello"))
        let request = try #require(mock.requests.last)
        expectEqual(
            request.headers["Signature-Input"],
            #"sig1=("@method" "@target-uri" "content-type" "content-digest");created=1000;keyid="k""#)
        expectEqual(request.headers["Content-Digest"], "sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:")
        let verified = try Self.verify(request, [.method, "content-digest"])
        try verified.check(content: Bytes(text: "hello"))
        var changed = request
        changed.method = .put
        #expect(throws: MessageVerification.Rejection.self) { try Self.verify(changed) }
    }

    @Test("All parameters of a signature, in order")
    func parameters() async throws {
        let (api, mock) = try mocked { settings in
            settings.auth.messageSigning = Self.signing()
            settings.auth.messageSigning?.lifetime = .seconds(60)
            settings.auth.messageSigning?.tag = "app"
            settings.auth.messageSigning?.namesAlgorithm = true
            settings.auth.messageSigning?.label = "own"
            settings.auth.messageSigning?.components = [.authority]
        }
        try await api.get("a")
        expectEqual(
            mock.requests.last?.headers["Signature-Input"],
            #"own=("@authority");created=1000;expires=1060;keyid="k";alg="hmac-sha256";tag="app""#)
    }

    @Test("Each signature has a nonce of its own")
    func nonce() async throws {
        let (api, mock) = try mocked { settings in
            settings.auth.messageSigning = Self.signing()
            settings.auth.messageSigning?.addsNonce = true
        }
        try await api.get("a")
        try await api.get("a")
        let inputs = mock.requests.map { $0.headers["Signature-Input"] }
        #expect(inputs.first != inputs.last)
        expectEqual(inputs.first??.contains(";nonce=\""), true)
    }

    @Test("A request signs for itself, and may leave the session's signature out")
    func request() async throws {
        let (plain, mock) = try mocked()
        try await plain.get("a") { $0.auth.messageSigning = Self.signing() }
        #expect(mock.requests.last?.headers["Signature"] != nil)
        let (signed, other) = try mocked { $0.auth.messageSigning = Self.signing() }
        try await signed.get("a") { $0.auth.messageSigning = nil }
        expectNil(other.requests.last?.headers["Signature"])
    }

    @Test("A redirect within the origin is signed anew, one to another origin is not")
    func redirect() async throws {
        let mock = MockTransport(responses: [
            .redirect(to: "/b"), .redirect(to: "https://evil.example/c"), .json([:]),
        ])
        let (api, _) = try mocked(by: mock) { $0.auth.messageSigning = Self.signing() }
        try await api.get("a")
        expectEqual(mock.requests.count, 3)
        try Self.verify(mock.requests[0])
        try Self.verify(mock.requests[1])
        #expect(mock.requests[0].headers["Signature"] != mock.requests[1].headers["Signature"])
        expectNil(mock.requests[2].headers["Signature"])
    }

    @Test("A redirect back from another origin is signed only if credentials are kept", arguments: [false, true])
    func returning(keeps: Bool) async throws {
        let mock = MockTransport(responses: [
            .redirect(to: "https://evil.example/b"), .redirect(to: "https://api.example.com/c"), .json([:]),
        ])
        let (api, _) = try mocked(by: mock) { settings in
            settings.auth.messageSigning = Self.signing()
            settings.redirects.keepsCredentialsAcrossOrigins = keeps
        }
        try await api.get("a")
        expectEqual(mock.requests.map { $0.headers["Signature"] != nil }, [true, false, keeps])
    }

    @Test("A request to another origin than the session's is not signed")
    func otherOrigin() async throws {
        let (api, mock) = try mocked { settings in
            settings.auth.messageSigning = Self.signing()
            settings.network.allowsOtherOrigins = true
        }
        try await api.get("https://other.example/a")
        expectNil(mock.requests.last?.headers["Signature"])
    }

    @Test("A body that can be read once is collected for its digest")
    func stream() async throws {
        let (api, mock) = try mocked { $0.auth.messageSigning = Self.signing() }
        let body = Body.stream(
            AsyncStream<Bytes> { next in
                next.yield(Bytes(text: "hel"))
                next.yield(Bytes(text: "lo"))
                next.finish()
            })
        try await api.post("a", body: body)
        expectEqual(mock.requests.last?.givenText, "hello")
        expectEqual(
            mock.requests.last?.headers["Content-Digest"], "sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:")
    }

    @Test("A signature of the caller's stays beside a new one, unless both have one name")
    func others() async throws {
        let (api, mock) = try mocked { $0.auth.messageSigning = Self.signing() }
        try await api.get("a", headers: ["Signature-Input": "proxy=()", "Signature": "proxy=:AA==:"])
        let request = try #require(mock.requests.last)
        expectEqual(request.headers[values: "Signature"].count, 2)
        try Self.verify(request)
        let error = await #expect(throws: SternaError.self) {
            try await api.get("a", headers: ["Signature-Input": "sig1=()", "Signature": "sig1=:AA==:"])
        }
        expectEqual(error?.kind, .invalidRequest)
        expectEqual(mock.requests.count, 1)
    }

    @Test("A component that a request does not have fails it before anything is sent")
    func missing() async throws {
        let (api, mock) = try mocked { settings in
            settings.auth.messageSigning = Self.signing()
            settings.auth.messageSigning?.components = ["x-none"]
        }
        let error = await #expect(throws: SternaError.self) { try await api.get("a") }
        expectEqual(error?.kind, .invalidRequest)
        expectEqual(error?.detail.contains("\"x-none\" is not in the message"), true)
        #expect(mock.requests.isEmpty)
    }

    @Test("No mirror shows a key")
    func secrets() throws {
        let (api, _) = try mocked { $0.auth.messageSigning = Self.signing() }
        #expect(!dumped(api).contains("hidden"))
        #expect(!dumped(Self.signing()).contains("hidden"))
        #expect(dumped(api).contains("hmac-sha256"))
    }
}
