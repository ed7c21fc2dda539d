import Foundation
import HTTPTypes
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The examples of docs/Cookies.md, so that they compile and do what it says.
@Suite("Examples: cookies and HSTS", .timeLimit(.minutes(5)))
struct CookiesExamplesTests {
    /// A server that sets a cookie when somebody logs in.
    private func shop() -> MockTransport {
        MockTransport { request in
            guard request.method == .post else { return .json([]) }
            return .init(
                headers: ["Set-Cookie": "sid=31d4; Secure; HttpOnly", "Content-Type": "application/json"],
                body: ResponseBody(Bytes(text: "{}")))
        }
    }

    private func sent(_ mock: MockTransport) -> [String?] { mock.requests.map { $0.headers[.cookie] } }

    @Test("Kept, and sent back")
    func first() async throws {
        let password = "s3cret"
        let mock = shop()
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let Session = SessionMaker(mock)

        let api = try Session(baseURL: "https://shop.example")

        try await api.post("login", parameters: ["user": "ada", "password": password])  // Set-Cookie: sid=31d4
        let orders = try await api.get("orders").json()  // Cookie: sid=31d4

        let sid = try api.cookies(for: "/").first { $0.name == "sid" }?.value

        #expect(orders.array?.isEmpty == true)
        #expect(sid == "31d4")
        #expect(sent(mock) == [nil, "sid=31d4"])
    }

    @Test("A login that the next run has")
    func nextRun() async throws {
        try await Downloading.withFolder { folder in
            let file = folder + "/cookies.json"
            let mock = self.shop()
            // swift-format-ignore: AlwaysUseLowerCamelCase
            let Session = SessionMaker(mock)

            let jar = CookieJar(path: file, keepsSessionCookies: true)
            let shop = try Session(baseURL: "https://shop.example") { $0.cookies.jar = jar }

            try await shop.post("login")
            try await jar.save()
            #expect(CookieJar(path: file, keepsSessionCookies: true).cookies.map(\.name) == ["sid"])
            #expect(CookieJar(path: file).cookies.isEmpty)
        }
    }

    @Test("Shared, separate, off")
    func sharing() async throws {
        let mock = MockTransport { _ in .json([:]) }
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let Session = SessionMaker(mock)

        let jar = CookieJar()
        let shop = try Session(baseURL: "https://shop.example") { $0.cookies.jar = jar }
        let pages = try Session { $0.cookies.jar = jar }  // without a base URL it would have none
        let mobile = shop.with { $0.headers["User-Agent"] = "Tern/1.0" }  // the same jar
        let guest = shop.with { $0.cookies.jar = CookieJar() }  // begins without cookies
        let plain = try Session(baseURL: "https://shop.example") { $0.cookies.jar = nil }

        try await shop.get("prices") { $0.cookies.isOn = false }  // neither sends cookies nor keeps any

        try jar.set(Cookie(name: "sid", value: "31d4", domain: "shop.example"))
        try await shop.get("prices") { $0.cookies.isOn = false }
        try await shop.get("prices")
        try await pages.get("https://shop.example/prices")
        try await mobile.get("prices")
        try await guest.get("prices")
        try await plain.get("prices")
        #expect(sent(mock) == [nil, nil, "sid=31d4", "sid=31d4", "sid=31d4", nil, nil])
    }

    @Test("Adding, listing, removing")
    func contents() throws {
        let nextYear = Date(timeIntervalSinceNow: 300 * 86_400)

        let jar = CookieJar()
        let url = try HTTPURL("https://www.shop.example/orders/7")

        try jar.set(
            Cookie(name: "lang", value: "en", domain: "shop.example", includesSubdomains: true, expires: nextYear))
        for cookie in jar.cookies(for: url) { print(cookie.name, cookie.domain, cookie.path, cookie.isSessionOnly) }

        #expect(jar.cookies(for: url).map(\.value) == ["en"])
        let lang = try #require(jar.cookies.first)
        #expect("\(lang)" == "lang (.shop.example/)")
        jar.removeCookies(for: url)  // those that a request to the URL would carry
        #expect(jar.cookies.isEmpty)
        try jar.set(lang)
        try jar.set(Cookie(name: "ab_1", value: "a", domain: "shop.example", expires: nextYear))
        jar.remove(where: { $0.name.hasPrefix("ab_") })
        try jar.set(Cookie(name: "sid", value: "31d4", domain: "shop.example"))
        jar.removeSessionCookies()  // as a browser does when it is closed

        let before = jar.snapshot()
        jar.removeAll()
        #expect(jar.cookies.isEmpty)
        jar.restore(before)  // `merge` adds them to the others
        #expect(jar.cookies == [lang])
    }

