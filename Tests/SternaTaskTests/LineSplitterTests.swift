import NIOCore
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Tasks: lines")
struct LineSplitterTests {
    private func lines(of text: String, pieces: [Int], limit: Int = 100) throws -> [String] {
        var splitter = LineSplitter(limit: limit)
        var rest = Array(text.utf8)[...]
        var lines: [String] = []
        for size in pieces + [rest.count] {
            splitter.add(Bytes(bytes: rest.prefix(size)))
            rest = rest.dropFirst(size)
            while let line = try splitter.next() { lines.append(String(buffer: line)) }
        }
        if let line = try splitter.last() { lines.append(String(buffer: line)) }
        return lines
    }

    @Test(
        "Ends are LF or CRLF, and the last line needs none",
        arguments: [
            ("", []), ("a", ["a"]), ("a\n", ["a"]), ("a\r\nb", ["a", "b"]), ("\n\n", ["", ""]), ("a\rb\n", ["a\rb"]),
            ("\r\n", [""]), ("ä\nö", ["ä", "ö"]),
        ])
    func ends(text: String, expected: [String]) throws {
        try expectEqual(lines(of: text, pieces: []), expected)
        // Cut at every byte.
        try expectEqual(lines(of: text, pieces: Array(repeating: 1, count: text.utf8.count)), expected)
    }

    @Test("The lines do not depend on how the bytes are split")
    func random() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            let text = String((0..<60).map { _ in "ab\r\n\n".randomElement(using: &generator) ?? "a" })
            let whole = try lines(of: text, pieces: [])
            let pieces = (0..<20).map { _ in Int.random(in: 0...7, using: &generator) }
            try expectEqual(lines(of: text, pieces: pieces), whole, "\(text.debugDescription) \(pieces)")
        }
    }

    @Test("A line above the limit is an error, before its end arrives")
    func limit() throws {
        try expectEqual(lines(of: "12345\n", pieces: [], limit: 5), ["12345"])
        for text in ["123456", "123456\n", "1\n123456\n", "123456\r", "12345\r", "12345\r6\n"] {
            let error = #expect(throws: SternaError.self) { try lines(of: text, pieces: [3], limit: 5) }
            expectEqual(error?.kind, .limitExceeded)
        }
    }

    @Test("The end of a line does not count toward the limit, even if it is split", arguments: [[], [5], [6], [5, 1]])
    func limitWithoutEnd(pieces: [Int]) throws {
        try expectEqual(lines(of: "12345\r\n12345\n", pieces: pieces, limit: 5), ["12345", "12345"])
    }
}
