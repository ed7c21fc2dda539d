import NIOCore
import Sterna
import SternaXML
import Testing

@testable import SternaTestSupport

@Suite("XML: encodings")
struct EncodingTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var bytes: [UInt8]
        var charset: String?
        var testDescription: String { name }
    }

    static let text = "<a>é€</a>"
    static let latin = Array("<a>".utf8) + [0xE9] + Array("</a>".utf8)

    static func declared(_ name: String, _ rest: [UInt8]) -> [UInt8] {
        Array("<?xml version=\"1.0\" encoding=\"\(name)\"?>".utf8) + rest
    }

    static let table: [Row] = [
        Row(name: "nothing said", bytes: Array(text.utf8)),
        Row(name: "declared as UTF-8", bytes: declared("UTF-8", Array(text.utf8))),
        Row(name: "by charset", bytes: Array(text.utf8), charset: "utf-8"),
        Row(name: "an empty charset", bytes: Array(text.utf8), charset: ""),
        Row(name: "charset before declaration", bytes: declared("ISO-8859-1", Array(text.utf8)), charset: "UTF-8"),
        Row(name: "mark before charset", bytes: [0xEF, 0xBB, 0xBF] + Array(text.utf8), charset: "iso-8859-1"),
        Row(name: "mark before declaration", bytes: [0xEF, 0xBB, 0xBF] + declared("ISO-8859-1", Array(text.utf8))),
        Row(name: "UTF-16LE with a mark", bytes: utf16(text, mark: true)),
        Row(name: "UTF-16BE with a mark", bytes: utf16(text, bigEndian: true, mark: true)),
        Row(name: "UTF-16 with a mark and charset", bytes: utf16(text, mark: true), charset: "utf-16"),
        Row(name: "UTF-16LE without a mark", bytes: utf16(text)),
        Row(name: "UTF-16BE without a mark", bytes: utf16(text, bigEndian: true)),
        Row(name: "UTF-16BE by charset", bytes: utf16(text, bigEndian: true), charset: "utf-16"),
        Row(name: "UTF-16LE with a declaration", bytes: utf16("<?xml version='1.0' encoding='utf-16'?>" + text)),
        Row(name: "UTF-32BE without a mark", bytes: utf32(text, bigEndian: true, mark: false)),
        Row(name: "UTF-32LE without a mark", bytes: utf32(text, mark: false), charset: "utf-32"),
        Row(name: "UTF-32LE with a mark", bytes: utf32(text)),
        Row(name: "UTF-32BE with a mark", bytes: utf32(text, bigEndian: true)),
    ]

    @Test("The same document in each", arguments: table)
    func decode(row: Row) throws {
        try expectEqual(XMLElement(parsing: Bytes(bytes: row.bytes), charset: row.charset).text, "é€")
    }

    @Test("Latin-1, by charset and by declaration")
    func latin1() throws {
        try expectEqual(XMLElement(parsing: Bytes(bytes: Self.latin), charset: "ISO-8859-1").text, "é")
        try expectEqual(XMLElement(parsing: Bytes(bytes: Self.declared("iso-8859-1", Self.latin))).text, "é")
        expectEqual(failure(Self.latin)?.detail.contains("line 1, column 4: the bytes are not valid UTF-8"), true)
    }

    @Test("Old character sets, by charset and by declaration")
    func old() throws {
        let japanese = Array("<a>".utf8) + [0x93, 0xFA, 0x96, 0x7B] + Array("</a>".utf8)
        try expectEqual(XMLElement(parsing: Bytes(bytes: japanese), charset: "shift_jis").text, "日本")
        try expectEqual(XMLElement(parsing: Bytes(bytes: Self.declared("Shift_JIS", japanese))).text, "日本")
        let broken = failure(Array("<a>".utf8) + [0x93], charset: "shift_jis")
        expectEqual(broken?.kind, .decodingFailed)
        expectEqual(broken?.detail.contains("byte 3"), true)
    }

    @Test("What a text declares means nothing, as it is decoded")
    func text() throws {
        try expectEqual(XMLElement(parsing: "<?xml version='1.0' encoding='UTF-16'?><a>é</a>").text, "é")
        try expectEqual(XMLElement(parsing: "<?xml version='1.0' encoding='IBM037'?><a>é</a>").text, "é")
    }

    @Test("Places are counted with the declaration")
    func places() throws {
        let text = "<?xml\n version='1.0'\n?>\n<a>\n é&x;</a>"
        for error in [failure(text), failure(utf16(text))] {
            expectEqual(error?.detail.contains("at line 5, column 3: "), true, "\(String(describing: error))")
        }
    }
}
