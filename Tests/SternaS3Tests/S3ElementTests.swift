import NIOCore
import Sterna
import Testing

@testable import SternaS3
@testable import SternaTestSupport

@Suite("S3: the reader of documents")
struct S3ElementTests {
    @Test(
        "The text of an element is read in all notations",
        arguments: [
            ("<a><b>x</b></a>", "x"), ("\u{FEFF}<?xml version=\"1.0\"?>\n<a>\n <b>x</b> </a>\n<!-- end -->", "x"),
            ("<n:a xmlns:n='u' c=\"1>2\"><n:b d='\"'>x</n:b></n:a>", "x"),
            ("<a><b>&lt;&#65;&#x42;&amp;&quot;</b></a>", "<AB&\""),
            ("<a><b>x<!-- <c> -->y</b></a>", "xy"), ("<a><b><![CDATA[<&]]></b></a>", "<&"), ("<a><b/></a>", ""),
            ("<a ><b >é\u{1F426}</b ></a >", "é\u{1F426}"), ("<a><c>z</c><b>x</b><b>y</b></a>", "x"),
            ("<a><b>x\r\ny&#13;</b></a>", "x\ny\r"),
        ])
    func text(document: String, text: String) throws {
        let root = try S3Element(parsing: Bytes(string: document))
        #expect(root.localName == "a" && root["b"]?.text == text)
    }

    @Test(
        "Malformed documents, and those of other forms, are refused",
        arguments: [
            "", " ", "a", "<", "<a", "<a>", "</a>", "<a></b>", "<a/><b/>", "<a/>x", "x<a/>", "<a><b></a></b>", "<a b>",
            "<a b=c/>", "<a b='c/>", "<a b='<'/>", "<1/>", "<:/>", "<é/>", "<a>&b;</a>", "<a>&#0;</a>",
            "<a>&#xD800;</a>",
            "<a>&#+65;</a>", "<a>& </a>", "<a>\u{1}</a>", "<a><![CDATA[", "<![CDATA[]]>", "<a><!--</a>", "<a><?b?></a>",
            "<!DOCTYPE a><a/>", "<!DOCTYPE a [<!ENTITY e SYSTEM \"file:///etc/passwd\">]><a>&e;</a>",
            "<a>]]></a>", "<a><!-- -- --></a>", "<?xml version=\"1.0\" encoding=\"latin1\"?><a/>", "<a/><?b?>",
            "<?b?><a/>",
            "<?xml version=\"1.0\"", "<\(String(repeating: "a", count: 200))/>",
        ])
    func refused(document: String) {
        let error = #expect(throws: SternaError.self) { try S3Element(parsing: Bytes(string: document)) }
        expectEqual(error?.kind, .decodingFailed)
    }

    @Test("Depth, length and number of elements have limits, and UTF-8 is checked")
    func limits() throws {
        let limits = S3Element.Limits(depth: 3, bytes: 40, elements: 5)
        _ = try S3Element(parsing: Bytes(string: "<a><b><c/></b><d/><e/></a>"), limits: limits)
        for document in ["<a><b><c><d/></c></b></a>", "<a><b/><b/><b/><b/><b/></a>", String(repeating: " ", count: 41)]
        {
            let error = #expect(throws: SternaError.self) {
                try S3Element(parsing: Bytes(string: document), limits: limits)
            }
            expectEqual(error?.kind, .limitExceeded, "\(document)")
        }
        #expect(throws: SternaError.self) {
            try S3Element(parsing: Bytes(bytes: Array("<a>".utf8) + [0xFF] + Array("</a>".utf8)))
        }
    }
}
