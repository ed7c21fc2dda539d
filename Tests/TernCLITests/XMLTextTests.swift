import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// XML formatted and coloured.
@Suite("tern: XML", .timeLimit(.minutes(5)))
struct XMLTextTests {
    @Test(
        "Elements without text of their own are laid out; everything else stays as sent",
        arguments: [
            ("<a/>", "<a/>"), ("<a><b/><c>x</c></a>", "<a>\n  <b/>\n  <c>x</c>\n</a>"),
            ("<a>\n\n<b>  </b> <c></c></a>", "<a>\n  <b>  </b>\n  <c></c>\n</a>"),
            ("<p>some <b>bold <i/></b> text</p>", "<p>some <b>bold <i/></b> text</p>"),
            (
                "<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b \">\">]><!-- c --><a><!-- d --></a>",
                "<?xml version='1.0'?>\n<!DOCTYPE a [<!ENTITY b \">\">]>\n<!-- c -->\n<a>\n  <!-- d -->\n</a>"
            ),
            ("<a><b><![CDATA[<x>]]></b></a>", "<a>\n  <b><![CDATA[<x>]]></b>\n</a>"),
            ("<a x=\"1>2\" y='/'><b/></a>", "<a x=\"1>2\" y='/'>\n  <b/>\n</a>"),
            ("<a xml:space=\"preserve\"> <b/> </a>", "<a xml:space=\"preserve\"> <b/> </a>"),
            ("<a>&lt;\u{1B}[31m</a>", "<a>&lt;␛[31m</a>"), ("<a\r\n b='1'\r\n/>", "<a\n b='1'\n/>"),
        ])
    func formats(_ text: String, _ expected: String) {
        expectEqual(XMLText.render(text, indented: true, coloured: false), expected)
    }

    @Test("Short elements at a great depth do not fill the memory") func amplified() {
        let (depth, count) = (600, 150_000)
        let text =
            String(repeating: "<a>", count: depth) + String(repeating: "<b/>", count: count)
            + String(repeating: "</a>", count: depth)
        let length = XMLText.render(text, indented: true, coloured: false)?.utf8.count ?? 0
        #expect(length > Indentation.longest && length < Indentation.longest + (2 << 20), "\(length)")
    }

    @Test("Without layout the text stays the same") func plain() {
        let text = "<?xml version='1.0'?>\n<a x='1'>\n\t<b/> c</a>\n"
        expectEqual(XMLText.render(text, indented: false, coloured: false), text)
    }

    @Test("Names, attributes and values have colours") func coloured() {
        expectEqual(
            XMLText.render("<a b='c'/>", indented: true, coloured: true),
            "<\u{1B}[34ma\u{1B}[0m \u{1B}[36mb\u{1B}[0m=\u{1B}[32m'c'\u{1B}[0m/>")
    }

    @Test(
        "What is not well-formed is not formatted",
        arguments: [
            "", "x", "<a>", "<a></b>", "</a>", "<a", "<a b='>", "<!-- a", "<a/>x", "<a><b></a></b>", "<", "<>",
            "<a <b/>",
        ])
    func refuses(_ text: String) {
        expectNil(XMLText.render(text, indented: true, coloured: true))
    }

    @Test("Any bytes are read to their end") func noise() {
        let parts = [
            "<a>", "</a>", "<", ">", "/", "\"", "'", "<!--", "-->", "<![CDATA[", "]]>", "<?", "?>", "<!", "[", "]", "x",
            " ",
        ]
        var random = SeededRandom(seed: 7)
        for _ in 0..<5_000 {
            let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                parts[Int.random(in: 0..<parts.count, using: &random)]
            }.joined()
            _ = XMLText.render(text, indented: true, coloured: true)
        }
    }

    @Test("The declaration names the character set")
    func charset() {
        expectEqual(XMLText.charset(Bytes(text: "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a/>")), "iso-8859-1")
        expectEqual(XMLText.charset(Bytes(text: "<?xml encoding = 'Big5' ?>")), "big5")
        for text in [
            "<a encoding='big5'/>", "<?xml version='1.0'?>", "<?xml encoding=big5?>", "<?xml encoding='utf-16'?>",
        ] {
            expectNil(XMLText.charset(Bytes(text: text)))
        }
    }

    @Test("The program formats XML on a terminal and with --pretty, and nothing in a pipe") func program() async throws
    {
        try await TestServer.withServer { server in
            let bytes =
                Array("<?xml version='1.0' encoding='iso-8859-1'?><a><b>K".utf8) + [0xFC] + Array("ste</b></a>".utf8)
            server.route("GET", "/feed") { _ in
                ServerResponse(headers: ["Content-Type": "application/atom+xml"], body: .bytes(bytes))
            }
            let expected = "<?xml version='1.0' encoding='iso-8859-1'?>\n<a>\n  <b>Küste</b>\n</a>\n"
            try await expectEqual(TernProcess.run("--pretty", "format", server.url("/feed")).text, expected)
            let shown = try await TernProcess.run("--no-color", "--body", server.url("/feed"), onTerminal: true)
            expectEqual(shown.text.replacing("\r\n", with: "\n"), expected)
            try await expectEqual(TernProcess.run(server.url("/feed")).output, bytes)
        }
    }
}
