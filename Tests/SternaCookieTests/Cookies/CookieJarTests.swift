import HTTPTypes
import NIOCore
import SternaCore
import SternaPlatform
import Synchronization
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Cookie jar")
struct CookieJarTests {
    private static func cookie(_ name: String, domain: String = "a.test", path: String = "/") throws -> Cookie {
        try Cookie(name: name, value: "v", domain: domain, path: path)
    }

    @Test("Cookies are added, listed by URL and removed")
    func cookies() throws {
        let jar = CookieJar()
        try jar.set(Self.cookie("a"))
        try jar.set(Self.cookie("b", path: "/x"))
        try jar.set(Cookie(name: "c", value: "v", domain: ".A.test", includesSubdomains: true, isSecure: true))
        let (root, deep) = (try HTTPURL("http://a.test/"), try HTTPURL("https://www.a.test/x/y"))
        expectEqual(jar.cookies.map(\.name), ["a", "b", "c"])
        expectEqual(jar.cookies(for: root).map(\.name), ["a"])
        expectEqual(jar.cookies(for: deep).map(\.name), ["c"])
        expectEqual(jar.removeCookies(for: root), 1)
        expectEqual(jar.cookies.map(\.name), ["b", "c"])
        #expect(jar.remove(try Self.cookie("b", path: "/x")))
        #expect(!jar.remove(try Self.cookie("b", path: "/x")))
        jar.removeAll()
        #expect(jar.cookies.isEmpty)
    }

    @Test("The end of a session removes cookies without an expiry")
    func sessionEnd() throws {
        let jar = CookieJar()
        try jar.set(Self.cookie("a"))
        try jar.set(Cookie(name: "b", value: "v", domain: "a.test", expires: Date().addingTimeInterval(3_600)))
        jar.removeSessionCookies()
        expectEqual(jar.cookies.map(\.name), ["b"])
    }

    @Test("The cookies of a response are stored in order")
    func responses() throws {
        let jar = CookieJar()
        let url = try HTTPURL("http://a.test/")
        let taken = jar.store(
            lines: ["a=1", "\u{0}", "b=2; Domain=test", "c=3; Max-Age=60", "a=4; Max-Age=0"], from: url)
        expectEqual(taken.map(\.name), ["a", "c", "a"])
        expectEqual(jar.field(for: CookieRequest(url: url)), "c=3")
    }

    @Test("Cookies are read from a response's header section; lines that are not UTF-8 are refused")
    func sections() throws {
        let url = try HTTPURL("http://a.test/")
        var lines = Bytes()
        lines.writeBytes(Array("set-cookie:a=1\r\nX-Other:b=2\r\nSet-Cookie:c=".utf8) + [0xE9])
        lines.writeBytes(Array("\r\nSET-COOKIE:d=é, e=f\r\n".utf8))
        let fields: HTTPFields = [.setCookie: "a=1"]
        let jar = CookieJar()
        expectEqual(jar.store(FieldSection(checkedLines: lines), from: url).map(\.value), ["1", "é, e=f"])
        expectEqual(jar.store(FieldSection(fields), from: url).map(\.name), ["a"])
    }

    @Test("The hook receives valid cookies and may refuse them")
    func hook() throws {
        let seen = Mutex<[String]>([])
        let jar = CookieJar(accepts: { cookie, url in
            seen.withLock { $0.append("\(cookie.name) \(url.host)") }
            return cookie.name != "tracker"
        })
        let url = try HTTPURL("http://a.test/")
        let taken = jar.store(lines: ["tracker=1", "sid=2", "x=1; Domain=other.test"], from: url)
        expectEqual(taken.map(\.name), ["sid"])
        expectEqual(seen.withLock { $0 }, ["tracker a.test", "sid a.test"])
        expectEqual(jar.field(for: CookieRequest(url: url)), "sid=2")
    }

    @Test("A hook may use the jar")
    func reentrantHook() throws {
        let found = Mutex<CookieJar?>(nil)
        let jar = CookieJar(accepts: { _, _ in found.withLock { $0 }?.cookies.isEmpty ?? false })
        found.withLock { $0 = jar }
        jar.store(lines: ["a=1", "b=2"], from: try HTTPURL("http://a.test/"))
        expectEqual(jar.cookies.map(\.name), ["a"])
    }

    @Test("Snapshots are restored and merged")
    func snapshots() throws {
        let jar = CookieJar()
        try jar.set(Self.cookie("a"))
        let snapshot = jar.snapshot()
        try jar.set(Self.cookie("b"))
        jar.restore(snapshot)
        expectEqual(jar.cookies.map(\.name), ["a"])
        try jar.set(Self.cookie("c"))
        jar.merge(snapshot)
        expectEqual(jar.cookies.map(\.name), ["a", "c"])
    }

    @Test("A jar refuses a supercookie of the program's own")
    func supercookie() throws {
        let jar = CookieJar()
        let cookie = try Cookie(name: "a", value: "v", domain: "co.uk", includesSubdomains: true)
        let error = #expect(throws: SternaError.self) { try jar.set(cookie) }
        expectEqual(error?.kind, .invalidHeader)
        #expect(jar.cookies.isEmpty)
    }

    @Test("The program's own list decides what is a public suffix")
    func ownList() throws {
        let jar = CookieJar(publicSuffixes: try PublicSuffixList(parsing: Array("a.test\n".utf8)))
        let url = try HTTPURL("http://www.a.test/")
        #expect(jar.store(lines: ["a=1; Domain=a.test"], from: url).isEmpty)
        expectEqual(jar.store(lines: ["a=1; Domain=www.a.test"], from: url).count, 1)
    }

    @Test("Concurrent tasks may use a jar")
    func threads() async throws {
        let jar = CookieJar()
        let urls = try (0..<4).map { try HTTPURL("http://h\($0).test/") }
        await withTaskGroup { group in
            for task in 0..<8 {
                group.addTask {
                    for step in 0..<200 {
                        let url = urls[(task + step) % urls.count]
                        jar.store(lines: ["c\(task)=\(step)"], from: url)
                        _ = jar.field(for: CookieRequest(url: url))
                    }
                }
            }
        }
        expectEqual(jar.cookies.count, 32)
    }
}

extension CookieJar {
    @discardableResult
    fileprivate func store(lines: [String], from url: HTTPURL) -> [Cookie] {
        store(lines.map { Array($0.utf8) }, from: url)
    }
}