    /// The example as it stands in the article, where nothing is between its lines.
    private func changed() throws -> CookieJar {
        let nextYear = Date(timeIntervalSinceNow: 300 * 86_400)

        let jar = CookieJar()
        let url = try HTTPURL("https://www.shop.example/orders/7")

        try jar.set(
            Cookie(name: "lang", value: "en", domain: "shop.example", includesSubdomains: true, expires: nextYear))
        for cookie in jar.cookies(for: url) { print(cookie.name, cookie.domain, cookie.path, cookie.isSessionOnly) }

        for cookie in jar.cookies where cookie.name == "lang" { jar.remove(cookie) }
        jar.removeCookies(for: url)  // those that a request to the URL would carry
        jar.remove(where: { $0.name.hasPrefix("ab_") })
        jar.removeSessionCookies()  // as a browser does when it is closed

        let before = jar.snapshot()
        jar.removeAll()
        jar.restore(before)  // `merge` adds them to the others

        return jar
    }

    @Test("What was sent and set")
    func messages() async throws {
        let mock = shop()
        let (api, _) = try mocked("https://shop.example", by: mock)
        try await api.post("login")

        let task = api.dataTask(.post("login", parameters: ["user": "ada"]))
        let reply = try await task.value
        for cookie in task.requests.last?.cookies ?? [] { print("sent", cookie) }  // the request of each attempt
        for cookie in reply.cookies { print("set", cookie) }  // whether or not a jar has kept it

        #expect(try changed().cookies.isEmpty)
        #expect(task.requests.last?.cookies.map(\.value) == ["31d4"])
        #expect(reply.cookies.map(\.name) == ["sid"])
    }

    @Test("Accepting and refusing")
    func acceptance() async throws {
        let mock = MockTransport { _ in
            .init(
                headers: ["Set-Cookie": "_ga=1", "Set-Cookie": "sid=2", "Content-Type": "application/json"],
                body: ResponseBody(Bytes(text: "{}")))
        }

        let jar = CookieJar(accepts: { cookie, url in !cookie.name.hasPrefix("_ga") })

        let (api, _) = try mocked(by: mock) { $0.cookies.jar = jar }
        try await api.get("users")
        #expect(jar.cookies.map(\.name) == ["sid"])
    }

    @Test("No third parties")
    func firstParty() async throws {
        let mock = MockTransport { _ in
            .init(
                headers: ["Set-Cookie": "sid=1; Secure; SameSite=None", "Content-Type": "application/json"],
                body: ResponseBody(Bytes(text: "{}")))
        }

        let site = CookieSite(try Origin(scheme: .https, host: "news.example"))
        let jar = CookieJar(accepts: { _, url in site.contains(url) })

        let (api, _) = try mocked(nil, by: mock) { $0.cookies.jar = jar }
        for host in ["cdn.news.example", "ads.example"] { try await api.get("https://\(host)/") }
        #expect(jar.cookies.map(\.domain) == ["cdn.news.example"])
        let foreign = CookieJar()
        let other = api.with {
            $0.cookies.jar = foreign
            $0.cookies.site = site
        }
        try await other.get("https://ads.example/")
        #expect(foreign.cookies.map(\.domain) == ["ads.example"])
    }

    @Test("The caller's own field, and sites")
    func fields() async throws {
        let mock = MockTransport { _ in .json([:]) }
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let Session = SessionMaker(mock)
        let jar = CookieJar()
        try jar.set(Cookie(name: "sid", value: "31d4", domain: "shop.example"))
        let api = try Session(baseURL: "https://shop.example") { $0.cookies.jar = jar }

        try await api.get("orders", headers: ["Cookie": "lang=en"])  // lang=en; sid=31d4
        try await api.get("orders", headers: ["Cookie": "lang=en"]) { $0.cookies.callerField = .replacing }  // lang=en

        #expect(sent(mock) == ["lang=en; sid=31d4", "lang=en"])

        let page = try Origin(scheme: .https, host: "news.example")
        let crawler = try Session {
            $0.cookies.jar = jar
            $0.cookies.site = CookieSite(page)  // the page loads a part of itself: SameSite=None alone
        }
        try await crawler.get("https://shop.example/logo.png")
        try await crawler.get("https://shop.example/") {
            $0.cookies.site = CookieSite(page, isNavigation: true)  // a link: Lax, too
        }

        #expect(sent(mock).suffix(2) == [nil, "sid=31d4"])
    }

