import HTTPTypes
import SternaSigning
import SternaTesting
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Cookies: sessions")
struct CookieSessionTests {
    /// A session with a jar of some cookies, on a mock.
    private func session(
        _ cookies: [String] = ["a=1", "b=2"], at url: String = "https://www.example.com/",
        by mock: MockTransport = MockTransport { _ in .json([:]) },
        _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> (api: Session, mock: MockTransport, jar: CookieJar) {
        let jar = CookieJar()
        jar.store(cookies.map { Array($0.utf8) }, from: try HTTPURL(url))
        let (api, _) = try mocked("https://www.example.com/", by: mock) { settings in
            settings.cookies.jar = jar
            configure(&settings)
        }
        return (api, mock, jar)
    }

    private func sent(_ mock: MockTransport) -> [String?] { mock.requests.map { $0.headers[.cookie] } }

    @Test("A server gets its cookies back, and no other server does") func backToTheServer() async throws {
        let (api, mock, _) = try session { $0.network.allowsOtherOrigins = true }
        _ = try await api.get("x")
        _ = try await api.get("https://other.example.com/")
        _ = try await api.get("http://www.example.com/")
        expectEqual(sent(mock), ["a=1; b=2", nil, "a=1; b=2"])
    }

    @Test("A Secure cookie is not sent over plain http, nor one of a path to other paths") func matching() async throws
    {
        let (api, mock, _) = try session(["a=1; Secure", "b=2; Path=/p"]) { $0.network.allowsOtherOrigins = true }
        for url in ["https://www.example.com/p/q", "http://www.example.com/p", "http://www.example.com/q"] {
            _ = try await api.get(url)
        }
        expectEqual(sent(mock), ["b=2; a=1", "b=2", nil])
    }

    @Test(
        "A Cookie field of the caller is merged with the jar's by name, or replaces them",
        arguments: [
            ("c=3", CallerCookieField.merged, "c=3; a=1; b=2"), ("a=9", .merged, "a=9; b=2"),
            (" b = 9 ;a=8", .merged, " b = 9 ;a=8"), ("c=3", .replacing, "c=3"), ("x", .merged, "x; a=1; b=2"),
        ])
    func callersField(own: String, choice: CallerCookieField, expected: String) async throws {
        for isRequests in [false, true] {
            let (api, mock, _) = try session { if !isRequests { $0.cookies.callerField = choice } }
            _ = try await api.get("x", headers: ["Cookie": own]) { if isRequests { $0.cookies.callerField = choice } }
            let wanted = expected.drop { $0 == " " }
            expectEqual(sent(mock).map { $0?.drop { $0 == " " } }, [wanted])
        }
    }

    @Test("The caller's field counts in the limits on a Cookie field") func limits() async throws {
        let jar = CookieJar(limits: CookieLimits(perRequest: 3, fieldLength: 20))
        jar.store(["a=1", "b=2", "c=3"].map { Array($0.utf8) }, from: try HTTPURL("https://www.example.com/"))
        let (api, mock) = try mocked("https://www.example.com/") { $0.cookies.jar = jar }
        _ = try await api.get("x", headers: ["Cookie": "d=4; e=5"])
        _ = try await api.get("x", headers: ["Cookie": "d=0123456789"])
        _ = try await api.get("x", headers: ["Cookie": "d=012345678901234567890123456789"])
        expectEqual(sent(mock), ["d=4; e=5; a=1", "d=0123456789; a=1", "d=012345678901234567890123456789"])
    }

    @Test("A request may neither send nor store the jar's cookies") func withoutJar() async throws {
        let mock = MockTransport { _ in .init(headers: ["Set-Cookie": "new=1"]) }
        let (api, _, jar) = try session(by: mock) { $0.responseSerializer = .data }
        _ = try await api.get("x") { $0.cookies.isOn = false }
        expectEqual(sent(mock), [nil])
        expectEqual(jar.cookies.map(\.name), ["a", "b"])
    }

    @Test("Each redirect has the cookies of its own URL, with those that the redirect has set") func redirects()
        async throws
    {
        let mock = MockTransport { request in
            switch request.url.path {
            case "/1": .init(status: 302, headers: ["Set-Cookie": "new=1", "Location": "/2"])
            case "/2": .redirect(to: "https://other.example.org/3")
            default: .json([:])
            }
        }
        let (api, _, jar) = try session(by: mock)
        jar.store([Array("o=1".utf8)], from: try HTTPURL("https://other.example.org/"))
        _ = try await api.get("1")
        expectEqual(sent(mock), ["a=1; b=2", "a=1; b=2; new=1", "o=1"])
    }

    @Test("The caller's own Cookie field does not follow a redirect to another origin") func callersFieldStays()
        async throws
    {
        let mock = MockTransport { request in
            request.url.path == "/1" ? .redirect(to: "https://other.example.org/2") : .json([:])
        }
        let (api, _, _) = try session(by: mock)
        _ = try await api.get("1", headers: ["Cookie": "own=secret"])
        expectEqual(sent(mock), ["own=secret; a=1; b=2", nil])
    }

    @Test("A cookie of a 401 is sent with the credentials that answer it") func authentication() async throws {
        let mock = MockTransport { request in
            guard request.headers[.authorization] == nil else { return .json([:]) }
            return .init(
                status: 401, headers: ["Set-Cookie": "nonce=1", "WWW-Authenticate": #"Basic realm="r""#])
        }
        let (api, _, _) = try session([], by: mock) { $0.auth.credential = Credential(user: "u", password: "p") }
        _ = try await api.get("x")
        expectEqual(sent(mock).last, "nonce=1")
    }

    @Test("Requests for another site's pages leave out the cookies that SameSite excludes") func sites() async throws {
        let (api, mock, _) = try session(["s=1; SameSite=Strict", "l=2; SameSite=Lax", "n=3; SameSite=None; Secure"])
        let page = try HTTPURL("https://other.test/").origin
        _ = try await api.get("x")
        _ = try await api.get("x") { $0.cookies.site = CookieSite(page, isNavigation: true) }
        _ = try await api.post("x") { $0.cookies.site = CookieSite(page, isNavigation: true) }
        _ = try await api.with { $0.cookies.site = CookieSite(page) }.get("x")
        expectEqual(sent(mock), ["s=1; l=2; n=3", "l=2; n=3", "n=3", "n=3"])
    }

    @Test("A response lists the cookies that it sets") func responses() async throws {
        let lines = ["a=1", "b=2; Path=/p; HttpOnly", "c=3; Domain=com", "d=4; Max-Age=0"]
        let mock = MockTransport { _ in
            .init(headers: ServerHeaders(lines.map { .init(name: "Set-Cookie", value: $0) }))
        }
        let (api, _, jar) = try session([], by: mock) { $0.responseSerializer = .data }
        let reply = try await api.get("x")
        expectEqual(reply.response.cookies.map(\.name), ["a", "b", "d"])
        expectEqual(jar.cookies.map(\.name), ["a", "b"])
    }

    @Test("Signatures cover the cookies") func signing() async throws {
        let (api, mock, _) = try session { settings in
            settings.auth.awsSigning = AWSSigning(
                region: "eu-central-1", service: "execute-api",
                credentials: AWSCredentials(accessKey: "AKIDEXAMPLE", secretKey: "secret"))
        }
        _ = try await api.get("x")
        expectEqual(mock.requests.first?.headers[.authorization]?.contains("cookie;"), true)
    }
}
