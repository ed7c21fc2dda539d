import SternaCore
import Testing

@testable import SternaPages

/// Names of files, which come from hostile URLs.
@Suite struct ResourceNameTests {
    @Test(
        arguments: [
            ("/a/Logo.PNG", "logo"), ("/", "resource"), ("", "resource"), ("/a/", "a"), ("/../../etc/passwd", "passwd"),
            ("/..%2f..%2fetc%2fpasswd", "resource"),
            ("/%2e%2e/%2e%2e/x", "x"), ("/a%00b.png", "a-b"), ("/.htaccess", "resource"), ("/.a.b", "a"),
            ("/con", "_con"), ("/COM1.png", "_com1"), ("/nul.png", "_nul"),
            ("/-rf", "rf"), ("/~root", "root"), ("/a b|c<d>.png", "a-b-c-d"), ("/ä.png", "resource"),
            ("/caf%C3%A9%20x.png", "caf-x"), ("/%41%", "a"), ("/a;b,c=d.png", "a-b-c-d"), ("/a.tar.gz", "a-tar"),
            ("/\(String(repeating: "x", count: 500)).png", String(repeating: "x", count: 60)),
            ("/C:\\windows", "windows"), ("/a___b--c", "a___b-c"),
        ])
    func stems(_ path: String, _ expected: String) throws {
        #expect(ResourceNames.stem(of: try HTTPURL("http://h\(path)")) == expected)
    }

    @Test(
        arguments: [
            ("image/png", "/a.png", "png"), ("image/png", "/a.php", "png"), ("image/jpeg", "/a.jpeg", "jpeg"),
            ("image/jpeg", "/a", "jpg"), (nil, "/a.png", "png"),
            (nil, "/a", "bin"), (nil, "/a.exe.unknownextension", "bin"),
            ("application/octet-stream", "/a.woff2", "woff2"), ("text/plain", "/a.js", "js"),
            ("text/plain", "/a", "txt"),
            ("text/html", "/a.png", "html"), ("image/svg+xml", "/a", "svg"), ("x/y", "/a.png", "png"),
            ("x/y", "/a.zzz", "bin"), ("application/javascript", "/a.mjs", "js"),
            ("../x", "/a", "bin"), ("image/../../x", "/a", "bin"),
        ] as [(String?, String, String)])
    func extensions(_ type: String?, _ path: String, _ expected: String) throws {
        #expect(ResourceNames.fileExtension(of: type, try HTTPURL("http://h\(path)")) == expected)
    }

    @Test(
        arguments: [
            ("page.html", "page", "page.html"), ("Terns", "Terns", "Terns.html"), ("../../x", "x", "x.html"),
            ("/etc/passwd", "passwd", "passwd.html"), ("", "page", "page.html"),
            ("..", "page", "page.html"), (".hidden", "hidden", "hidden.html"), ("a b\0c.htm", "a-b-c", "a-b-c.html"),
            ("ä", "page", "page.html"), ("x.HTML", "x", "x.html"), ("a/", "page", "page.html"),
        ])
    func pages(_ name: String, _ stem: String, _ page: String) {
        let names = PageFileNames(name)
        #expect(names.page == page)
        #expect(names.folder == "\(stem)_files")
    }
}
