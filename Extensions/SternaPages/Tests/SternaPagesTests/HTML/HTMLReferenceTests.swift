import SternaCore
import Testing

@testable import SternaPages

/// The references of documents, and what becomes of them.
@Suite struct HTMLReferenceTests {
    private func rewritten(_ html: String, _ replace: (ReferenceUse) -> HTMLWalker.Replacement? = saved) throws
        -> String
    {
        let document = HTMLWalker().rewrite(try HTMLParser.parse(html), replace)
        return HTMLWriter.text(of: document, declaresEncoding: false)
    }

    /// Puts the kind before the text.
    private static func saved(_ use: ReferenceUse) -> HTMLWalker.Replacement? {
        HTMLWalker.Replacement(text: "\(use.kind):\(use.text)", isSaved: use.kind != .link)
    }

    @Test(
        arguments: [
            (#"<img src="a.png" alt="a">"#, #"<img src="resource:a.png" alt="a">"#),
            (#"<img srcset="a.png 1x, b.png 2x">"#, #"<img srcset="resource:a.png 1x, resource:b.png 2x">"#),
            (
                #"<picture><source srcset="a"><img src="b"></picture>"#,
                #"<picture><source srcset="resource:a"><img src="resource:b"></picture>"#
            ),
            (
                #"<script src="a.js" integrity="sha256-x" crossorigin></script>"#,
                #"<script src="script:a.js"></script>"#
            ),
            (#"<link rel="stylesheet" href="a.css" integrity="x">"#, #"<link rel="stylesheet" href="sheet:a.css">"#),
            (#"<link rel="Alternate StyleSheet" href="a">"#, #"<link rel="Alternate StyleSheet" href="sheet:a">"#),
            (#"<link rel="shortcut icon" href="a">"#, #"<link rel="shortcut icon" href="resource:a">"#),
            (#"<link rel="apple-touch-icon" href="a">"#, #"<link rel="apple-touch-icon" href="resource:a">"#),
            (
                #"<link rel="preload" as="font" href="a" crossorigin>"#,
                #"<link rel="preload" as="font" href="resource:a">"#
            ),
            (#"<link rel="preload" as="style" href="a">"#, #"<link rel="preload" as="style" href="sheet:a">"#),
            (#"<link rel="modulepreload" href="a">"#, #"<link rel="modulepreload" href="script:a">"#),
            (#"<link rel="preload" as="fetch" href="a">"#, #"<link rel="preload" as="fetch" href="link:a">"#),
            (#"<link rel="canonical" href="a">"#, #"<link rel="canonical" href="link:a">"#),
            (#"<link rel="manifest" href="a">"#, #"<link rel="manifest" href="link:a">"#),
            (#"<a href="a" ping="b">x</a>"#, #"<a href="link:a">x</a>"#),
            (#"<form action="a"></form>"#, #"<form action="link:a"></form>"#),
            (
                #"<video src="a" poster="b"><track src="c"></video>"#,
                #"<video src="resource:a" poster="resource:b"><track src="resource:c"></video>"#
            ),
            (#"<audio><source src="a"></audio>"#, #"<audio><source src="resource:a"></audio>"#),
            (#"<iframe src="a"></iframe>"#, #"<iframe src="frame:a"></iframe>"#),
            (#"<object data="a"></object>"#, #"<object data="frame:a"></object>"#),
            (#"<embed src="a">"#, #"<embed src="frame:a">"#),
            (#"<input type="image" src="a">"#, #"<input type="image" src="resource:a">"#),
            (#"<table background="a"></table>"#, #"<table background="resource:a"></table>"#),
            (
                #"<svg><use href="a#b"/><image xlink:href="c"/></svg>"#,
                #"<svg><use href="resource:a#b"></use><image xlink:href="resource:c"></image></svg>"#
            ),
            (#"<p style="background: url(a)">x</p>"#, #"<p style="background: url(resource:a)">x</p>"#),
            (#"<p style='b: url("a")'>x</p>"#, #"<p style="b: url(&quot;resource:a&quot;)">x</p>"#),
            ("<style>@import 'a';b{c:url(d)}</style>", "<style>@import 'importedSheet:a';b{c:url(resource:d)}</style>"),
            ("<style type='text/x'>b{c:url(d)}</style>", #"<style type="text/x">b{c:url(d)}</style>"#),
            (
                #"<iframe srcdoc="&lt;img src=a>"></iframe>"#,
                #"<iframe srcdoc="&lt;img src=&quot;resource:a&quot;&gt;"></iframe>"#
            ),
            (#"<img src="a&amp;b=&quot;">"#, #"<img src="resource:a&amp;b=&quot;">"#),
            ("<IMG SRC=a>", #"<img src="resource:a">"#),
            (#"<blockquote cite="a">x</blockquote>"#, #"<blockquote cite="link:a">x</blockquote>"#),
            ("<img src>", "<img src>"),
        ])
    func rewrites(_ html: String, _ expected: String) throws { #expect(try rewritten(html) == expected) }

    @Test(
        arguments: [
            (#"<base href="/x/"><p>a</p>"#, "<p>a</p>"),
            (#"<base href="/x/" target="_blank"><p>a</p>"#, #"<base target="_blank"><p>a</p>"#),
            (#"<meta http-equiv="Content-Security-Policy" content="default-src 'self'"><p>a</p>"#, "<p>a</p>"),
            (
                #"<meta http-equiv="refresh" content="5; url=b"><p>a</p>"#,
                #"<meta http-equiv="refresh" content="5; url=b"><p>a</p>"#
            ),
            ("<!-- <img src=a> --><p>a</p>", "<!-- <img src=a> --><p>a</p>"),
            ("<script>'<img src=a>'</script>", "<script>'<img src=a>'</script>"),
            ("<script>if (a < b && c) x('</b>')</script>", "<script>if (a < b && c) x('</b>')</script>"),
            ("<p>a &lt; b &amp; c&nbsp;d</p>", "<p>a &lt; b &amp; c&nbsp;d</p>"),
            ("<p>&check; a&star;&phone;</p>", "<p>&check; a&star;&phone;</p>"),
            ("<p>AT&T &amp;copy; &amp;copy</p>", "<p>AT&amp;T &amp;copy; &amp;copy</p>"),
            ("<p>a & b&</p>", "<p>a &amp; b&amp;</p>"),
            ("<p>&amp;&amp;check;&<b>c</b></p>", "<p>&amp;&amp;check;&amp;<b>c</b></p>"),
            // End tags of paragraphs that browsers have ended are left out; they would make empty ones.
            ("<div><p>a<section>b</section></div>", "<div><p>a<section>b</section></div>"),
            ("<main><p>a<pre>b</pre></main>", "<main><p>a</p><pre>b</pre></main>"),
            ("<div><p>a<wbr>b<pre>c</pre></div>", "<div><p>a<wbr>b<pre>c</pre></div>"),
            ("<div><p>a<wbr>b</p>c</div>", "<div><p>a<wbr>b</p>c</div>"),
            ("<div><p>a<wbr>b<p>c</div>", "<div><p>a<wbr>b<p>c</p></div>"),
            ("<div><b>a<wbr>b</b>c</div>", "<div><b>a<wbr>b</b>c</div>"),
            ("<ul><li>a<wbr><li>b</ul>", "<ul><li>a<wbr><li>b</li></li></ul>"),
            (
                "<picture><source src=a><source src=b><img src=c></picture><p>d</p>",
                #"<picture><source src="resource:a"><source src="resource:b"><img src="resource:c"></picture><p>d</p>"#
            ),
            ("<main><p>a<b>c</b></main>", "<main><p>a<b>c</b></p></main>"),
            ("<p>a<button><section>b</section></button></p>", "<p>a<button><section>b</section></button></p>"),
            // Nothing is added, and a slash ends elements of SVG only.
            ("a <b>c</b> d", "a <b>c</b> d"), ("a<p>b</p>c", "a<p>b</p>c"),
            ("<html>a<b>c</b></html>", "<html>a<b>c</b></html>"), ("a &amp; b", "a &amp; b"),
            ("<div><a name=x/>b</a>c</div>", #"<div><a name="x/">b</a>c</div>"#),
            ("<div><a name='x'/>b</a>c</div>", #"<div><a name="x">b</a>c</div>"#),
            ("<div/>a</div>", "<div>a</div>"), ("<br/>a<wbr/>b<hr />", "<br>a<wbr>b<hr>"),
            ("<script src='data:x'/>a<b></script>", #"<script src="data:x">a<b></script>"#),
            ("<svg><g/><path d='x'/></svg><div/>a</div>", #"<svg><g></g><path d="x"></path></svg><div>a</div>"#),
            ("<svg/><i/>a</i>", "<svg></svg><i>a</i>"),
            ("<p/>a", "<p>a</p>"),
            ("<p>&eacute;&#233;&hellip;</p>", "<p>éé…</p>"),
        ])
    func keepsAndDrops(_ html: String, _ expected: String) throws {
        #expect(try rewritten(html) { $0.text.hasPrefix("data:") ? nil : Self.saved($0) } == expected)
    }

    @Test("Without a rewritten reference, what binds it stays")
    func bindings() throws {
        let html = #"<script src="https://x/a.js" integrity="sha256-x" crossorigin="anonymous"></script>"#
        #expect(try rewritten(html) { _ in nil } == html)
        #expect(try rewritten(html) { HTMLWalker.Replacement(text: $0.text) } == html)
    }

    @Test(
        arguments: [
            (
                "<!DOCTYPE html><html><head><title>a</title></head></html>",
                "<!DOCTYPE html><html><head>M<title>a</title></head></html>"
            ),
            ("<html><head><meta charset=koi8-r></head></html>", "<html><head>M</head></html>"),
            (
                #"<html><head><meta http-equiv="content-type" content="text/html; charset=x"></head></html>"#,
                "<html><head>M</head></html>"
            ),
            ("<html><p>a</p></html>", "<html>M<p>a</p></html>"), ("<p>a</p>", "M<p>a</p>"),
            ("<!DOCTYPE html>\n<p>a</p>", "<!DOCTYPE html>M<p>a</p>"), ("", "M"),
        ])
    func declaresUTF8(_ html: String, _ expected: String) throws {
        let text = HTMLWriter.text(of: HTMLWalker().rewrite(try HTMLParser.parse(html)) { _ in nil })
        let wanted = expected.replacing("M", with: #"<meta charset="utf-8">"#)
        #expect(text == wanted)
    }
}
