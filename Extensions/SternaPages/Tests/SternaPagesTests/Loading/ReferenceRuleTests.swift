import SternaCore
import Testing

@testable import SternaPages

/// What references lead to.
@Suite struct ReferenceRuleTests {
    private func target(_ text: String, _ kind: ReferenceKind = .resource, base: String? = nil) throws -> String {
        let url = try HTTPURL("https://ada:secret@example.com/a/page?q")
        let location = ReferenceRule.Location(url: url, baseReference: base)
        switch ReferenceRule.target(ReferenceUse(text: text, kind: kind), in: location, longest: 200) {
        case .kept: return "kept"
        case .tooLong: return "too long"
        case .absolute(let text): return text
        case .resource(let url, let fragment): return "\(url.description) \(fragment ?? "-")"
        }
    }

    @Test(
        arguments: [
            ("b.png", "https://example.com/a/b.png -"), ("/b.png#c", "https://example.com/b.png c"),
            ("../../../b", "https://example.com/b -"),
            ("//other.example/b", "https://other.example/b -"), (" \n b.png\t ", "https://example.com/a/b.png -"),
            ("b\n.png", "https://example.com/a/b.png -"),
            ("?x", "https://example.com/a/page?x -"), ("", "kept"), ("  ", "kept"), ("#icon", "kept"),
            ("data:image/png;base64,AA==", "kept"),
            ("DATA:x", "kept"), ("d\na\tta:x", "kept"), ("javascript:alert(1)", "kept"), ("mailto:a@b", "kept"),
            ("about:blank", "kept"), ("blob:x", "kept"),
            ("file:///etc/passwd", "kept"), ("FILE:/etc/passwd", "kept"), ("ftp://x/y", "kept"), ("ws://x/", "kept"),
            ("http://", "kept"),
            ("http://[x", "kept"), ("https:b.png", "https://example.com/a/b.png -"), ("http:b.png", "http://b.png/ -"),
            ("\\\\other.example\\b", "https://other.example/b -"), ("http://1.1.1.1.1/", "kept"),
            ("ä.png", "https://example.com/a/%C3%A4.png -"),
        ])
    func leads(_ text: String, _ expected: String) throws { #expect(try target(text) == expected) }

    @Test("Links become absolute, without user information")
    func links() throws {
        #expect(try target("b#c", .link) == "https://example.com/a/b#c")
        #expect(try target("#c", .link) == "kept")
        #expect(try target("mailto:a@b", .link) == "kept")
        #expect(try target("//u:p@other.example/", .link) == "https://other.example/")
    }

    @Test(
        arguments: [
            ("/x/", "https://example.com/x/b -"), ("//other.example/x/y", "https://other.example/x/b -"),
            ("javascript:x", "https://example.com/a/b -"),
            ("data:x", "https://example.com/a/b -"), ("", "https://example.com/a/b -"),
            ("ws://x/", "https://example.com/a/b -"),
        ])
    func base(_ base: String, _ expected: String) throws { #expect(try target("b", base: base) == expected) }

    @Test("With another base, fragments are of that")
    func baseFragment() throws {
        #expect(try target("#c", .link, base: "/x") == "https://example.com/x#c")
        #expect(try target("#c", .link, base: "#d") == "kept")
    }

    @Test("Long references")
    func long() throws {
        let long = String(repeating: "a", count: 300)
        #expect(try target(long) == "too long")
        #expect(try target("data:\(long)") == "kept")
    }

    @Test(
        arguments: [
            (PageOptions.Origins.all, false, "https://other.example/", true),
            (.all, false, "http://example.com/", false), (.all, true, "http://example.com/", true),
            (.sameOrigin, false, "https://example.com/b", true),
            (.sameOrigin, false, "https://example.com:444/b", false),
            (.sameOrigin, false, "https://www.example.com/b", false),
            (.sameOrigin, true, "http://example.com/b", false),
        ])
    func origins(_ origins: PageOptions.Origins, _ allowsInsecure: Bool, _ url: String, _ isAllowed: Bool) throws {
        let rule = OriginRule(
            page: try HTTPURL("https://example.com/"), origins: origins, allowsInsecure: allowsInsecure)
        #expect((rule.refusal(of: try HTTPURL(url)) == nil) == isAllowed)
        let open = OriginRule(page: try HTTPURL("http://example.com/"), origins: .all, allowsInsecure: false)
        #expect(open.refusal(of: try HTTPURL(url)) == nil)
    }
}
