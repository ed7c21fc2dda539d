import SternaCore
import Testing

@testable import Sterna

@Suite("Cookies: SameSite")
struct SameSiteTests {
    private static func scene() throws -> CookieScene {
        var scene = CookieScene()
        for line in ["d=1", "s=1; SameSite=Strict", "l=1; SameSite=Lax", "n=1; SameSite=None; Secure"] {
            #expect(try scene.set(line, from: "https://www.a.test/") == nil)
        }
        return scene
    }

    @Test("The program's own requests have all cookies")
    func ownRequests() throws {
        var scene = try Self.scene()
        #expect(try scene.field("https://www.a.test/") == "d=1; s=1; l=1; n=1")
    }

    @Test(
        "Requests of a page have the cookies that SameSite allows",
        arguments: [
            ("https://www.a.test", false, true, "d=1; s=1; l=1; n=1"),
            ("https://other.a.test:8443", false, false, "d=1; s=1; l=1; n=1"),
            ("https://b.test", false, true, "n=1"), ("https://b.test", true, true, "d=1; l=1; n=1"),
            ("https://b.test", true, false, "n=1"),
            // Another scheme is another site.
            ("http://www.a.test", false, true, "n=1"), ("wss://www.a.test", false, true, "d=1; s=1; l=1; n=1"),
            ("https://test", false, true, "n=1"), ("https://127.0.0.1", false, true, "n=1"),
        ])
    func pages(site: String, navigates: Bool, isSafe: Bool, expected: String) throws {
        var scene = try Self.scene()
        #expect(try scene.field("https://www.a.test/", site: site, navigates: navigates, isSafe: isSafe) == expected)
    }

    @Test("Two hosts below a public suffix are two sites")
    func publicSuffix() throws {
        let site = CookieSite(try HTTPURL("https://a.github.io").origin)
        #expect(!site.contains(try HTTPURL("https://b.github.io"), suffixes: .builtIn))
        #expect(site.contains(try HTTPURL("https://x.a.github.io"), suffixes: .builtIn))
        #expect(!site.contains(try HTTPURL("https://a.github.io."), suffixes: .builtIn))
        let address = CookieSite(try HTTPURL("https://10.0.0.1").origin)
        #expect(address.contains(try HTTPURL("https://10.0.0.1:8443"), suffixes: .builtIn))
        #expect(!address.contains(try HTTPURL("https://11.0.0.1"), suffixes: .builtIn))
    }

    @Test("Another site's requests set only cookies with SameSite=None, unless they load a page")
    func storing() throws {
        var scene = CookieScene()
        for line in ["a=1", "a=1; SameSite=Lax", "a=1; SameSite=Strict"] {
            #expect(try scene.set(line, from: "https://a.test/", site: "https://b.test") == .crossSite)
            #expect(try scene.set(line, from: "https://a.test/", site: "https://b.test", navigates: true) == nil)
            #expect(try scene.set(line, from: "https://a.test/", site: "https://x.a.test") == nil)
        }
        #expect(try scene.set("a=1; SameSite=None; Secure", from: "https://a.test/", site: "https://b.test") == nil)
    }
}
