import SternaCore
import Testing

@testable import SternaTestSupport

@Suite struct URLPathTests {
    @Test(
        arguments: [
            ("", "/"), ("/", "/"), ("//", "//"), ("/a/b", "/a/b"), ("/a/", "/a/"),
            ("/a/./b", "/a/b"), ("/a/../b", "/b"), ("/a/.", "/a/"), ("/a/..", "/"), ("/..", "/"), ("/../../a", "/a"),
            ("/a/%2e/b", "/a/b"), ("/a/%2E%2e/b", "/b"), ("/a/.%2e", "/"), ("/a/%2E.", "/"), ("/a/%2e", "/a/"),
            ("/a//../b", "/a/b"), ("/a/b/../../..//c", "//c"),
            ("/...", "/..."), ("/.a", "/.a"), ("/a.", "/a."), ("/..a/", "/..a/"), ("/.well-known/x", "/.well-known/x"),
            ("/%2e%2e%2e", "/%2e%2e%2e"), ("/a%2e", "/a%2e"), ("/%2", "/%2"), ("/%", "/%"), ("/%2f", "/%2f"),
            ("/%zz", "/%zz"),
            ("/a\\b", "/a/b"), ("\\a\\..\\b", "/b"), ("/a/..\\", "/"),
            ("/a b", "/a%20b"), ("/\"<>^`{}", "/%22%3C%3E%5E%60%7B%7D"), ("/\u{FC}\u{1F600}", "/%C3%BC%F0%9F%98%80"),
            ("/\u{0}\u{1F}\u{7F}x", "/%00%1F%7Fx"), ("/a\tb\nc\rd", "/abcd"), ("/.\t./a", "/a"),
            ("/!$&'()*+,-.;:=@_~[]|", "/!$&'()*+,-.;:=@_~[]|"),
        ] as [(String, String)])
    func normalForm(text: String, path: String) throws {
        let url = try HTTPURL("https://host\(text)")
        expectEqual(url.path, path)
        expectEqual(url.requestTarget, path)
        expectNil(url.query)
        #expect(try HTTPURL("https://host\(text)?a/../b").path == path)
        #expect(try HTTPURL("https://host\(text)#a/../b").requestTarget == path)
    }

    @Test(arguments: ["", " ", "\u{0}\u{1F} ", "\n\t"])
    func whiteSpaceAround(space: String) throws {
        #expect(try HTTPURL("\(space)http://host/a b\(space)").href == "http://host/a%20b")
    }

    @Test(
        "A target that replaces another keeps its dots",
        arguments: [
            ("/a/../b/./%2e", "/a/../b/./%2e", nil), ("/?", "/", ""), ("/a b?c d#e?f", "/a%20b", "c%20d%23e?f"),
            ("//x", "//x", nil), ("/\u{FC}#", "/%C3%BC%23", nil), ("/?\u{301}", "/", "%CC%81"),
        ] as [(String, String, String?)])
    func replacedTarget(target: String, path: String, query: String?) throws {
        let url = try #require(try HTTPURL("https://host/x?y#z").replacingTarget(target))
        expectEqual(url.path, path)
        expectEqual(url.query, query)
        expectEqual(url.href, "https://host\(path)\(query.map { "?\($0)" } ?? "")#z")
    }

    @Test("A target begins with a slash", arguments: ["", "*", "a", "?a"])
    func refusedTarget(target: String) throws {
        expectNil(try HTTPURL("https://host/").replacingTarget(target))
    }
}
