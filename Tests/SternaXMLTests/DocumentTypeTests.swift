import NIOCore
import Sterna
import SternaXML
import Testing

@testable import SternaTestSupport

@Suite("XML: documents whose DOCTYPE is allowed")
struct DocumentTypeTests {
    static let allowed = XMLLimits(allowsDocumentType: true)

    static let table: [(String, String)] = [
        ("<!DOCTYPE a><a>t</a>", "t"),
        ("<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a>t</a>", "t"),
        ("<!DOCTYPE plist PUBLIC \"-//x//y\" \"http://127.0.0.1:1/p.dtd\">\n<a>t</a>", "t"),
        ("<!DOCTYPE a [<!ENTITY e 'hello'>]><a>x&e;y</a>", "xhelloy"),
        ("<!DOCTYPE a [<!ENTITY e \"it's\"> <!ENTITY f 'a&e;b'>]><a>&f;&f;</a>", "ait'sbait'sb"),
        ("<!DOCTYPE a [<!ENTITY e 'first'><!ENTITY e 'second'>]><a>&e;</a>", "first"),
        ("<!DOCTYPE a [<!ENTITY e '&#60;b/>'>]><a>x</a>", "x"),
        ("<!DOCTYPE a [<!ENTITY e '&#38;lt;b>&#38;#233;&amp;\"]]>'>]><a>&e;</a>", "<b>é&\"]]>"),
        ("<!DOCTYPE a [<!ENTITY e 'é&#xE9;'>]><a>&e;</a>", "éé"),
        ("<!DOCTYPE a [<!ENTITY e ''>]><a>&e;</a>", ""),
        ("<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><a>not used</a>", "not used"),
        ("<!DOCTYPE a [<!ENTITY % p 'x'><!-- ] > ' --><?q?><?r ]>?>]><a>t</a>", "t"),
        ("<!DOCTYPE a [<!ELEMENT a (#PCDATA)><!ATTLIST a b CDATA #IMPLIED><!NOTATION n SYSTEM 'n'>] ><a>t</a>", "t"),
        ("<!DOCTYPE a [<!ENTITY e SYSTEM 'x' NDATA n><!ENTITY f PUBLIC 'y' 'z'>]><a>t</a>", "t"),
        ("<!DOCTYPE a [<!ENTITY e 'x'>]><a><![CDATA[&e;]]><!-- &e; --><?q &e;?></a>", "&e;"),
    ]

    @Test("Entities of plain text are replaced, the rest is passed over", arguments: table)
    func replaced(text: String, expected: String) throws {
        try expectEqual(XMLElement(parsing: text, limits: Self.allowed).text, expected)
        let wide = utf16("<?xml version='1.0'?>" + text, mark: true)
        try expectEqual(XMLElement(parsing: Bytes(bytes: wide), limits: Self.allowed).text, expected)
        expectEqual(failure(text)?.detail.contains("DOCTYPE"), true)
    }

    @Test("Entities in attributes")
    func attributes() throws {
        let text = "<!DOCTYPE a [<!ENTITY n 'urn:x'><!ENTITY q \"&#34;&#38;#39;'\n>\">]><a z='&q;' xmlns='&n;'/>"
        let tree = try XMLElement(parsing: text, limits: Self.allowed)
        expectEqual(tree.attribute("z"), "\"'' >")
        expectEqual(tree.attributes.map(\.name), ["z", "xmlns"])
        expectEqual(tree.attribute("xmlns"), "urn:x")
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var text: String
        var says: String
        var testDescription: String { String(text.prefix(80)) }
    }

