import HTTPTypes
import SternaCore
import SternaTesting
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Network state: responses")
struct NetworkStateTests {
    private func fields(_ lines: [(String, String)]) -> HTTPFields {
        HTTPFields(lines.compactMap { line in HTTPField.Name(line.0).map { HTTPField(name: $0, value: line.1) } })
    }

    @Test(
        "The relevant fields are found in one pass, in any form of a header section",
        arguments: [
            ([], 0), ([("Content-Type", "a/b"), ("Date", "x")], 0), ([("Set-Cookie", "a=b")], 1),
            ([("STRICT-transport-security", "max-age=1"), ("x", "y")], 2), ([("alt-svc", "clear")], 4),
            ([("Clear-Site-Data", "\"*\""), ("set-cookie", "a=b"), ("Set-Cookie", "b=c")], 9),
            ([("Set-Cookie2", "a=b"), ("X-Set-Cookie", "a=b"), ("Alt-Sv", "c")], 0),
        ] as [([(String, String)], UInt8)])
    func finding(lines: [(String, String)], expected: UInt8) {
        expectEqual(StateFields(of: FieldSection(fields(lines))).rawValue, expected)
        let text = lines.map { "\($0.0): \($0.1)\r\n" }.joined()
        expectEqual(StateFields(of: FieldSection(checkedLines: Bytes(text: text))).rawValue, expected)
    }

    @Test("Clear-Site-Data over TLS forgets the cookies and credentials of the whole site, and nothing else")
    func clearing() async throws {
        for (url, clears) in [("https://a.example.com/", true), ("http://a.example.com/", false)] {
            let jar = CookieJar()
            for domain in ["a.example.com", "b.example.com", "example.com", "example.org", "badexample.com"] {
                try jar.set(Cookie(name: "n", value: "v", domain: domain))
            }
            let mock = MockTransport { _ in .init(headers: ["Clear-Site-Data": #""cookies""#]) }
            let state = NetworkState(cookieJar: jar, hsts: nil, alternatives: AltSvcStore()) { _ in true }
            _ = try await Chain([NetworkStateInterceptor(state: state)], transport: mock)(
                Request(.get, try HTTPURL(url)))
            let kept = Set(jar.cookies.map(\.domain))
            expectEqual(kept.count, (clears ? 2 : 5))
            #expect(kept.isSuperset(of: ["example.org", "badexample.com"]))
        }
    }

    @Test("A site without a registrable domain is a single host") func sites() throws {
        let site = ClearedSite(of: try HTTPURL("https://192.0.2.1/"), .builtIn)
        #expect(site.contains("192.0.2.1") && !site.contains("192.0.2.2"))
        let suffix = ClearedSite(of: try HTTPURL("https://github.io/"), .builtIn)
        #expect(suffix.contains("github.io."))
        let dotted = ClearedSite(of: try HTTPURL("https://a.example.com./"), .builtIn)
        #expect(dotted.contains("example.com") && dotted.contains("b.example.com.") && !dotted.contains("example.net"))
    }

    @Test("Known alternative services are offered to the transport, for their origin only")
    func alternatives() async throws {
        let mock = MockTransport { _ in .init(headers: ["Alt-Svc": #"h3=":443""#]) }
        let (api, _) = try mocked("https://api.example.com", by: mock) { $0.network.allowsOtherOrigins = true }
        for url in ["a", "b", "https://other.example.com/"] {
            _ = try await api.get(url) { $0.responseSerializer = DataResponseSerializer() }
        }
        let offered = mock.requests.map { $0.state.attempt.alternatives.map(\.description) }
        expectEqual(offered, [[], ["h3=:443"], []])
    }

    @Test("A redirect after an upgraded request to the same origin keeps the credentials") func redirects()
        async throws
    {
        let mock = MockTransport { request in
            request.url.path == "/a" ? .redirect(to: "https://api.example.com/b") : .json([:])
        }
        let (api, _) = try mocked("http://api.example.com", by: mock) { settings in
            settings.auth.header = .bearer("token")
            settings.trust.hsts?.add("api.example.com")
        }
        let reply = try await api.get("a")
        #expect(mock.requests.map(\.url.href) == ["https://api.example.com/a", "https://api.example.com/b"])
        #expect(mock.requests.allSatisfy { $0.headers[.authorization] == "Bearer token" })
        #expect(reply.response.redirects.map(\.url.href) == ["https://api.example.com/a"])
    }

    @Test("A redirect to an http URL is followed by https for a host with HSTS, and refused for others")
    func downgrades() async throws {
        let mock = MockTransport { request in
            request.url.path == "/a" ? .redirect(to: "http://api.example.com/b") : .json([:])
        }
        let (api, _) = try mocked("https://api.example.com", by: mock)
        await #expect(throws: SternaError.self) { try await api.get("a") }
        _ = api.with { $0.trust.hsts?.add("api.example.com") }
        _ = try await api.get("a")
        expectEqual(mock.requests.map(\.url.scheme.isSecure), [true, true, true])
    }
}
