import Sterna
import SternaXML
import Testing

@testable import SternaTestSupport

@Suite("XML: trees")
struct TreeTests {
    static let feed = """
        <?xml version="1.0"?>
        <rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/">
          <channel>
            <title>Terns</title>
            <item id="1"><title>Sterna <b>paradisaea</b>!</title><dc:creator>A</dc:creator></item>
            <item id="2"><title><![CDATA[S. <hirundo>]]></title></item>
          </channel>
        </rss>
        """

    @Test("Getting at values")
    func access() throws {
        let rss = try XMLElement(parsing: Self.feed)
        let channel = try #require(rss["channel"])
        let items = channel.elements(named: "item")
        expectEqual(rss.name, "rss")
        expectEqual(rss.attribute("version"), "2.0")
        expectNil(rss.attribute("none"))
        expectEqual(channel["title"]?.text, "Terns")
        expectNil(channel["none"])
        expectEqual(channel.elements.map(\.name), ["title", "item", "item"])
        expectEqual(items.map { $0.attribute("id") }, ["1", "2"])
        expectEqual(items[0]["title"]?.text, "Sterna paradisaea!")
        expectEqual(items[1]["title"]?.text, "S. <hirundo>")
        expectEqual(items[0]["dc:creator"]?.prefix, "dc")
        expectEqual(items[0]["dc:creator"]?.localName, "creator")
        expectNil(items[0]["creator"])
        expectNil(channel.prefix)
        expectEqual(channel.localName, "channel")
        #expect(channel.elements(named: "none").isEmpty)
    }

    @Test("Text around CDATA sections, comments and instructions is one")
    func joining() throws {
        let tree = try XMLElement(parsing: "<a>u<![CDATA[v]]>w<!-- c -->x<?p?>y<b/>z<![CDATA[]]></a>")
        expectEqual(tree.children, ["uvwxy", .element(XMLElement("b")), "z"])
        try expectEqual(XMLElement(parsing: "<a><![CDATA[]]></a>").children, [])
    }

    @Test("Very many pieces of one text")
    func pieces() throws {
        let count = 50_000
        let tree = try XMLElement(
            parsing: "<a>" + String(repeating: "x<!----><![CDATA[y]]><![CDATA[z]]>", count: count) + "</a>")
        expectEqual(tree.children, [.text(String(repeating: "xyz", count: count))])
    }

    @Test("White space is kept")
    func whiteSpace() throws {
        try expectEqual(XMLElement(parsing: "<a>\n <b/> </a>\n").children, ["\n ", .element(XMLElement("b")), " "])
    }

    @Test("The order of attributes does not count for equality, all else does")
    func equality() throws {
        let one = try XMLElement(parsing: "<a b='1' c='2'>t</a>")
        let two = try XMLElement(parsing: "<a c='2' b='1'>t</a>")
        expectEqual(one, two)
        expectEqual(one.hashValue, two.hashValue)
        #expect(one.description != two.description)
        for other in ["<a b='1' c='3'>t</a>", "<a b='1'>t</a>", "<a b='1' d='2'>t</a>", "<a b='1' c='2'>u</a>", "<a/>"]
        {
            #expect(try one != XMLElement(parsing: other))
        }
    }

    @Test("Attributes are a list with names")
    func attributes() {
        var attributes: XMLAttributes = ["b": "1", "a": "2", "b": "3"]
        expectEqual(attributes.map(\.name), ["b", "a"])
        expectEqual(attributes["b"], "3")
        attributes["c"] = "4"
        attributes["b"] = nil
        attributes["none"] = nil
        expectEqual(attributes.map(\.value), ["2", "4"])
        expectEqual(attributes.dictionary, ["a": "2", "c": "4"])
        expectEqual(attributes[1].name, "c")
    }
}
