import HTTPTypes
import SternaCore
import SternaTesting
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("HSTS: requests")
struct HSTSRequestTests {
    private func chain(_ store: HSTSStore, isVerified: Bool = true, _ mock: MockTransport) -> Chain {
        Chain(
            [
                RedirectInterceptor(hsts: store, collectedBytes: 1 << 20),
                NetworkStateInterceptor(
                    state: NetworkState(cookieJar: nil, hsts: store, alternatives: AltSvcStore()) { _ in isVerified }),
            ],
            transport: mock)
    }

    /// A server whose responses have the given fields.
    private func server(_ lines: [String] = ["max-age=1000; includeSubDomains"]) -> MockTransport {
        let headers = ServerHeaders(lines.map { .init(name: "Strict-Transport-Security", value: $0) })
        return MockTransport { _ in .init(headers: headers) }
    }

    @Test("A field received over https applies to all forms of the host's http URLs") func learning() async throws {
        let store = HSTSStore()
        let mock = server()
        let send = chain(store, mock)
        let before = try await send(Request(.get, try HTTPURL("http://example.com/")))
        #expect(before.url.scheme == .http && store.hosts.isEmpty)
        _ = try await send(Request(.get, try HTTPURL("https://Example.com/")))
        for host in ["example.com", "EXAMPLE.COM", "example.com.", "www.example.com", "example%2Ecom"] {
            let response = try await send(Request(.get, try HTTPURL("http://\(host)/a?b")))
            #expect(response.url.scheme == .https && response.url.port == nil, "\(host)")
            // No redirect: no request was sent over http.
            #expect(response.redirects.isEmpty)
        }
        let other = try await send(Request(.get, try HTTPURL("http://example.com:8080/")))
        #expect(other.url.href == "https://example.com:8080/")
        expectEqual(mock.requests.filter { !$0.url.scheme.isSecure }.count, 1)
        let unrelated = try await send(Request(.get, try HTTPURL("http://badexample.com/")))
        expectEqual(unrelated.url.scheme, .http)
    }

    @Test(
        "Nothing is learnt by http, from addresses, over connections that were not verified, or from invalid fields",
        arguments: [
            ("http://example.com/", true, "max-age=1000"), ("https://127.0.0.1/", true, "max-age=1000"),
            ("https://[::1]/", true, "max-age=1000"), ("https://localhost/", true, "max-age=1000"),
            ("https://example.com/", false, "max-age=1000"), ("https://example.com/", true, "max-age"),
        ])
    func notLearnt(url: String, isVerified: Bool, field: String) async throws {
        let store = HSTSStore()
        _ = try await chain(store, isVerified: isVerified, server([field]))(Request(.get, try HTTPURL(url)))
        #expect(store.hosts.isEmpty)
    }

    @Test("Of several lines only the first is read, even if it is invalid") func lines() async throws {
        let url = try HTTPURL("https://example.com/")
        let first = HSTSStore()
        _ = try await chain(first, server(["max-age=1000", "max-age=0"]))(Request(.get, url))
        expectEqual(first.hosts.count, 1)
        let invalid = HSTSStore()
        _ = try await chain(invalid, server(["max-age", "max-age=1000"]))(Request(.get, url))
        #expect(invalid.hosts.isEmpty)
    }

    @Test("max-age=0 removes a host, over verified https only") func takenBack() async throws {
        let store = HSTSStore()
        store.add("example.com")
        _ = try await chain(store, isVerified: false, server(["max-age=0"]))(
            Request(.get, try HTTPURL("https://example.com/")))
        expectEqual(store.hosts.count, 1)
        _ = try await chain(store, server(["max-age=0"]))(Request(.get, try HTTPURL("https://example.com/")))
        #expect(store.hosts.isEmpty)
    }

    @Test("A store's file is read for the first request, and an unusable file stops no request")
    func files() async throws {
        try await CredentialFolder.with { folder in
            let path = folder + "/h"
            let writer = HSTSStore(path: path)
            writer.add("example.com")
            try await writer.save()
            let request = Request(.get, try HTTPURL("http://example.com/"))
            let response = try await chain(HSTSStore(path: path), server([]))(request)
            expectEqual(response.url.scheme, .https)
            try CredentialFolder.write("x", to: path)
            let plain = try await chain(HSTSStore(path: path), server([]))(request)
            expectEqual(plain.url.scheme, .http)
        }
    }

    @Test("Only a policy that checks chain and name makes no exceptions") func policies() {
        #expect(SecurityPolicy.system.makesNoExceptions)
        #expect(SecurityPolicy.pinned([], roots: .pem("")).makesNoExceptions)
        #expect(!SecurityPolicy.insecure.makesNoExceptions)
        #expect(!SecurityPolicy(allowsInvalidCertificates: true).makesNoExceptions)
        var policy = SecurityPolicy.system
        policy.validatesDomainName = false
        #expect(!policy.makesNoExceptions)
        policy = .system
        policy.challengeHandler = ChallengeHandler { _ in .accept }
        #expect(!policy.makesNoExceptions)
        policy = .system
        policy.evaluators = [TrustEvaluator(.pinned([])), TrustEvaluator(.insecure)]
        #expect(policy.makesNoExceptions)
        policy.evaluators.append(TrustEvaluator { _ in .trusted })
        #expect(!policy.makesNoExceptions)
    }
}