    @Test("A list of public suffixes")
    func suffixes() async throws {
        try await Downloading.withFolder { folder in
            let listFile = folder + "/public_suffix_list.dat"
            try Data("example\n*.shop.example\n".utf8).write(to: URL(fileURLWithPath: listFile))

            let suffixes = try PublicSuffixList(contentsOf: listFile)  // public_suffix_list.dat
            let jar = CookieJar(publicSuffixes: suffixes)

            #expect(throws: SternaError.self) {
                try jar.set(Cookie(name: "a", value: "b", domain: "berlin.shop.example", includesSubdomains: true))
            }
        }
    }

    @Test("A jar with a file")
    func file() async throws {
        try await Downloading.withFolder { folder in
            let file = folder + "/cookies.json"
            let mock = MockTransport { _ in
                .init(
                    headers: ["Set-Cookie": "lang=en; Max-Age=1000", "Content-Type": "application/json"],
                    body: ResponseBody(Bytes(text: "{}")))
            }
            // swift-format-ignore: AlwaysUseLowerCamelCase
            let Session = SessionMaker(mock)

            let jar = CookieJar(path: file, keepsSessionCookies: true)
            let api = try Session(baseURL: "https://shop.example") { $0.cookies.jar = jar }
            try await api.get("orders")

            try await jar.save()  // before the program ends

            #expect(CookieJar(path: file).cookies.map(\.name) == ["lang"])

            let textFile = folder + "/cookies.txt"
            try jar.snapshot().write(to: textFile, format: .cookiesText)
            jar.removeAll()

            if let others = try CookieSnapshot(contentsOf: textFile, format: .cookiesText) { jar.merge(others) }
            try jar.snapshot().write(to: textFile, format: .cookiesText)

            #expect(CookieJar(path: textFile, format: .cookiesText).cookies.map(\.value) == ["en"])
            let small = CookieJar(limits: CookieLimits(perDomain: 200))
            #expect(small.path == nil)
        }
    }

    @Test("The JSON of the article is what a jar reads")
    func json() async throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../..")
        let article = try String(contentsOf: root.appending(path: "docs/Cookies.md"), encoding: .utf8)
        let blocks = article.components(separatedBy: "```json\n").dropFirst()
        let text = try #require(blocks.first?.components(separatedBy: "```").first)
        let cookies = try CookieSnapshot(text.utf8).cookies
        #expect(cookies.map(\.value) == ["31d4"])
        #expect(cookies.first?.lastAccessDate == Date(timeIntervalSince1970: 1_767_229_200.25))
    }

    @Test("Hosts that want https")
    func hsts() async throws {
        try await Downloading.withFolder { folder in
            let file = folder + "/hsts.json"
            let listFile = folder + "/list.txt"
            try Data("# bank\n.bank.example\n".utf8).write(to: URL(fileURLWithPath: listFile))
            let mock = MockTransport { _ in .json([:]) }
            // swift-format-ignore: AlwaysUseLowerCamelCase
            let Session = SessionMaker(mock)

            let hosts = HSTSStore(path: file)
            let api = try Session(baseURL: "http://shop.example") { $0.trust.hsts = hosts }

            hosts.add("shop.example", includesSubdomains: true)  // as if it had said so
            let reply = try await api.get("orders")
            print(reply.url)  // https://shop.example/orders: nothing was sent by http

            for host in hosts.hosts { print(host.name, host.includesSubdomains, host.expires) }
            hosts.remove("shop.example")
            try hosts.preload(file: listFile)
            try await hosts.save()

            #expect(reply.url.href == "https://shop.example/orders")
            #expect(hosts.hosts.isEmpty)
            #expect(hosts.requiresTLS("www.bank.example"))
            #expect(reply.response.alternativeServices.isEmpty)
        }
    }
}
