import NIOCore
import SternaCore
import Testing

@testable import SternaSerialization
@testable import SternaTestSupport

@Suite("Text: lines")
struct LineSplitterTests {
    private func lines(
        of text: String, pieces: [Int], limit: Int = 100, ends: LineSplitter.Ends = .lineFeeds
    ) throws -> [String] {
        var splitter = LineSplitter(limit: limit, ends: ends)
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

    @Test(
        "Ends are LF, CRLF or CR if asked",
        arguments: [
            ("", []), ("a", ["a"]), ("a\r", ["a"]), ("a\r\nb", ["a", "b"]), ("\r\n\r\r\n\n", ["", "", "", ""]),
            ("a\rb\n", ["a", "b"]),
            ("a\n\rb", ["a", "", "b"]), ("\r", [""]),
        ])
    func allEnds(text: String, expected: [String]) throws {
        try expectEqual(lines(of: text, pieces: [], ends: .all), expected)
        try expectEqual(lines(of: text, pieces: Array(repeating: 1, count: text.utf8.count), ends: .all), expected)
    }

    @Test("A line that a CR ends is complete before the next byte arrives")
    func carriageReturn() throws {
        var splitter = LineSplitter(limit: 5, ends: .all)
        splitter.add(Bytes(string: "12345\r"))
        try expectEqual(splitter.next().map { String(buffer: $0) }, "12345")
        splitter.add(Bytes(string: "\n"))
        try expectNil(splitter.next())
        splitter.add(Bytes(string: "\n"))
        try expectEqual(splitter.next().map { String(buffer: $0) }, "")
    }

    @Test("The lines do not depend on how the bytes are split", arguments: [LineSplitter.Ends.lineFeeds, .all])
    func random(ends: LineSplitter.Ends) throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            let text = String((0..<60).map { _ in "ab\r\n\n".randomElement(using: &generator) ?? "a" })
            let whole = try lines(of: text, pieces: [], ends: ends)
            let pieces = (0..<20).map { _ in Int.random(in: 0...7, using: &generator) }
            try expectEqual(lines(of: text, pieces: pieces, ends: ends), whole, "\(text.debugDescription) \(pieces)")
        }
    }

    @Test("A line above the limit is an error, before its end arrives")
    func limit() throws {
        for ends in [LineSplitter.Ends.lineFeeds, .all] {
            try expectEqual(lines(of: "12345\n", pieces: [], limit: 5, ends: ends), ["12345"])
            for text in ["123456", "123456\n", "1\n123456\n", "123456\r"] {
                let error = #expect(throws: SternaError.self) { try lines(of: text, pieces: [3], limit: 5, ends: ends) }
                expectEqual(error?.kind, .limitExceeded)
            }
        }
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
