import SternaCore
import SternaPlatform
import Testing

@testable import SternaTestSupport

@Suite struct URLRelativeTests {
    // RFC 3986, 5.4, save what the URL Standard does another way.
    @Test(
        arguments: [
            ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
            ("//g", "http://g/"),
            ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"),
            ("g#s", "http://a/b/c/g#s"),
            ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"), ("", "http://a/b/c/d;p?q"),
            (".", "http://a/b/c/"),
            ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"),
            ("../../g", "http://a/g"),
            ("../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."),
            ("..g", "http://a/b/c/..g"),
            ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
            ("g?y/../x", "http://a/b/c/g?y/../x"),
            ("http:g", "http://a/b/c/g"), ("http:", "http://a/b/c/d;p?q"), ("http:/g", "http://a/g"),
            ("http:?y", "http://a/b/c/d;p?y"),
            ("https:g", "https://g/"), ("HTTP:g", "http://a/b/c/g"), ("\\g", "http://a/g"), ("\\\\g\\h", "http://g/h"),
            ("/\\g", "http://g/"),
            ("///g", "http://g/"), (" g ", "http://a/b/c/g"), ("#", "http://a/b/c/d;p?q#"), ("?", "http://a/b/c/d;p?"),
            ("/", "http://a/"),
            ("1:2", "http://a/b/c/1:2"), ("a b:c", "http://a/b/c/a%20b:c"), ("ws://x:80", "ws://x/"),
            ("/a?b#c", "http://a/a?b#c"),
        ] as [(String, String)])
    func resolution(reference: String, href: String) throws {
        let base = try HTTPURL("http://a/b/c/d;p?q#frag")
        try expectEqual(HTTPURL(reference, relativeTo: base).href, href)
        // A request needs a host (RFC 9110, 4.2.1).
        guard reference != "///g" else { return }
        try expectEqual(reference.resolve(against: base).href, href)
    }

    @Test(arguments: [
        ("x", "http://u:p@h:81/d/x"), ("/x", "http://u:p@h:81/x"), ("", "http://u:p@h:81/d/e?q"),
        ("#f", "http://u:p@h:81/d/e?q#f"),
        ("?r", "http://u:p@h:81/d/e?r"), ("//h:81/x", "http://h:81/x"), ("http://h:81/x", "http://h:81/x"),
        ("http:x", "http://u:p@h:81/d/x"),
    ])
    func userinfoOfTheBase(reference: String, href: String) throws {
        let base = try HTTPURL("http://u:p@h:81/d/e?q")
        try expectEqual(HTTPURL(reference, relativeTo: base).href, href)
    }

    @Test func schemeLookingReferences() throws {
        let base = try HTTPURL("http://h/")
        #expect(throws: HTTPURL.ParseError.unsupportedScheme("mailto")) { try HTTPURL("mailto:x", relativeTo: base) }
        #expect(throws: HTTPURL.ParseError.unsupportedScheme("localhost")) {
            try HTTPURL("localhost:80/x", relativeTo: base)
        }
    }

    @Test func convertibles() throws {
        let base = try HTTPURL("https://api.example/v1/")
        let url = try HTTPURL("https://u:p@other.example/x")
        try expectEqual(url.resolve(against: base), url)
        #expect(try "items"[...].resolve(against: base).href == "https://api.example/v1/items")
        #expect(
            try #require(URL(string: "https://u:p@h.example/a?b#c")).resolve(against: base).href
                == "https://u:p@h.example/a?b#c")
        #expect(throws: HTTPURL.ParseError.relativeWithoutBase) { try "items".resolve(against: nil) }
        try expectEqual(HTTPURL(#require(url.foundationURL)), url)
        func reference(_ convertible: some URLConvertible) -> String { convertible.urlReference() }
        expectEqual(reference("/x"), "/x")
        expectEqual(reference(url), url.href)
    }
}
