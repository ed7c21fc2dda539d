import Sterna
import SternaXML
import Testing

@testable import SternaTestSupport

@Suite("XML: writing trees and reading them back")
struct RoundTripTests {
    static let table: [(XMLElement, String)] = [
        (XMLElement("a"), "<a/>"),
        (XMLElement("a", children: ["x<y>&\"'\r\n\tz]]>"]), "<a>x&lt;y&gt;&amp;\"'&#13;\n\tz]]&gt;</a>"),
        (
            XMLElement("a", attributes: ["c": "x<y>&\"'\r\n\tz", "b": ""]),
            "<a c=\"x&lt;y&gt;&amp;&quot;'&#13;&#10;&#9;z\" b=\"\"/>"
        ),
        (
            XMLElement(
                "p:a", attributes: ["xmlns:p": "u:x"],
                children: [.element(XMLElement("b")), " é🐦 ", .element(XMLElement("p:c", children: ["d"]))]),
            "<p:a xmlns:p=\"u:x\"><b/> é🐦 <p:c>d</p:c></p:a>"
        ),
    ]

    @Test("A tree as text", arguments: table)
    func written(tree: XMLElement, text: String) throws {
        expectEqual(tree.description, text)
        try expectEqual(XMLElement(parsing: text), tree)
    }

    @Test("Generated trees are read back equal")
    func generated() throws {
        var random = SeededRandom(seed: 42)
        for _ in 0..<300 {
            let tree = Self.element(5, &random)
            let read = try XMLElement(parsing: tree.description)
            expectEqual(read, tree)
            expectEqual(read.description, tree.description)
        }
    }

    @Test("What XML cannot hold is no way out of the text")
    func unwritable() throws {
        let tree = XMLElement("a><b c", attributes: ["d='1' e": "\u{0}"], children: ["\u{1}x\u{FFFF}"])
        expectEqual(tree.description, "<a__b_c d__1__e=\"\u{FFFD}\">\u{FFFD}x\u{FFFD}</a__b_c>")
        expectEqual(XMLElement("").description, "<_/>")
        expectNil(failure(tree.description))
    }

    private static func element(_ depth: Int, _ random: inout SeededRandom) -> XMLElement {
        var element = XMLElement(["a", "b-c", "é", "_x.1"].randomElement(using: &random) ?? "a")
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            element.attributes["k\(Int.random(in: 0...9, using: &random))"] = text(&random)
        }
        guard depth > 0 else { return element }
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            if case .text = element.children.last ?? .element(element) {
                element.children.append(.element(self.element(depth - 1, &random)))
            } else if Bool.random(using: &random) {
                element.children.append(.text("." + text(&random)))
            } else {
                element.children.append(.element(self.element(depth - 1, &random)))
            }
        }
        return element
    }

    private static func text(_ random: inout SeededRandom) -> String {
        let pieces = [
            "<", ">", "&", "\"", "'", "]]>", " ", "\n", "\r", "\t", "é", "🐦", "a", "&amp;", "<!--", "<?q?>", "%",
        ]
        return (0..<Int.random(in: 0...6, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
            .joined()
    }
}
