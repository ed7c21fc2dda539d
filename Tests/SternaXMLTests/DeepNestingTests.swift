import Sterna
import SternaXML
import Testing

@testable import SternaTestSupport

/// Each runs on a thread of the concurrency pool, whose stack is small.
@Suite("XML: deep nesting")
struct DeepNestingTests {
    static func nested(_ levels: Int, closed: Bool = true) -> String {
        String(repeating: "<a>", count: levels) + (closed ? String(repeating: "</a>", count: levels) : "")
    }

    @Test("Above the limit is an error", arguments: [257, 10_000, 1_000_000], [false, true])
    func refused(levels: Int, closed: Bool) async throws {
        let error = await Task.detached { failure(Self.nested(levels, closed: closed)) }.value
        expectEqual(error?.kind, .limitExceeded)
        expectEqual(
            error?.detail.contains("line 1, column 771, within “<a>”: elements are nested deeper than 256 levels"), true
        )
    }

    @Test("A tree is bounded even where the limit is not")
    func bounded() async throws {
        let error = await Task.detached { failure(Self.nested(10_000), limits: XMLLimits(depth: .max)) }.value
        expectEqual(error?.kind, .limitExceeded)
        expectEqual(error?.detail.contains("deeper than \(XMLElement.maximumDepth) levels"), true)
    }

    @Test("The deepest tree is read, compared, hashed, written and released")
    func deepest() async throws {
        try await Task.detached {
            let text = Self.nested(XMLElement.maximumDepth - 1).replacing("<a></a>", with: "<a><a>t</a></a>")
            let limits = XMLLimits(depth: XMLElement.maximumDepth)
            let one = try XMLElement(parsing: text, limits: limits)
            let two = try XMLElement(parsing: text, limits: limits)
            expectEqual(one, two)
            expectEqual(one.hashValue, two.hashValue)
            expectEqual(one.description, text)
            expectEqual(one.text, "t")
        }.value
    }

    @Test("Events have no bound but the one that is set")
    func events() async throws {
        let count = try await Task.detached {
            var count = 0
            try XMLEvents.parse(Self.nested(10_000), limits: XMLLimits(depth: 10_000)) { _ in count += 1 }
            return count
        }.value
        expectEqual(count, 20_000)
    }
}
