import Sterna
import SternaXML
import Testing

@testable import SternaTestSupport

/// Foundation's parser reads in pieces, and delivers long text in pieces.
@Suite("XML: large documents")
struct LargeDocumentTests {
    static let kinds = ["text", "cdata", "comment", "instruction", "attribute"]

    @Test("Long pieces come as one", arguments: kinds)
    func long(kind: String) throws {
        // Of 1, 2, 3 and 4 bytes, so that the pieces end within characters.
        let long = String(repeating: "a🐦é€ ", count: 60_000) + "z"
        let (text, expected): (String, XMLEvent) =
            switch kind {
            case "text": ("<a>\(long)</a>", .text(long))
            case "cdata": ("<a><![CDATA[\(long)]]></a>", .cdata(long))
            case "comment": ("<a><!--\(long)--></a>", .comment(long))
            case "instruction": ("<a><?p \(long)?></a>", .instruction(target: "p", data: long))
            default: ("<a><b c='\(long)'/></a>", .start("b", ["c": long]))
            }
        for shift in 0..<4 {
            let found = try events(String(repeating: " ", count: shift) + text)
            expectEqual(found.count, (kind == "attribute" ? 4 : 3))
            expectEqual(found.dropFirst().first, expected)
        }
    }

    @Test("Text of many references is one event")
    func references() throws {
        let found = try events("<a>" + String(repeating: "x&amp;é&#10;", count: 20_000) + "</a>")
        expectEqual(found.dropFirst().first, .text(String(repeating: "x&é\n", count: 20_000)))
        expectEqual(found.count, 3)
    }

    @Test("Markup longer than 8 MiB is refused by name", arguments: kinds)
    func tooLong(kind: String) throws {
        let long = String(repeating: "a", count: (8 << 20) + 1)
        switch kind {
        case "text": try expectEqual(events("<a>\(long)</a>").count, 3)
        case "cdata": check("<a><![CDATA[\(long)]]></a>")
        case "comment": check("<a><!--\(long)--></a>")
        case "instruction": check("<a><?p \(long)?></a>")
        default: check("<a><b c='\(long)'/></a>")
        }
    }

    private func check(_ text: String) {
        let error = failure(text)
        expectEqual(error?.kind, .limitExceeded)
        expectEqual(error?.detail.contains("line 1, column 4: a single tag, comment, CDATA section"), true)
    }

    @Test("A document of more than 10,000,000 bytes is read to its end")
    func large() throws {
        let row = "<b>" + String(repeating: "é", count: 1_000) + "</b>\n"
        var starts = 0
        var length = 0
        try XMLEvents.parse("<a>" + String(repeating: row, count: 6_000) + "</a>") { event in
            if case .start = event { starts += 1 }
            if case .text(let text) = event { length += text.utf8.count }
        }
        expectEqual(starts, 6_001)
        expectEqual(length, 6_000 * 2_001)
    }
}
