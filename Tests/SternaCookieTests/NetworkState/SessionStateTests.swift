import HTTPTypes
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Network state: settings of a session")
struct SessionStateTests {
    @Test("A session with a base URL has a jar and an HSTS store of its own, which derived sessions share")
    func defaults() throws {
        let one = try Session(baseURL: "https://api.example.com")
        var jars: [CookieJar?] = []
        var stores: [HSTSStore?] = []
        for session in [one, try Session(baseURL: "https://api.example.com")] {
            _ = session.with { settings in
                jars.append(settings.cookies.jar)
                stores.append(settings.trust.hsts)
            }
        }
        _ = one.with { $0.timeout = .seconds(1) }.with { settings in
            jars.append(settings.cookies.jar)
            stores.append(settings.trust.hsts)
        }
        #expect(jars[0] != nil && jars[0] !== jars[1] && jars[0] === jars[2])
        #expect(stores[0] != nil && stores[0] !== stores[1] && stores[0] === stores[2])
    }

    @Test("A session without a base URL has no jar and no HSTS store by default") func withoutBase() throws {
        let jar = CookieJar()
        let sessions: [(Session, CookieJar?)] = [
            (Session.shared, nil), (try Session(), nil), (try Session { $0.cookies.jar = jar }, jar),
        ]
        for (session, own) in sessions {
            _ = session.with { settings in
                #expect(settings.cookies.jar === own)
                expectNil(settings.trust.hsts)
            }
        }
    }

    @Test("A session keeps the cookies of all responses in its jar, also those of redirects") func cookies()
        async throws
    {
        let mock = MockTransport { request in
            let cookie = "c\(request.url.path.dropFirst())=1"
            guard request.url.path == "/1" else { return .init(status: 200, headers: ["Set-Cookie": cookie]) }
            return .init(status: 302, headers: ["Set-Cookie": cookie, "Location": "/2"])
        }
        let jar = CookieJar()
        let (api, _) = try mocked("https://api.example.com", by: mock) { $0.cookies.jar = jar }
        _ = try await api.get("1") { $0.responseSerializer = DataResponseSerializer() }
        expectEqual(jar.cookies.map(\.name).sorted(), ["c1", "c2"])
        let (other, _) = try mocked("https://api.example.com", by: mock) { $0.cookies.jar = nil }
        _ = try await other.get("1") { $0.responseSerializer = DataResponseSerializer() }
    }
}
