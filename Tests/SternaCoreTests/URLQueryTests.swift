import SternaCore
import Testing

@testable import SternaTestSupport

@Suite struct URLQueryTests {
    @Test(
        arguments: [
            ("http://h/", nil, nil, "/"), ("http://h/?", "", nil, "/?"), ("http://h/#", nil, "", "/"),
            ("http://h/?#", "", "", "/?"), ("http://h?q#f", "q", "f", "/?q"), ("http://h#f?q", nil, "f?q", "/"),
            ("http://h/a?b?c#d#e", "b?c", "d#e", "/a?b?c"),
            ("http://h/?a b'\"<>`{}|^", "a%20b%27%22%3C%3E`{}|^", nil, "/?a%20b%27%22%3C%3E`{}|^"),
            ("http://h/#a b'\"<>`{}|^", nil, "a%20b'%22%3C%3E%60{}|^", "/"),
            ("http://h/?%27%zz%", "%27%zz%", nil, "/?%27%zz%"),
            ("http://h/?\u{FC}#\u{FC}", "%C3%BC", "%C3%BC", "/?%C3%BC"),
            ("http://h/?a\\b/../c", "a\\b/../c", nil, "/?a\\b/../c"),
            ("http://h/?\u{7F}\u{1}x#\u{7F}\u{1}x", "%7F%01x", "%7F%01x", "/?%7F%01x"),
            ("http://h/?a\tb\r\n", "ab", nil, "/?ab"),
        ] as [(String, String?, String?, String)])
    func queryAndFragment(text: String, query: String?, fragment: String?, target: String) throws {
        let url = try HTTPURL(text)
        expectEqual(url.query, query)
        expectEqual(url.fragment, fragment)
        expectEqual(url.requestTarget, target)
    }

    @Test(arguments: [
        ("http://h/", "a=1", "http://h/?a=1"), ("http://h/?", "a=1", "http://h/?a=1"),
        ("http://h/?b", "a=1", "http://h/?b&a=1"),
        ("http://h/?b#f", "a=1", "http://h/?b&a=1#f"), ("http://h/#f?", "a=1", "http://h/?a=1#f?"),
        ("http://h/?b", "", "http://h/?b"),
        ("http://h/", "", "http://h/"), ("http://h/", "a b#c'%20", "http://h/?a%20b%23c%27%20"),
        ("http://u:p@h:81/x", "\u{FC}", "http://u:p@h:81/x?%C3%BC"),
    ])
    func appending(text: String, addition: String, href: String) throws {
        let url = try HTTPURL(text).appendingQuery(addition)
        expectEqual(url.href, href)
        try expectEqual(HTTPURL(href), url)
    }

    @Test func replacing() throws {
        let url = try HTTPURL("http://h/p?q#f")
        #expect(url.replacingQuery(nil).href == "http://h/p#f")
        #expect(url.replacingQuery("").href == "http://h/p?#f")
        #expect(url.replacingQuery("?a b#").href == "http://h/p??a%20b%23#f")
        #expect(url.replacingFragment(nil).href == "http://h/p?q")
        #expect(url.replacingFragment("").href == "http://h/p?q#")
        #expect(url.replacingFragment("#` ").href == "http://h/p?q##%60%20")
        expectEqual(url.removingFragment(), url.replacingFragment(nil))
        #expect(try HTTPURL("http://h/p").removingFragment().href == "http://h/p")
    }
}
