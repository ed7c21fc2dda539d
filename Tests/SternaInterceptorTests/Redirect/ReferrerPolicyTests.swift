import HTTPTypes
import SternaCore
import SternaTesting
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Referer of redirects")
struct ReferrerPolicyTests {
    static let page = "https://a.test/p?q=1"
    static let targets = ["https://a.test/x", "https://b.test/x", "http://a.test/x"]

    /// What each policy sends to the same origin, to another one, and on a downgrade: w the whole URL, o the origin, - nothing.
    static let table: [(ReferrerPolicy, String)] = [
        (.noReferrer, "---"), (.noReferrerWhenDowngrade, "ww-"), (.sameOrigin, "w--"), (.origin, "ooo"),
        (.strictOrigin, "oo-"), (.originWhenCrossOrigin, "woo"), (.strictOriginWhenCrossOrigin, "wo-"),
        (.unsafeURL, "www"),
    ]

    @Test("By policy and target", arguments: table)
    func value(policy: ReferrerPolicy, expected: String) throws {
        let source = try HTTPURL("https://eve:pa55@a.test:443/p?q=1#part")
        let words = try Self.targets.map { target in
            switch policy.referer(from: source, to: try HTTPURL(target)) {
            case Self.page: "w"
            case "https://a.test/": "o"
            case nil: "-"
            case let other?: other
            }
        }
        expectEqual(words.joined(), expected)
    }

    @Test("Every policy is in the table, under its name in the field")
    func complete() {
        expectEqual(Set(Self.table.map(\.0)), Set(ReferrerPolicy.allCases))
        expectEqual(ReferrerPolicy.unsafeURL.rawValue, "unsafe-url")
    }

    @Test(
        "The loopback counts as encrypted, and http has nothing to lose",
        arguments: [
            ("https://a.test/p", "http://localhost/x", true), ("https://a.test/p", "http://api.localhost./x", true),
            ("https://a.test/p", "http://127.8.9.1:80/x", true), ("https://a.test/p", "http://[::1]/x", true),
            ("https://a.test/p", "http://localhost.b.test/", false), ("https://a.test/p", "http://127.b.test/", false),
            ("http://a.test/p", "http://b.test/", true), ("http://127.0.0.1/p", "http://b.test/", false),
        ])
    func loopback(source: String, target: String, isSent: Bool) throws {
        let value = ReferrerPolicy.strictOrigin.referer(from: try HTTPURL(source), to: try HTTPURL(target))
        expectEqual((value != nil), isSent)
    }

    @Test("The network interface of an address is left out")
    func zone() throws {
        let source = try HTTPURL("http://[fe80::1%25eth0]:81/p")
        let target = try HTTPURL("http://b.test/")
        expectEqual(ReferrerPolicy.unsafeURL.referer(from: source, to: target), "http://[fe80::1]:81/p")
        expectEqual(ReferrerPolicy.origin.referer(from: source, to: target), "http://[fe80::1]:81/")
    }

    @Test("A long URL is reduced to its origin")
    func long() throws {
        let prefix = "https://a.test:8443/"
        let fits = try HTTPURL(prefix + String(repeating: "x", count: 4_096 - prefix.utf8.count))
        expectEqual(ReferrerPolicy.unsafeURL.referer(from: fits, to: fits), fits.description)
        let long = try HTTPURL(fits.description + "x")
        expectEqual(ReferrerPolicy.unsafeURL.referer(from: long, to: long), prefix)
    }

    /// Referrer-Policy fields, and the policy after them, beginning with `origin`.
    static let fields: [([String], ReferrerPolicy)] = [
        ([], .origin), ([""], .origin), (["no-referrer"], .noReferrer), (["No-Referrer"], .noReferrer),
        (["no-referrer, unsafe-url"], .unsafeURL), (["no-referrer", "same-origin"], .sameOrigin),
        (["same-origin ,\tfuture-policy"], .sameOrigin), (["nonsense"], .origin), ([", ,,"], .origin),
        (["no referrer"], .origin), (["no-referrer x"], .origin),
        (["strict-origin-when-cross-origin"], .strictOriginWhenCrossOrigin),
    ]

    @Test("The last known value of the response's field counts", arguments: fields)
    func updated(values: [String], expected: ReferrerPolicy) throws {
        let name = try #require(HTTPField.Name("Referrer-Policy"))
        let section = FieldSection(HTTPFields(values.map { HTTPField(name: name, value: $0) }))
        let response = Response(status: .found, section: section, url: try HTTPURL(Self.page))
        expectEqual(ReferrerPolicy.origin.updated(by: response), expected)
    }

    @Test("Off by default; the caller's own field stays as it is")
    func off() async throws {
        let mock = MockTransport(responses: [.redirect(to: "https://b.test/x"), .json([:])])
        let (api, _) = try mocked(by: mock)
        try await api.get("a", headers: ["Referer": "https://mine.test/"])
        #expect(mock.requests.map { $0.headers[.referer] } == ["https://mine.test/", "https://mine.test/"])
        let plain = MockTransport(responses: [.redirect(to: "/b"), .json([:])])
        try await mocked(by: plain).api.get("a")
        expectNil(plain.requests.last?.headers[.referer])
    }

    @Test("Each step names the one before; a response's policy holds for the rest of the chain")
    func chain() async throws {
        let mock = MockTransport(responses: [
            .redirect(to: "/b"), .redirect(to: "https://b.test/c"),
            .init(status: 302, headers: ["Location": "/d", "Referrer-Policy": "no-referrer"]), .redirect(to: "/e"),
            .json([:]),
        ])
        let (api, _) = try mocked(by: mock) { $0.redirects.referrer = .strictOriginWhenCrossOrigin }
        try await api.get("a", headers: ["Referer": "https://mine.test/"])
        #expect(
            mock.requests.map { $0.headers[.referer] } == [
                "https://mine.test/", "https://api.example.com/v1/a", "https://api.example.com/", nil, nil,
            ])
    }
}
