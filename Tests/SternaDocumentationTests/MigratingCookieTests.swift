import Foundation
import HTTPTypes
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The rows about cookies of docs/Migrating.
@Suite("Coming from another client: cookies", .timeLimit(.minutes(5)))
struct MigratingCookieTests {
    /// A server that sets a cookie.
    private func server() -> MockTransport {
        MockTransport { _ in
            .init(
                headers: ["Set-Cookie": "sid=31d4", "Content-Type": "application/json"],
                body: ResponseBody(Bytes(text: "{}")))
        }
    }

    @Test("Storages and their cookies")
    func storage() throws {
        let page = try Origin(scheme: .https, host: "api.example.com")
        let url = try HTTPURL("https://api.example.com/orders")
        let date = Date(timeIntervalSinceNow: -60)
        func made() throws -> CookieJar {
            let jar = CookieJar()
            let cookie = try Cookie(name: "sid", value: "31d4", domain: "api.example.com", path: "/", isSecure: true)
            try jar.set(cookie)
            return jar
        }
        func shared(_ path: String) -> CookieJar {
            let jar = CookieJar(path: path)
            return jar
        }
        func text(_ path: String) -> CookieJar {
            let jar = CookieJar(path: path, format: .cookiesText, keepsSessionCookies: true)
            return jar
        }
        func never() -> CookieJar {
            let jar = CookieJar(accepts: { _, _ in false })
            return jar
        }
        let site = CookieSite(page)
        func firstParty() -> CookieJar {
            let jar = CookieJar(accepts: { _, url in site.contains(url) })
            return jar
        }
        #expect(shared("/nowhere/cookies.json").path == text("/nowhere/cookies.json").path)
        #expect(never().cookies.isEmpty && firstParty().cookies.isEmpty)

        let jar = try made()
        let (api, _) = try mocked { $0.cookies.jar = jar }
        #expect(jar.cookies.map(\.name) == ["sid"])
        #expect(jar.cookies(for: url) == jar.cookies)
        #expect(try api.cookies(for: "orders") == jar.cookies)
        #expect(jar.cookies.sorted { $0.name < $1.name }.count == 1)
        let cookie = try #require(jar.cookies.first)
        jar.remove(cookie)
        #expect(jar.cookies.isEmpty)
        try jar.set(cookie)
        jar.remove(where: { $0.creationDate > date })
        #expect(jar.cookies.isEmpty)
        jar.restore(CookieSnapshot(cookies: [cookie]))
        #expect(jar.cookies == [cookie])
        jar.removeSessionCookies()
        try jar.set(cookie)
        jar.removeAll()
        #expect(jar.cookies.isEmpty)
    }

    @Test("Cookies that a program makes")
    func cookies() throws {
        let url = try HTTPURL("https://api.example.com/orders")
        let cookie = try Cookie(name: "sid", value: "31d4", domain: "api.example.com", path: "/", isSecure: true)
        let wide = try Cookie(name: "lang", value: "en", domain: "example.com", includesSubdomains: true)
        let short = try Cookie(name: "a", value: "b", domain: "example.com", expires: Date() + 60)
        let own = try Cookie(name: "a", value: "b", domain: url.host)
        #expect([cookie.name, cookie.value, cookie.domain, cookie.path] == ["sid", "31d4", "api.example.com", "/"])
        #expect(cookie.isHostOnly && !wide.isHostOnly && own.isHostOnly)
        #expect(cookie.expires == nil && cookie.isSessionOnly && !short.isSessionOnly)
        #expect(cookie.isSecure && !cookie.isHTTPOnly && cookie.sameSite == nil)
        let bytes = CookieSnapshot(cookies: [cookie]).bytes()
        #expect(try CookieSnapshot(bytes).cookies.map(\.value) == ["31d4"])
    }

    @Test("Cookies of requests and responses")
    func messages() async throws {
        let page = try Origin(scheme: .https, host: "news.example")
        let jar = CookieJar()
        let (api, mock) = try mocked(by: server()) {
            $0.cookies.jar = jar
            $0.cookies.callerField = .merged
        }
        try await api.get("users")
        let task = api.dataTask(.get("users", headers: ["Cookie": "lang=en"]))
        let reply = try await task.value
        #expect(task.requests.last?.cookies.map(\.name) == ["lang", "sid"])
        #expect(reply.cookies.map(\.name) == ["sid"])
        try await api.get("users", headers: ["Cookie": "lang=en"]) { $0.cookies.callerField = .replacing }
        #expect(mock.requests.last?.headers[.cookie] == "lang=en")
        try await api.get("users") { $0.cookies.isOn = false }
        #expect(mock.requests.last?.headers[.cookie] == nil)

        let crawler = api.with { $0.cookies.site = CookieSite(page) }
        try await crawler.get("users")
        #expect(mock.requests.last?.headers[.cookie] == nil)
        try await crawler.get("users") { $0.cookies.site = CookieSite(page, isNavigation: true) }
        #expect(mock.requests.last?.headers[.cookie] == "sid=31d4")

        let none = api.with { $0.cookies.jar = nil }
        try await none.get("users")
        #expect(mock.requests.last?.headers[.cookie] == nil)
    }

    @Test("Hosts that want https")
    func hosts() async throws {
        func stored(_ path: String) throws -> Session {
            try mocked { $0.trust.hsts = HSTSStore(path: path) }.api
        }
        let api = try stored("/nowhere/hsts.json")
        #expect(api.baseURL?.host == "api.example.com")
        let (plain, mock) = try mocked("http://api.example.com") { $0.trust.hsts = nil }
        try await plain.get("users")
        #expect(mock.requests.first?.url.scheme == .http)
    }
}
