import SternaCore
import Testing

@testable import SternaTestSupport

@Suite("Pairs parted by semicolons, and references, are shown without secrets")
struct RedactedPairsTests {
    static let queries: [(String, String)] = [
        ("a=1;token=s3cret", "a=1;token=***"),
        ("a=1;token=s3cret&b=2", "a=1;token=***&b=2"),
        ("token=s3;cret&b=2", "token=***&b=2"),
        ("a=1;b=2;c", "a=1;b=2;c"),
        (";;token=s3cret;", ";;token=***"),
    ]

    @Test("A pair behind a semicolon is one; a secret goes to the next &", arguments: queries)
    func semicolons(given: String, expected: String) throws {
        #expect(Redaction.show(try HTTPURL("https://example.com/?\(given)")) == "https://example.com/?\(expected)")
        #expect(!Redaction.show(try HTTPURL("https://example.com/?\(given)")).contains("s3"))
    }

    @Test("Fields that hold a URL show it without its secrets", arguments: ["Location", "Content-Location", "Referer"])
    func location(name: String) {
        for reference in [
            "https://example.com/?code=s3cret", "/a?x=1&token=s3cret", "app://cb?token=s3cret#f", "#token=s3cret",
            "https://u:s3cret@example.com/", "app://u:s3cret@host/", "//u:s3cret@host", "https://u:s3/cr@e t/s3cret",
        ] {
            let text = "\(Headers([(name, reference)]))"
            #expect(!text.contains("s3"), "\(text)")
        }
        expectEqual("\(Headers([(name, "/a?x=1")]))", "\(name): /a?x=1")
    }

    @Test("Links with secrets are hidden")
    func link() {
        let links = ##"<https://example.com/?page=2>; rel="next", <https://example.com/?page=3&token=s3cret>"##
        expectEqual("\(Headers([("Link", links)]))", "Link: ***")
        expectEqual("\(Headers([("Refresh", "0; url=/a?token=s3cret")]))", "Refresh: ***")
        expectEqual("\(Headers([("Link", "</a?page=2>; rel=next")]))", "Link: </a?page=2>; rel=next")
    }
}
