import Sterna
import SternaXML
import Testing

@testable import SternaTestSupport

@Suite("XML: limits")
struct LimitTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var text: String
        var enough: XMLLimits
        var short: XMLLimits
        var says: String
        var testDescription: String { says }
    }

    static let table: [Row] = [
        Row(text: "<a><b><c/></b><b/></a>", enough: .init(depth: 3), short: .init(depth: 2), says: "than 2 levels"),
        Row(text: "<a/>", enough: .init(depth: 1), short: .init(depth: 0), says: "than 0 levels"),
        Row(text: "<a/>", enough: .init(bytes: 4), short: .init(bytes: 3), says: "at most 3"),
        Row(text: "<a/>", enough: .init(bytes: 4), short: .init(bytes: -1), says: "at most -1"),
        Row(text: "<a><b/><b/></a>", enough: .init(elements: 3), short: .init(elements: 2), says: "than 2 elements"),
        Row(
            text: "<a b='=' c=\"=\" d = ''>===</a>", enough: .init(attributes: 3), short: .init(attributes: 2),
            says: "has 3 attributes"),
        Row(
            text: "<a xmlns='u:x'><b xmlns='u:y'/><c xmlns:d='u:z'/></a>", enough: .init(namespaces: 2),
            short: .init(namespaces: 1), says: "than 1 namespaces"),
        Row(
            text: "<a>" + String(repeating: "<b/>", count: 1_000) + "</a>", enough: .init(depth: 2),
            short: .init(elements: 1_000), says: "than 1000 elements"),
    ]

    @Test("At a limit a document is read, above it is refused by name", arguments: table)
    func limits(row: Row) throws {
        expectNil(failure(row.text, limits: row.enough))
        let error = try #require(failure(row.text, limits: row.short))
        expectEqual(error.kind, .limitExceeded)
        expectEqual(error.phase, .decode)
        #expect(error.detail.contains(row.says), "\(error)")
        #expect(error.detail.contains("Raise XMLLimits."), "\(error)")
        #expect(throws: SternaError.self) { try events(row.text, limits: row.short) }
    }

    @Test("No event comes after the one that was too many")
    func handlerStops() throws {
        var seen: [XMLEvent] = []
        #expect(throws: SternaError.self) {
            try XMLEvents.parse("<a><b/><c><d/></c><e/></a>", limits: XMLLimits(depth: 2)) { seen.append($0) }
        }
        expectEqual(seen, [.start("a", [:]), .start("b", [:]), .end("b"), .start("c", [:])])
    }

    @Test("The default limits")
    func defaults() throws {
        let limits = XMLLimits()
        expectEqual(limits.depth, 256)
        expectEqual(limits.bytes, 67_108_864)
        expectEqual(limits.attributes, 256)
        #expect(!limits.allowsDocumentType)
        let many = (0..<257).map { "a\($0)=''" }.joined(separator: " ")
        expectEqual(failure("<a \(many)/>")?.kind, .limitExceeded)
    }
}
