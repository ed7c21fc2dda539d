import SternaCore
import Testing

@testable import SternaPages

/// Documents made to cost time, memory or the stack.
@Suite(.timeLimit(.minutes(5))) struct HostileHTMLTests {
    @Test(arguments: ["div", "b", "x", "table", "svg", "span"])
    func depthHasALimit(_ name: String) throws {
        let deep = String(repeating: "<\(name)>", count: 100_000)
        #expect { try HTMLParser.parse(deep) } throws: { ($0 as? SternaError)?.kind == .limitExceeded }
    }

    @Test("Elements without content do not count")
    func void() throws {
        let document = try HTMLParser.parse("<p>" + String(repeating: "<br><img src=a><wbr>", count: 600) + "</p>")
        #expect(document.nodes.count > 1_800)
    }

    @Test("End tags of deep elements that are missing have a limit")
    func endTags() throws {
        let text = String(repeating: "<i>", count: 500) + String(repeating: "</q>", count: 500_000)
        #expect { try HTMLParser.parse(text) } throws: { ($0 as? SternaError)?.kind == .limitExceeded }
    }

    @Test("Many attributes cost no more than a limit", arguments: [1, 200])
    func attributes(_ tags: Int) throws {
        let tag = "<p " + (0..<(200_000 / tags)).map { "a\(String($0, radix: 36))" }.joined(separator: " ")
        let repeated = tag + String(repeating: " ayyy", count: 200_000 / tags)
        for text in [tag, repeated] {
            // What costs too much is refused; the suite's time limit is far from what either takes.
            _ = try? HTMLParser.parse(String(repeating: text + ">", count: tags))
        }
    }

    @Test("NUL, controls and cut documents")
    func odd() throws {
        for text in [
            "<p>a\0b</p><img src='a\0b'>", "\0", "<", "<!", "<!--", "<!DOCTYPE", "<p", "<p a", "<p a=", "<p a='",
            "&#0;", "&#xD800;", "&",
            "<script>", "<style>", "<script><!--", "</", "</p", "<?", "<?x", "<![CDATA[x]]>", "\u{FEFF}<p>",
            "<\u{301}>", "<p =>",
        ] {
            let document = try HTMLParser.parse(text)
            let written = HTMLWriter.text(of: document)
            #expect(!written.contains("\0"))
        }
        let document = try HTMLParser.parse("<p>a\0b</p><i>c</i>")
        #expect(HTMLWriter.text(of: document, declaresEncoding: false) == "<p>a\u{FFFD}b</p><i>c</i>")
    }

    @Test("Long texts and many attributes take time that grows with their length")
    func long() throws {
        let text = String(repeating: "abc ", count: 1_000_000)
        #expect(try HTMLParser.parse("<p>\(text)</p>").nodes.count == 3)
        let script = "<script>\(text)</script>"
        #expect(HTMLWriter.text(of: try HTMLParser.parse(script), declaresEncoding: false) == script)
        let attributes = (0..<2_000).map { "a\($0)=b" }.joined(separator: " ")
        #expect(try HTMLParser.parse("<p \(attributes)>").nodes.count == 2)
    }

    @Test("Limits on size and nodes")
    func limits() {
        #expect { try HTMLParser.parse("<p>aaaa", limits: .init(bytes: 5)) } throws: {
            ($0 as? SternaError)?.kind == .limitExceeded
        }
        #expect { try HTMLParser.parse("<p>a<p>b<p>c", limits: .init(nodes: 5)) } throws: {
            ($0 as? SternaError)?.kind == .limitExceeded
        }
    }
}
