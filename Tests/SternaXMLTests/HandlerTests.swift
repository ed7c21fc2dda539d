import Sterna
import SternaXML
import Testing

@testable import SternaTestSupport

@Suite("XML: handlers of events")
struct HandlerTests {
    struct Enough: Error, Equatable { var at: Int }

    @Test("An error of the handler ends the reading and comes out as it is", arguments: 1...9)
    func throwing(count: Int) {
        var seen = 0
        let error = #expect(throws: Enough.self) {
            try XMLEvents.parse("<!--c--><a>t<b/><![CDATA[d]]>u<?p q?></a>") { _ in
                seen += 1
                if seen == count { throw Enough(at: count) }
            }
        }
        expectEqual(error, Enough(at: count))
        expectEqual(seen, count)
    }

    @Test("The handler's error stands before what the parser finds later")
    func first() {
        #expect(throws: Enough.self) {
            try XMLEvents.parse("<a><b></c></a>") { if case .start("b", _) = $0 { throw Enough(at: 0) } }
        }
    }

    @Test("A handler reads another document")
    func nested() throws {
        var seen: [String] = []
        try XMLEvents.parse("<a>x<b/>y</a>") { event in
            guard case .start(let name, _) = event else { return seen.append("\(event)") }
            let inner = try events("<i>\(name)<j/></i>")
            seen.append("\(name) \(inner.count)")
            #expect(failure("<i>") != nil)
        }
        expectEqual(seen, ["a 5", "text(\"x\")", "b 5", "end(\"b\")", "text(\"y\")", "end(\"a\")"])
    }

    @Test("What came before an error was passed on, and the error comes out")
    func late() {
        var seen: [XMLEvent] = []
        let error = #expect(throws: SternaError.self) { try XMLEvents.parse("<a>t</a><b/>") { seen.append($0) } }
        expectEqual(error?.kind, .decodingFailed)
        expectEqual(seen, [.start("a", [:]), .text("t"), .end("a")])
    }

    @Test("Documents are read on many threads at a time")
    func threads() async throws {
        try await withThrowingTaskGroup { group in
            for index in 0..<64 {
                group.addTask {
                    let text = "<r>" + String(repeating: "<i n='\(index)'>é\(index)</i>", count: 50) + "</r>"
                    for _ in 0..<20 {
                        let tree = try XMLElement(parsing: text)
                        expectEqual(tree.description, text.replacing("'", with: "\""))
                        #expect(failure(text + "x") != nil)
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
