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
}
