import NIOCore
import Sterna
import SternaXML
import Testing

@testable import SternaTestSupport

@Suite("XML: events")
struct EventTests {
    static let table: [(String, [XMLEvent])] = [
        ("<a/>", [.start("a", [:]), .end("a")]),
        ("<a></a>", [.start("a", [:]), .end("a")]),
        ("<?xml version='1.0' encoding='utf-8' standalone=\"yes\" ?>\n<a/>\n", [.start("a", [:]), .end("a")]),
        ("<?xml version='1.1'?><a/>", [.start("a", [:]), .end("a")]),
        ("\u{FEFF}<a/>", [.start("a", [:]), .end("a")]),
        (
            "<a> x <b>t</b>\n<c/></a>",
            [
                .start("a", [:]), .text(" x "), .start("b", [:]), .text("t"), .end("b"), .text("\n"), .start("c", [:]),
                .end("c"), .end("a"),
            ]
        ),
        (
            "<a>x&amp;y&lt;&#65;&#x1F426;&apos;&gt;&quot;&#13;z</a>",
            [.start("a", [:]), .text("x&y<A🐦'>\"\rz"), .end("a")]
        ),
        ("<a>l1\r\nl2\rl3\n\rl4</a>", [.start("a", [:]), .text("l1\nl2\nl3\n\nl4"), .end("a")]),
        ("<a><![CDATA[l1\r\nl2\r]]></a>", [.start("a", [:]), .cdata("l1\nl2\n"), .end("a")]),
        (
            "<a>x<![CDATA[<&>&amp;]]>y<![CDATA[]]>z</a>",
            [.start("a", [:]), .text("x"), .cdata("<&>&amp;"), .text("y"), .cdata(""), .text("z"), .end("a")]
        ),
        ("<a><![CDATA[a]]]]><![CDATA[>b]]></a>", [.start("a", [:]), .cdata("a]]>b"), .end("a")]),
        (
            "<!-- c --><?p d e?><a>t<!----><!--<b>&x;-->u<?q r?></a><!--e--><?z y?>\n",
            [
                .comment(" c "), .instruction(target: "p", data: "d e"), .start("a", [:]), .text("t"), .comment(""),
                .comment("<b>&x;"), .text("u"), .instruction(target: "q", data: "r"), .end("a"), .comment("e"),
                .instruction(target: "z", data: "y"),
            ]
        ),
        (
            "<p:a xmlns:p='urn:x' p:b='1'><b xmlns='urn:y' xml:lang='en'/></p:a>",
            [
                .start("p:a", ["xmlns:p": "urn:x", "p:b": "1"]), .start("b", ["xmlns": "urn:y", "xml:lang": "en"]),
                .end("b"), .end("p:a"),
            ]
        ),
        ("<é ü='ö'>ä</é>", [.start("é", ["ü": "ö"]), .text("ä"), .end("é")]),
        ("<a b='x\ny\tz  q&#10;&#9;r' c=''/>", [.start("a", ["b": "x y z  q\n\tr", "c": ""]), .end("a")]),
        ("<a b='it is \"so\"' c = \"it's > \"/>", [.start("a", ["b": "it is \"so\"", "c": "it's > "]), .end("a")]),
    ]

    @Test("The events of a document, from text and from bytes", arguments: table)
    func documents(text: String, expected: [XMLEvent]) throws {
        try expectEqual(events(text), expected)
        var fromBytes: [XMLEvent] = []
        try XMLEvents.parse(Bytes(text: text)) { fromBytes.append($0) }
        expectEqual(fromBytes, expected)
    }

    @Test("Attributes come in the order of the document")
    func order() throws {
        let names = ["z", "b", "y", "c", "xmlns:q", "q:a", "a", "x1", "x0", "_", "xmlns"]
        let tag = names.map { "\($0) = '\($0.hasPrefix("xmlns") ? "u:" : "\($0) = &lt;\"/>")'" }.joined(separator: "\n")
        let inner = "<!-- <a m='1' n='2'> --><![CDATA[<a k='1'>]]><?q <a l='1'>?>"
        let found = try events("<a \(tag)>\(inner)<a c='1' b='2' a='3'/></a>")
            .compactMap { if case .start(_, let attributes) = $0 { attributes.map(\.name) } else { nil } }
        expectEqual(found, [names, ["c", "b", "a"]])
    }

    /// Instructions without data end a process in Foundation on Linux when nothing is done about it.
    @Test(
        "Instructions without data",
        arguments: [
            "<a><?q?></a>", "<?q?><a/>", "<a/><?q?>", "<a><?q ?></a>", "<a><?q\n\t ?></a>", "<a b='?>'><?q?></a>",
            "<a><!--<?x?>--><?q?><![CDATA[<?x?>]]></a>",
        ])
    func emptyInstructions(text: String) throws {
        let found = try events(text)
        #expect(found.contains(.instruction(target: "q", data: "")))
        #expect(!text.contains("--") || found.contains(.comment("<?x?>")))
        #expect(!text.contains("CDATA") || found.contains(.cdata("<?x?>")))
    }
}
