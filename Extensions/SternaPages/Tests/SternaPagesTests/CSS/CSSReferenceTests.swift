import Testing

@testable import SternaPages

/// The references of style sheets by CSS Syntax Level 3.
@Suite struct CSSReferenceTests {
    /// References: `r` for one of a resource, `i` for one of an import.
    @Test(
        arguments: [
            ("", []), ("a{}", []), ("a { background: url(x.png) }", ["r x.png"]), ("a{b:url( x.png )}", ["r x.png"]),
            ("a{b:url('x y.png')}", ["r x y.png"]), ("a{b:url(\"x)\")}", ["r x)"]), ("a{b:URL(x)}", ["r x"]),
            (#"a{b:\75rl(x)}"#, ["r x"]), (#"a{b:u\72 l(x)}"#, ["r x"]), ("a{b:url( \n'x' )}", ["r x"]),
            ("a{b:url()}", ["r "]), ("a{b:url(x", ["r x"]), ("a{b:url('x", ["r x"]), ("a{b:url('x\n');c:url(d)}", []),
            ("a{b:url('x\n);c:url(d)}", ["r d"]), ("a{b:url('x' 'y')}", ["r x"]),
            // Bad URLs end at the next parenthesis.
            ("a{b:url(x y);c:url(z)}", ["r z"]), ("a{b:url(x'y);c:url(z)}", ["r z"]),
            ("a{b:url(x(y);c:url(z)}", ["r z"]),
            (#"a{b:url(x\)y)}"#, ["r x)y"]), (#"a{b:url(\41 b)}"#, ["r Ab"]), (#"a{b:url(\0)}"#, ["r \u{FFFD}"]),
            (#"a{b:url(\d800 x)}"#, ["r \u{FFFD}x"]), (#"a{b:url(\110000)}"#, ["r \u{FFFD}"]), ("a{b:url(\u{1})}", []),
            (#"a{b:url("x\"#, ["r x"]), ("a{b:url('x\\\ny')}", ["r xy"]), ("a{b:url('x\\\r\ny')}", ["r xy"]),
            // Names that end in url are others; so are numbers with a unit.
            ("a{b:my-url(x)}", []), ("a{b:2url(x)}", []), ("a{b:1e3url(x)}", []), ("a{b:#url(x)}", []),
            ("a{b:@url(x)}", []),
            ("a{b:-url(x)}", []), ("a{b:url (x)}", []), ("a{b:'url(x)'}", []), ("/* url(x) */", []), ("/* url(x)", []),
            ("a{b:/**/url(x)/* */}", ["r x"]), ("a{b:url(/*x*/)}", ["r /*x*/"]), ("a{b:ur/**/l(x)}", []),
            ("<!-- a{b:url(x)} -->", ["r x"]), ("a{b:url(ä.png)}", ["r ä.png"]),
            // Imports.
            ("@import 'a.css';", ["i a.css"]),
            ("@import \"a.css\" layer(x) supports(display: grid) print;", ["i a.css"]),
            ("@import url(a.css);", ["i a.css"]), ("@IMPORT url('a.css') screen;", ["i a.css"]),
            ("@import/**/'a.css'", ["i a.css"]),
            (#"@\69mport 'a';"#, ["i a"]), ("@import 'a' supports(background: url(b));c{d:url(e)}", ["i a", "r e"]),
            ("@import a 'b';", []), ("@import;'b'", []), ("@import 'a' 'b';", ["i a"]),
            ("@import{} a{b:url(c)}", ["r c"]),
            ("@media print { @import 'a'; b{c:url(d)} }", ["r d"]), ("@import-x 'a';", []),
            ("@import 'a\n';b{c:url(d)}", []), ("@import 'a\n;b{c:url(d)}", ["r d"]),
            // Names and conditions.
            ("@namespace url(http://x/);a{b:url(c)}", ["r c"]), ("@namespace x 'http://x/';", []),
            ("@-moz-document url(http://x/) { a{b:url(c)} }", ["r c"]), ("@charset 'utf-8';@import 'a';", ["i a"]),
            ("@font-face { src: local('x'), url(a.woff2) format('woff2'), url('b.woff') }", ["r a.woff2", "r b.woff"]),
            ("a{b:image-set('x.png' 1x, url(y.png) 2x type('image/png'))}", ["r x.png", "r y.png"]),
            ("a{b:-webkit-image-set(url(x) 1x)}", ["r x"]), ("a{b:src('x')}", ["r x"]), ("a{--b:url(x)}", ["r x"]),
            ("a{b:image-set(f('x') 1x)}", []), ("a{content:'x'}", []), ("}}a{b:url(x)}", ["r x"]),
            ("a{b:url(x)]})c:url(d)", ["r x", "r d"]),
            ("@media (x) { a { b: url(c) } } @import 'd';", ["r c", "i d"]),
            ("@supports (a:url(b)) { c{d:url(e)} }", ["r b", "r e"]),
            ("background: url(x), url('y')", ["r x", "r y"]),
        ] as [(String, [String])])
    func finds(_ css: String, _ expected: [String]) {
        let found = CSSReferences.all(in: Array(css.utf8)).map {
            "\($0.use.kind == .importedSheet ? "i" : "r") \($0.use.text)"
        }
        #expect(found == expected)
    }

    @Test(
        arguments: [
            ("a{b:url( x )}", "n.png", "a{b:url( n.png )}"), ("a{b:url('x')}", "n.png", "a{b:url('n.png')}"),
            ("@import \"x\" print;", "n.css", "@import \"n.css\" print;"),
            ("a{b:url(x)}", "n (1)", #"a{b:url(n\20 \(1\))}"#),
            ("a{b:url('x')}", #"it's "\"#, #"a{b:url('it\'s "\\')}"#), ("a{b:url(x)}", "a\nb", #"a{b:url(a\a b)}"#),
            ("a{b:url('x')}", "</style>", #"a{b:url('\3c /style>')}"#), ("a{b:url(x", "n", "a{b:url(n"),
            ("a{b:url('x", "n", "a{b:url('n'"), ("a{b:url()}", "n", "a{b:url(n)}"),
            ("a{b:url(y)}", "n", "a{b:url(n)}/"),
        ])
    func rewrites(_ css: String, _ new: String, _ expected: String) {
        let result = CSSReferences.rewrite(Array(css.utf8)) { _ in new }
        #expect(String(decoding: result, as: UTF8.self) + (expected.hasSuffix("/") ? "/" : "") == expected)
    }

    @Test("Bytes that are no references stay, valid or not")
    func keepsBytes() {
        let bytes: [UInt8] =
            [0xFF, 0x00, 0x61, 0x7B, 0x62, 0x3A] + Array("url(x);\u{FEFF}\r\n\t}".utf8) + [0xC3, 0x28]
        #expect(CSSReferences.rewrite(bytes) { _ in nil } == bytes)
        let new = CSSReferences.rewrite(bytes) { _ in "yy" }
        #expect(new == [0xFF, 0x00, 0x61, 0x7B, 0x62, 0x3A] + Array("url(yy);\u{FEFF}\r\n\t}".utf8) + [0xC3, 0x28])
    }

    @Test("What was written is read again")
    func roundTrip() {
        for text in ["a b", "'\"\\()", "\n\r\u{C}\u{1}\u{7F}", "<ä>", "a.png#x", "\\31 "] {
            for css in ["a{b:url(x)}", "a{b:url('x')}", "a{b:url(\"x\")}", "@import 'x';"] {
                let written = CSSReferences.rewrite(Array(css.utf8)) { _ in text }
                #expect(CSSReferences.all(in: written).map(\.use.text) == [text], "\(css)")
            }
        }
    }

    @Test("Many brackets, strings or escapes take no stack and little time")
    func large() {
        for piece in [
            "(", "{", "[", "\"", "'a'", "\\", "url(", "url('", "/*", "@import ", "url(a)", "a{b:url(c)}", "))", "-",
        ] {
            let css = String(repeating: piece, count: 50_000)
            #expect(CSSReferences.rewrite(Array(css.utf8)) { _ in nil } == Array(css.utf8))
        }
    }
}
