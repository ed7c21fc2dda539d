import Sterna
import Testing

@testable import SternaWebKitGTK

@Suite("What passes between a web view and a session")
struct WebViewRuleTests {
    @Test("A URL has a scheme of its own in the view, and comes back")
    func urls() throws {
        let url = try HTTPURL("https://example.com/a?b=c#d")
        #expect(WebViewURL.shown(url) == "sterna-https://example.com/a?b=c#d")
        #expect(WebViewURL.asked("sterna-https://example.com/a?b=c#d") == url)
        #expect(WebViewURL.asked("STERNA-HTTP://example.com/")?.href == "http://example.com/")
    }

    @Test(
        "Any other URL is not asked for",
        arguments: [
            "https://example.com/", "sterna-file:///etc/passwd", "sterna-", "", "sterna-ws://example.com/",
            "about:blank",
        ])
    func others(text: String) { #expect(WebViewURL.asked(text) == nil) }

    @Test("Fields of a request that the session makes are left to it, and URLs are the server's")
    func asked() {
        let fields = WebViewFields.asked([
            ("Cookie", "a=b"), ("Accept", "text/html"), ("Referer", "sterna-https://example.com/a"),
            ("Host", "example.com"),
            ("Origin", "null"), ("User-Agent", "WebKit"),
        ])
        #expect(fields.lines.map(\.name) == ["Accept", "Referer", "Origin"])
        #expect(fields["Referer"] == "https://example.com/a")
        #expect(fields["Origin"] == "null")
    }

    @Test("Fields of a response that hold for its transfer are left out, and the page is confined")
    func shown() {
        let all = [
            ("Content-Type", "text/html"), ("Set-Cookie", "a=b"), ("Content-Encoding", "gzip"),
            ("Access-Control-Allow-Origin", "https://example.com"),
        ]
        let confined = WebViewFields.shown(all, isConfined: true)
        #expect(confined.map(\.0) == ["Content-Type", "Access-Control-Allow-Origin", "Content-Security-Policy"])
        #expect(confined[1].1 == "sterna-https://example.com")
        #expect(WebViewFields.shown(all, isConfined: false).count == 2)
    }

    @Test(
        "A page's own requests are the user's; those of other origins are nobody's",
        arguments: [
            // The URL that is asked for, the method, the Origin field, the page that is shown, and what follows.
            ("https://a.example/", "GET", nil, "https://a.example/", true, false),
            ("https://a.example/x", "POST", "https://b.example", "https://a.example/x", true, false),
            ("https://a.example/x.png", "GET", nil, "https://a.example/", false, false),
            ("https://a.example/x", "PUT", "https://a.example", "https://a.example/", false, false),
            ("https://b.example/x.png", "GET", nil, "https://a.example/", false, true),
            ("https://b.example/x", "GET", "https://a.example", "https://a.example/", false, true),
            // A frame of another origin in the page.
            ("https://a.example/x", "GET", "https://b.example", "https://a.example/", false, true),
            ("https://a.example/x", "GET", "null", "https://a.example/", false, true),
            // A script that asks for the page to which the view is going.
            ("https://b.example/x", "GET", "https://a.example", "https://b.example/x", false, true),
            ("https://a.example/x", "GET", "http://a.example", "https://a.example/", false, true),
            ("https://a.example/x", "GET", nil, nil, false, true),
        ] as [(String, String, String?, String?, Bool, Bool)])
    func askers(url: String, method: String, origin: String?, page: String?, isPage: Bool, isForeign: Bool) throws {
        let asker = WebViewAsker(
            try HTTPURL(url), method, origin: origin, page: page.map { WebViewURL.prefix + $0 }, isNamed: page == url)
        #expect(asker.isPage == isPage)
        #expect(asker.isForeign == isForeign)
    }

    @Test("Cookies with SameSite know the site that asks")
    func sites() throws {
        let (url, page) = (try HTTPURL("https://a.example/x"), WebViewURL.prefix + "https://b.example/")
        let origin = try HTTPURL("https://b.example/").origin
        let form = WebViewAsker(url, "POST", origin: "https://b.example", page: WebViewURL.shown(url), isNamed: true)
        #expect(form.site == CookieSite(origin, isNavigation: true))
        let picture = WebViewAsker(url, "GET", origin: nil, page: page, isNamed: false)
        #expect(picture.site == CookieSite(origin))
        #expect(WebViewAsker(url, "GET", origin: nil, page: WebViewURL.shown(url), isNamed: true).site == nil)
    }
}
