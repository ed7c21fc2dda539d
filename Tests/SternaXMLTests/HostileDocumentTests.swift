import Sterna
import SternaXML
import Testing

@testable import SternaTestSupport

@Suite("XML: hostile documents")
struct HostileDocumentTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var bytes: [UInt8]
        var charset: String?
        var says: String
        var testDescription: String { name }

        init(_ name: String, _ bytes: [UInt8], charset: String? = nil, says: String = "DOCTYPE") {
            self.name = name
            self.bytes = bytes
            self.charset = charset
            self.says = says
        }

        init(_ name: String, _ text: String, charset: String? = nil, says: String = "DOCTYPE") {
            self.init(name, Array(text.utf8), charset: charset, says: says)
        }
    }

    static let evil = "<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><a>&e;</a>"

    static let documentTypes: [Row] = [
        Row("plain", evil),
        Row("without a subset", "<!DOCTYPE a><a/>"),
        Row("external", "<!DOCTYPE a SYSTEM 'http://127.0.0.1:1/x.dtd'><a/>"),
        Row("behind a declaration", "<?xml version='1.0'?>\n\(evil)"),
        Row("behind comments and instructions", "<!-- <a> --><?p <a>?>\n <!-- > --><?q?> \(evil)"),
        Row("behind text", "x\(evil)"),
        Row("within the root", "<a>\(evil)</a>"),
        Row("behind the root", "<a/>\(evil)"),
        Row("UTF-8 with a mark", [0xEF, 0xBB, 0xBF] + Array(evil.utf8)),
        Row("UTF-8 with a mark, said to be Latin-1", [0xEF, 0xBB, 0xBF] + Array(evil.utf8), charset: "iso-8859-1"),
        Row("UTF-16LE with a mark", utf16(evil, mark: true)),
        Row("UTF-16BE with a mark", utf16(evil, bigEndian: true, mark: true)),
        Row("UTF-16LE without a mark", utf16(evil)),
        Row("UTF-16BE without a mark", utf16(evil, bigEndian: true)),
        Row("UTF-16LE by charset", utf16(evil), charset: "utf-16le"),
        Row("UTF-16BE by charset", utf16(evil, bigEndian: true), charset: "UTF-16BE"),
        Row("UTF-16LE by open charset", utf16(evil), charset: "utf-16"),
        Row("UTF-16LE with a mark, said to be UTF-8", utf16(evil, mark: true), charset: "utf-8"),
        Row("UTF-16LE with a declaration", utf16("<?xml version='1.0' encoding='UTF-16'?>" + evil)),
        Row("UTF-16LE declared as UTF-8", utf16("<?xml version='1.0' encoding='UTF-8'?>" + evil)),
        Row("UTF-32LE with a mark", utf32(evil)),
        Row("UTF-32BE with a mark", utf32(evil, bigEndian: true)),
        Row("declared as Latin-1", "<?xml version='1.0' encoding='ISO-8859-1'?>" + evil),
        Row("declared as ASCII", "<?xml version='1.0' encoding='us-ascii'?>" + evil),
    ]

    @Test("A DOCTYPE is refused wherever it stands, in every encoding", arguments: documentTypes)
    func refuse(row: Row) throws {
        let error = try #require(failure(row.bytes, charset: row.charset))
        expectEqual(error.kind, .decodingFailed)
        #expect(error.detail.contains("a DOCTYPE, which is refused"), "\(error)")
        #expect(error.detail.contains("XMLLimits.allowsDocumentType"))
    }

    static let others: [Row] = [
        Row("lower case", "<!doctype a><a/>", says: "does not begin a comment"),
        Row("declared as UTF-7", "<?xml version='1.0' encoding='UTF-7'?>+ADwAIQ-DOCTYPE a+AD4-<a/>", says: "“UTF-7”"),
        Row("UTF-7 by charset", "+ADw-a/+AD4-", charset: "utf-7", says: "“utf-7”"),
        Row("declared as IBM037", "<?xml version='1.0' encoding='IBM037'?><a/>", says: "“IBM037”"),
        Row("EBCDIC", [0x4C, 0x6F, 0xA7, 0x94, 0x93, 0x40], says: "EBCDIC"),
        Row("declared as UTF-16, in ASCII", "<?xml version='1.0' encoding='UTF-16'?><a/>", says: "not valid in it"),
        Row("declared as UCS-4, in ASCII", "<?xml version='1.0' encoding='UCS-4'?><a/>", says: "“UCS-4”"),
        Row("UTF-32LE without a mark", utf32("<!DOCTYPE a>", mark: false), says: "DOCTYPE"),
        Row("UTF-32BE without a mark", utf32("<!DOCTYPE a>", bigEndian: true, mark: false), says: "DOCTYPE"),
        Row("UTF-16LE said to be UTF-8", utf16("<a/>"), charset: "utf-8", says: "NUL"),
        Row("a NUL at the start, as UTF-16BE has it", "\u{0}<a/>", says: "utf-16be"),
        Row("half a unit", utf16("<a/>") + [0x20], says: "utf-16le"),
        Row("half a pair", utf16("<a>") + [0x3D, 0xD8] + utf16("</a>"), says: "utf-16le"),
        Row("beyond ASCII", "<a>é</a>", charset: "us-ascii", says: "us-ascii"),
        Row("a NUL by reference", "<a>&#0;</a>", says: "does not allow"),
        Row("a NUL by hexadecimal reference", "<a b='&#x0000;'/>", says: "does not allow"),
        Row("overlong “<”", Array("<a>".utf8) + [0xC0, 0xBC] + Array("</a>".utf8), says: "UTF-8"),
        Row("CDATA that ends early", "<a><![CDATA[x]]><b>]]></a>", says: "]]"),
        Row("CDATA in CDATA", "<a><![CDATA[<![CDATA[x]]>]]></a>", says: "]]"),
        Row("CDATA in an attribute", "<a b='<![CDATA[x]]>'/>", says: "attribute's value"),
        Row("CDATA in a tag", "<a <![CDATA[x]]>/>", says: "within a tag"),
        Row("two marks", [0xEF, 0xBB, 0xBF, 0xEF, 0xBB, 0xBF] + Array("<a/>".utf8), says: "second byte order mark"),
        Row("two marks of UTF-16", utf16("\u{FEFF}<a/>", mark: true), says: "second byte order mark"),
        Row("an empty name of a set", "<?xml version='1.0' encoding=''?><a/>", says: "invalid encoding"),
        Row("CDATA as the root", "<![CDATA[<a/>]]>", says: "outside the root"),
        Row("an external entity without a DOCTYPE", "<a>&e;</a>", says: "“e” is not defined"),
    ]

    @Test("Other tricks are errors", arguments: others)
    func trick(row: Row) throws {
        let error = try #require(failure(row.bytes, charset: row.charset))
        expectEqual(error.kind, .decodingFailed)
        expectEqual(error.phase, .decode)
        #expect(error.detail.contains(row.says), "\(error)")
    }

    @Test("What only looks like a DOCTYPE is none")
    func lookalikes() throws {
        let text = "<!-- <!DOCTYPE a> --><?p <!DOCTYPE a>?><a><![CDATA[<!DOCTYPE a>]]>&lt;!DOCTYPE a></a>"
        try expectEqual(XMLElement(parsing: text).text, "<!DOCTYPE a><!DOCTYPE a>")
    }

    /// The parser reads through null pointers and goes on after errors, so what it gets must never make it do so.
    @Test("Documents with random damage are read back equal, or are errors")
    func damage() throws {
        let pieces = [
            "<", ">", "<?", "?>", "<?q?>", "&", ";", "&#60;?q?>", "'", "\"", "<!--", "-->", "<![CDATA[", "]]>", "/",
            "=",
            "<a>", "</a>", "<!DOCTYPE a [<!ENTITY e '<?q?>'>]>", "&e;", "xmlns:p='u:x'", "p:", "\u{0}", "é", " ", "[",
            "]",
            "<!ENTITY f \"&e;\">", "<?xml version='1.0'?>", "%", "\u{FFFE}",
        ]
        let base = "<?p q?><a b='1' c=\"2\">t<b/>&amp;<!-- c --><![CDATA[d]]><?r?><c xmlns='u:y'>&#65;</c></a>"
        var random = SeededRandom(seed: 7)
        var read = 0
        for round in 0..<3_000 {
            var text = Array(base)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let at = Int.random(in: 0...text.count, using: &random)
                let end = min(text.count, at + Int.random(in: 0...4, using: &random))
                text.replaceSubrange(at..<end, with: Array(pieces.randomElement(using: &random) ?? ""))
            }
            let limits = XMLLimits(allowsDocumentType: round % 2 == 0)
            guard let tree = try? XMLElement(parsing: String(text), limits: limits) else { continue }
            read += 1
            try expectEqual(XMLElement(parsing: tree.description), tree, "\(String(text))")
        }
        #expect((50..<2_950).contains(read))
    }
}
