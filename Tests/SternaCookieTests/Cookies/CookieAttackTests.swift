import HTTPTypes
import SternaCore
import SternaTesting
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// Attacks by servers and networks on the cookies of whole sessions.
@Suite("Cookies: attacks")
struct CookieAttackTests {
    /// Sends a request to each URL in turn; each is answered with its lines. Returns the Cookie fields of the requests.
    private func exchange(_ steps: [(url: String, lines: [String])]) async throws -> [String?] {
        let mock = MockTransport { request in
            let lines = steps.first { (try? HTTPURL($0.url)) == request.url }?.lines ?? []
            return .init(headers: ServerHeaders(lines.map { .init(name: "Set-Cookie", value: $0) }))
        }
        let (api, _) = try mocked("https://www.example.com/", by: mock) { settings in
            settings.responseSerializer = .data
            settings.network.allowsOtherOrigins = true
            settings.trust.hsts = nil
        }
        for step in steps { _ = try await api.get(step.url) }
        return mock.requests.map { $0.headers[.cookie] }
    }

    @Test(
        "Supercookies: no host sets a cookie for all hosts of a public suffix",
        arguments: ["com", "co.uk", "github.io", "test", "xn--p1ai", "c.kobe.jp"])
    func supercookies(suffix: String) async throws {
        let sent = try await exchange([
            ("https://a.b.\(suffix)/1", ["super=1; Domain=\(suffix)", "super=2; Domain=.\(suffix)"]),
            ("https://a.b.\(suffix)/2", []), ("https://other.\(suffix)/3", []),
        ])
        expectEqual(sent, [nil, nil, nil])
    }

    @Test("Cookie overwriting from plain http: a secure cookie is neither replaced, hidden nor removed")
    func overwritingFromPlainHTTP() async throws {
        let attacks = [
            "sid=evil", "sid=evil; Domain=example.com", "sid=evil; Path=/login", "sid=evil; Secure",
            "sid=; Max-Age=0", "sid=; Domain=example.com; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
        ]
        let sent = try await exchange([
            ("https://www.example.com/1", ["sid=good; Secure; Path=/"]), ("http://www.example.com/2", attacks),
            ("http://example.com/3", attacks), ("http://evil.www.example.com/4", attacks),
            ("https://www.example.com/login", []),
        ])
        expectEqual(sent, [nil, nil, nil, nil, "sid=good"])
    }

    @Test(
        "Prefix forgery: neither case nor white space disguises a prefix",
        arguments: [
            "__Host-sid", "__host-sid", "__HOST-sid", "__hOsT-sid", " __Host-sid", "\t__Host-sid", "\u{A0}__Host-sid",
            "\u{2003}__host-sid", "\u{FEFF}__Host-sid", "=__Host-sid", "= __host-sid", "=\u{3000}__HOST-sid",
        ])
    func prefixForgery(name: String) async throws {
        // Without Secure, without a path of "/", and for other hosts, too.
        for (attributes, url) in [
            ("", "https://www.example.com/1"), ("; Path=/", "http://www.example.com/1"),
            ("; Secure", "https://www.example.com/1"),
            ("; Secure; Path=/; Domain=example.com", "https://evil.example.com/1"),
        ] {
            let sent = try await exchange([(url, ["\(name)=evil\(attributes)"]), ("https://www.example.com/2", [])])
            expectEqual(sent, [nil, nil], "\(attributes)")
        }
    }
}
