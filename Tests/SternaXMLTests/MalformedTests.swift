import Sterna
import SternaXML
import Testing

@testable import SternaTestSupport

@Suite("XML: documents that are not well-formed")
struct MalformedTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var text: String
        var place: (line: Int, column: Int)
        var says: String
        var testDescription: String { FieldSyntax.printable(text) }

        init(_ text: String, _ line: Int, _ column: Int, _ says: String) {
            self.text = text
            place = (line, column)
            self.says = says
        }
    }

    /// The place is that of the fault where it is seen before the parser, else where the parser stood.
    static let table: [Row] = [
        Row("", 1, 1, "empty"),
        Row("\u{FEFF}", 1, 1, "empty"),
        Row("  \n ", 2, 2, "is not closed"),
        Row("x", 1, 1, "other than an element"),
        Row("x<a/>", 1, 1, "other than an element"),
        Row("\u{FEFF}\u{FEFF}<a/>", 1, 1, "second byte order mark"),
        Row("<", 1, 1, "does not end"),
        Row("<a", 1, 1, "does not end"),
        Row("<a>", 1, 4, "within “<a>”"),
        Row("<a>\n<b>", 2, 4, "within “<b>”"),
        Row("<a><b></b>", 1, 11, "within “<a>”"),
        Row("<a>\n <b c='1'", 2, 2, "does not end"),
        Row("<a>text", 1, 8, "within “<a>”"),
        Row("<a/><b/>", 1, 5, "follows the root"),
        Row("<a/>junk", 1, 5, "follows the root"),
        Row("<a/>&amp;", 1, 5, "follows the root"),
        Row("<a/>]]>", 1, 5, "follows the root"),
        Row("<a/><![CDATA[x]]>", 1, 5, "follows the root"),
        Row("<![CDATA[x]]><a/>", 1, 1, "outside the root"),
        Row("</a>", 1, 2, "a name is missing"),
        Row("<a></b>", 1, 8, "another name"),
        Row("<a></a ></a>", 1, 9, "follows the root"),
        Row("<a><b></a></b>", 1, 11, "another name"),
        Row("<a b='1' b='2'/>", 1, 15, "is repeated"),
        Row("<a b/>", 1, 5, "no value"),
        Row("<a b=1/>", 1, 6, "quotation marks"),
        Row("<a b='1'c='2'/>", 1, 9, "white space is missing"),
        Row("<a b='<'/>", 1, 7, "attribute's value"),
        Row("<a b='<?q?>'/>", 1, 7, "attribute's value"),
        Row("<a <?q?>/>", 1, 4, "within a tag"),
        Row("<a b='1/>", 1, 1, "does not end"),
        Row("<a>x & y</a>", 1, 6, "&amp;"),
        Row("<a>x &y</a>", 1, 6, "&amp;"),
        Row("<a>\nx&nope;y</a>", 2, 2, "“nope” is not defined"),
        Row("<a b='&nope;'/>", 1, 7, "“nope” is not defined"),
        Row("<a>&nbsp;</a>", 1, 4, "“nbsp” is not defined"),
        Row("<a>&#;</a>", 1, 4, "does not allow"),
        Row("<a>&#x;</a>", 1, 4, "does not allow"),
        Row("<a>&#0;</a>", 1, 4, "does not allow"),
        Row("<a>&#xD800;</a>", 1, 4, "does not allow"),
        Row("<a>&#x110000;</a>", 1, 4, "does not allow"),
        Row("<a>&#99999999999999999999;</a>", 1, 4, "does not allow"),
        Row("<a b='&#0;'/>", 1, 7, "does not allow"),
        Row("<a>&#xg;&#g;</a>", 1, 4, "does not allow"),
        Row("<a>\n&#1</a>", 2, 1, "&amp;"),
        Row("<a>\u{1}</a>", 1, 4, "does not allow"),
        Row("<a>\u{FFFE}</a>", 1, 4, "does not allow"),
        Row("<a>\nx\u{0}y</a>", 2, 2, "NUL"),
        Row("<a/>\u{0}", 1, 5, "NUL"),
        Row("<a>x]]>y</a>", 1, 5, "]]"),
        Row("<a><![CDATA[x]]</a>", 1, 4, "CDATA section that begins here"),
        Row("<a><![cdata[x]]></a>", 1, 4, "does not begin"),
        Row("<a><!-- x -></a>", 1, 4, "comment that begins here"),
        Row("<a><!-- x -- y --></a>", 1, 11, "two hyphens"),
        Row("<a><? x ?></a>", 1, 6, "no target"),
        Row("<a><??></a>", 1, 4, "without a target"),
        Row("<a><?x</a>", 1, 4, "instruction that begins here"),
        Row("<a><?xml version='1.0'?></a>", 1, 9, "reserved"),
        Row(" <?xml version='1.0'?><a/>", 1, 7, "reserved"),
        Row("<?xml?><a/>", 1, 1, "version"),
        Row("<?xml version='2.0'?><a/>", 1, 1, "version"),
        Row("<?xml version='1.0' foo='x'?><a/>", 1, 1, "more than"),
        Row("<?xml version='1.0' encoding='<!'?><a/>", 1, 1, "invalid encoding"),
        Row("<?xml version='1.0' standalone='maybe'?><a/>", 1, 1, "yes"),
        Row("<?xml version=1.0?><a/>", 1, 1, "quotation marks"),
        Row("<?xml version='1.0'><a/>", 1, 1, "has no end"),
        Row("<1a/>", 1, 2, "a name is missing"),
        Row("<a><!></a>", 1, 4, "does not begin"),
        Row("<p:a/>", 1, 5, "not declared"),
        Row("<a p:b='1'/>", 1, 11, "not declared"),
        Row("<a xmlns:p='u:x' xmlns:q='u:x' p:b='1' q:b='2'/>", 1, 47, "same name"),
    ]

    @Test("Each is an error that says what is wrong and where", arguments: table)
    func refused(row: Row) throws {
        let error = try #require(failure(row.text))
        expectEqual(error.kind, .decodingFailed)
        expectEqual(error.phase, .decode)
        #expect(error.detail.contains(row.says), "\(error)")
        #expect(error.detail.contains("at line \(row.place.line), column \(row.place.column)"), "\(error)")
        #expect(throws: SternaError.self) { try events(row.text) }
    }

    @Test("Every document that is cut off is an error")
    func truncated() throws {
        let text = "<?xml version='1.0'?><!--c--><a b='1'>t&amp;é<c><![CDATA[d]]></c><?p q?><!-- e --><f g=\"h\"/></a>"
        let bytes = Array(text.utf8)
        expectNil(failure(bytes))
        for count in 0..<bytes.count {
            expectEqual(failure(Array(bytes.prefix(count)))?.kind, .decodingFailed, "\(count) bytes")
        }
    }

    static let utf8: [([UInt8], Int)] = [
        ([0xFF], 1), ([0xC0, 0xBC], 1), ([0xE2, 0x82], 1), ([0xED, 0xA0, 0x80], 1), ([0xF4, 0x90, 0x80, 0x80], 1),
        ([0xE0, 0x80, 0xBC], 1), ([0x80], 1),
    ]

    @Test("Bytes that are not UTF-8, overlong forms and surrogates among them", arguments: utf8)
    func invalidUTF8(bytes: [UInt8], column: Int) throws {
        let error = try #require(failure(Array("<a>\n<b>é".utf8) + bytes + Array("</b></a>".utf8)))
        expectEqual(error.kind, .decodingFailed)
        #expect(error.detail.contains("at line 2, column 5: the bytes are not valid UTF-8"), "\(error)")
        expectEqual(failure(Array("<a>é".utf8) + bytes)?.detail.contains("line 1, column 5"), true)
    }
}
