import Sterna
import SternaCore
import SternaTesting
import Testing

@testable import SternaTestSupport

/// A URL of http has a host (RFC 9110, 4.2.1); browsers take the first segment of the path for a missing one.
@Suite("References with an empty host")
struct RedirectHostTests {
    static let empty = [
        "http:///nohost", "https:///nohost", "HTTPS:///nohost/x", "https:////nohost", "///nohost/x", "/\\/nohost",
        "\\\\\\nohost", "https:\\\\\\nohost", " \t///nohost", "/\t//nohost", "https://\\nohost",
    ]

    @Test("A redirect to an empty host is refused, and nothing is sent", arguments: empty)
    func refused(location: String) async throws {
        let mock = MockTransport(responses: [.redirect(to: location), .json([:])])
        let (api, _) = try mocked(nil, by: mock) { $0.redirects.allowsInsecure = true }
        let error = await #expect(throws: SternaError.self) { try await api.get("https://a.test/a") }
        expectEqual(error?.kind, .redirectRefused)
        expectEqual(error?.status, 302)
        expectEqual(mock.requests.count, 1)
    }

    @Test("A request to one is refused before anything is sent", arguments: empty)
    func request(url: String) async throws {
        let (api, mock) = try mocked("https://a.test/") { $0.network.allowsOtherOrigins = true }
        let error = await #expect(throws: SternaError.self) { try await api.get(url) }
        expectEqual(error?.kind, .invalidURL)
        #expect(mock.requests.isEmpty)
    }

    @Test(
        "Other slashes in a reference mean what they did",
        arguments: [
            ("//b.test/x", "https://b.test/x"), ("/\\b.test/x", "https://b.test/x"), ("/a//b", "https://a.test/a//b"),
            ("https:/x", "https://a.test/x"), ("https://b.test//x", "https://b.test//x"),
            ("?///x", "https://a.test/a?///x"), ("#///x", "https://a.test/a#///x"),
        ])
    func followed(location: String, target: String) async throws {
        let mock = MockTransport(responses: [.redirect(to: location), .json([:])])
        let (api, _) = try mocked(nil, by: mock)
        try await api.get("https://a.test/a")
        expectEqual(mock.requests.last?.url.href, target)
    }

    @Test("A redirect to the same address keeps its network interface, and no other may name one")
    func zone() async throws {
        let mock = MockTransport(responses: [
            .redirect(to: "/there"), .redirect(to: "http://[fe80::1]:81/there"), .json([:]),
            .redirect(to: "http://[fe80::2%25eth0]/there"), .json([:]),
        ])
        let (api, _) = try mocked(nil, by: mock)
        try await api.get("http://[fe80::1%25eth0]/relative")
        expectEqual(
            mock.requests.map(\.url.href),
            ["relative", "there", "there"].enumerated().map { place, path in
                "http://[fe80::1%25eth0]\(place == 2 ? ":81" : "")/\(path)"
            })
        let error = await #expect(throws: SternaError.self) { try await api.get("http://[fe80::1%25eth0]/absolute") }
        expectEqual(error?.kind, .redirectRefused)
        expectEqual(mock.requests.count, 4)
    }
}