    static let refused: [Row] = [
        Row(
            text: "<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><a>&e;</a>",
            says: "external entities are never loaded"),
        Row(text: "<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><a b='&e;'/>", says: "never loaded"),
        Row(text: "<!DOCTYPE a [<!ENTITY e PUBLIC 'x' 'http://127.0.0.1:1/'>]><a>&e;</a>", says: "never loaded"),
        Row(text: "<!DOCTYPE a [<!ENTITY % p SYSTEM 'file:///etc/passwd'> %p;]><a/>", says: "parameter entity"),
        Row(text: "<!DOCTYPE a [<!ENTITY % p '<?q?>'> %p;]><a/>", says: "parameter entity"),
        Row(text: "<!DOCTYPE a [<!ENTITY e '%p;'>]><a/>", says: "parameter entity"),
        Row(text: "<!DOCTYPE a SYSTEM 'x.dtd'><a>&nbsp;</a>", says: "“nbsp” is not defined"),
        Row(text: "<!DOCTYPE a [<!ENTITY e '<b/>'>]><a>&e;</a>", says: "holds markup"),
        Row(text: "<!DOCTYPE a [<!ENTITY e '<?q?>'>]><a>&e;</a>", says: "holds markup"),
        Row(text: "<!DOCTYPE a [<!ENTITY e '&#60;?q?>'>]><a>&e;</a>", says: "holds markup"),
        Row(text: "<!DOCTYPE a [<!ENTITY e '&e;'>]><a>&e;</a>", says: "reference to itself"),
        Row(text: "<!DOCTYPE a [<!ENTITY e '&f;'><!ENTITY f '&e;'>]><a>&e;</a>", says: "reference to itself"),
        Row(text: "<!DOCTYPE a [<!ENTITY e '&'>]><a>&e;</a>", says: "&amp;"),
        Row(text: "<!DOCTYPE a [<!ENTITY e '&#0;'>]><a>&e;</a>", says: "a character that XML does not allow"),
        Row(text: "<!DOCTYPE a [<!ENTITY e '&#xFFFFFFFFFF;'>]><a>&e;</a>", says: "a character that XML does not allow"),
        Row(text: "<!DOCTYPE a [<!ENTITY e '&#+65;'>]><a>&e;</a>", says: "a character that XML does not allow"),
        Row(text: "<!DOCTYPE a [<!ATTLIST a b CDATA 'x'>]><a/>", says: "default values"),
        Row(text: "<!DOCTYPE a [<!ATTLIST a b (x|y) \"x\">]><a/>", says: "default values"),
        Row(text: "<!DOCTYPE a><!DOCTYPE a><a/>", says: "stand once"),
        Row(text: "<a><!DOCTYPE a></a>", says: "stand once"),
        Row(text: "<!DOCTYPE><a/>", says: "names no element"),
        Row(text: "<!DOCTYPE a [<!ENTITY e 'x'>", says: "does not end"),
        Row(text: "<!DOCTYPE a [<!ENTITY e 'x]><a/>", says: "does not end"),
        Row(text: "<!DOCTYPE a [<!FOO>]><a/>", says: "unknown declaration"),
        Row(text: "<!DOCTYPE a [x]><a/>", says: "between the declarations"),
        Row(text: "<!DOCTYPE a [<!ENTITY 'x'>]><a/>", says: "without a name"),
        Row(text: "<!DOCTYPE a [<!ENTITY e x>]><a/>", says: "no value"),
        Row(text: "<!DOCTYPE a [<!-- ]><a/>", says: "does not end"),
        Row(text: "<!DOCTYPE a <b> ><a/>", says: "outside its brackets"),
    ]

    @Test("What would be lost or loaded is an error", arguments: refused)
    func lossy(row: Row) throws {
        let error = try #require(failure(row.text, limits: Self.allowed))
        expectEqual(error.kind, .decodingFailed)
        #expect(error.detail.contains("at line 1, column "))
        #expect(error.detail.contains(row.says), "\(error)")
    }

    static func laughs(_ levels: Int, times: Int, base: String = "lol") -> String {
        var text = "<!DOCTYPE a [<!ENTITY l0 '\(base)'>"
        for level in 1...levels {
            text += "<!ENTITY l\(level) '\(String(repeating: "&l\(level - 1);", count: times))'>"
        }
        return text + "]>"
    }

    static let bombs: [(String, String)] = [
        (laughs(9, times: 10) + "<a>&l9;</a>", "more than 1048576 bytes"),
        (laughs(9, times: 10) + "<a b='&l9;'/>", "more than 1048576 bytes"),
        (laughs(30, times: 2) + "<a>&l30;</a>", "more than 1048576 bytes"),
        (laughs(100, times: 1) + "<a>&l100;</a>", "more than 32 levels"),
        (laughs(20_000, times: 1) + "<a>&l20000;</a>", "more than 32 levels"),
        (
            laughs(1, times: 1, base: String(repeating: "x", count: 50_000)) + "<a>"
                + String(repeating: "&l1;", count: 20_000) + "</a>", "more than 1048576 bytes"
        ),
    ]

    @Test("Entities that grow are stopped before they have", arguments: bombs)
    func bomb(text: String, says: String) throws {
        let error = try #require(failure(text, limits: Self.allowed))
        expectEqual(error.kind, .limitExceeded)
        #expect(error.detail.contains(says), "\(error)")
    }

    @Test("The bound on entities is the one that was set")
    func bound() throws {
        let text = "<!DOCTYPE a [<!ENTITY e '12345'>]><a>&e;&e;</a>"
        expectNil(failure(text, limits: XMLLimits(entityBytes: 10, allowsDocumentType: true)))
        expectEqual(
            failure(text, limits: XMLLimits(entityBytes: 9, allowsDocumentType: true))?.kind, .limitExceeded)
        expectNil(failure(Self.laughs(31, times: 1) + "<a>&l31;</a>", limits: Self.allowed))
    }

    @Test("Places behind a DOCTYPE are those of the document")
    func places() throws {
        let error = failure("<!DOCTYPE a [\n<!ENTITY e 'x'>\n]>\n<a>\n  <b></c></a>", limits: Self.allowed)
        expectEqual(error?.detail.contains("at line 5, column 10"), true, "\(String(describing: error))")
    }
}
