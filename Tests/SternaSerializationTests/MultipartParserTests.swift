import HTTPTypes
import NIOCore
import SternaCore
import SternaSerialization
import Testing

@testable import SternaTestSupport

/// The rules of RFC 2046, section 5.1.1, a row each, and what senders make of them.
@Suite("Bodies of several parts: parser", .timeLimit(.minutes(5)))
struct MultipartParserTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let rule: String
        let body: String
        var boundary = "b"
        var usesContentLength = false
        let parts: [([String], String)]
        var isEnded = true
        /// The error, after the parts.
        var error: SternaError.Kind?

        var testDescription: String { rule }

        init(
            _ rule: String, _ body: String, _ parts: [([String], String)], boundary: String = "b",
            usesContentLength: Bool = false
        ) {
            (self.rule, self.body, self.parts) = (rule, body, parts)
            (self.boundary, self.usesContentLength) = (boundary, usesContentLength)
        }

        /// A body with an error, behind complete parts.
        init(_ rule: String, _ body: String, error: SternaError.Kind) {
            (self.rule, self.body, parts, isEnded, self.error) = (rule, body, [], false, error)
        }
    }

    static let delimiters: [Row] = [
        Row(
            "parts with and without header fields", "--b\r\nA: 1\r\n\r\none\r\n--b\r\n\r\ntwo\r\n--b--\r\n",
            [(["A: 1"], "one"), ([], "two")]),
        Row("a preamble is left out", "for others\r\n\r\n--b\r\n\r\none\r\n--b--", [([], "one")]),
        Row("a preamble of blank lines", "\r\n\r\n--b\r\n\r\none\r\n--b--", [([], "one")]),
        Row("an epilogue is left out", "--b\r\n\r\none\r\n--b--\r\n\r\n--b\r\n\r\ntwo\r\n--b--\r\n", [([], "one")]),
        Row("nothing behind the closing delimiter", "--b\r\n\r\none\r\n--b--", [([], "one")]),
        Row("blanks behind the closing delimiter", "--b\r\n\r\none\r\n--b-- \t\r\n", [([], "one")]),
        Row("blanks behind delimiters", "--b \t \r\n\r\none\r\n--b\t\r\n\r\ntwo\r\n--b--", [([], "one"), ([], "two")]),
        Row("the line end before a delimiter belongs to it", "--b\r\n\r\none\r\n\r\n--b--", [([], "one\r\n")]),
        Row("a body that begins with a line end", "--b\r\n\r\n\r\none\r\n--b--", [([], "\r\none")]),
        Row("an empty body", "--b\r\nA: 1\r\n\r\n\r\n--b--", [(["A: 1"], "")]),
        Row("an empty body whose line end is that of the header", "--b\r\nA: 1\r\n\r\n--b--", [(["A: 1"], "")]),
        Row("a part without anything", "--b\r\n\r\n--b\r\n\r\n\r\n--b--", [([], ""), ([], "")]),
        Row("no part at all", "--b--\r\n", []),
        Row("no part at all, and no line end", "--b--", []),
        Row("no part at all behind a preamble", "x\r\n--b--", []),
    ]

    private static let blanks = String(repeating: " ", count: 256)

    static let data: [Row] = [
        Row("the boundary within a line is data", "--b\r\n\r\na --b\r\nb\r\n--b--", [([], "a --b\r\nb")]),
        Row("a longer boundary is data", "--b\r\n\r\na\r\n--bc\r\nb\r\n--b--", [([], "a\r\n--bc\r\nb")]),
        Row("a shorter boundary is data", "--bc\r\n\r\na\r\n--b\r\n--bc--", [([], "a\r\n--b")], boundary: "bc"),
        Row("one hyphen behind the boundary is data", "--b\r\n\r\na\r\n--b-\r\n--b--", [([], "a\r\n--b-")]),
        Row("text behind blanks is data", "--b\r\n\r\na\r\n--b x\r\n--b--", [([], "a\r\n--b x")]),
        Row("CR behind the boundary is data", "--b\r\n\r\na\r\n--b\r\r\n--b--", [([], "a\r\n--b\r")]),
        Row("a delimiter right behind what was nearly one", "--b\r\n\r\na\r\n--\r\n--b--", [([], "a\r\n--")]),
        Row("line ends before a delimiter", "--b\r\n\r\n\r\r\n\r\n--b--", [([], "\r\r\n")]),
        Row("LF before the boundary is data where lines end with CRLF", "--b\r\n\r\na\n--b\r\n--b--", [([], "a\n--b")]),
        Row("boundaries distinguish case", "--b\r\n\r\na\r\n--B--\r\n--b--", [([], "a\r\n--B--")]),
        Row(
            "padding beyond 256 blanks is data",
            "--b\r\n\r\na\r\n--b \(blanks)\r\nb\r\n--b\(blanks)\r\n\r\n\r\n--b--",
            [([], "a\r\n--b \(blanks)\r\nb"), ([], "")]),
        Row(
            "a part that is multipart itself", "--b\r\n\r\n--c\r\n\r\none\r\n--c--\r\n\r\n--b--",
            [([], "--c\r\n\r\none\r\n--c--\r\n")]),
        Row(
            "a part whose own boundary begins with this one", "--b\r\n\r\n--b1\r\n\r\none\r\n--b1\r\n\r\n\r\n--b--",
            [([], "--b1\r\n\r\none\r\n--b1\r\n\r\n")]),
        Row(
            "a boundary with all its characters", "--a'()+_,-./:=? 9\r\n\r\none\r\n--a'()+_,-./:=? 9--", [([], "one")],
            boundary: "a'()+_,-./:=? 9"),
    ]

    static let headers: [Row] = [
        Row("blanks around values", "--b\r\nA:1\r\nB: \t2 \t\r\nC:\r\n\r\n\r\n--b--", [(["A: 1", "B: 2", "C: "], "")]),
        Row("repeated fields", "--b\r\nA: 1\r\na: 2\r\n\r\n\r\n--b--", [(["A: 1", "a: 2"], "")]),
        Row(
            "folded fields", "--b\r\nA: 1\r\n 2\r\n\t  3 \r\n \r\nB: 4\r\n\r\n\r\n--b--", [(["A: 1 2 3", "B: 4"], "")]),
        Row("UTF-8 in values", "--b\r\nA: Küstenseeschwalbe\r\n\r\n\r\n--b--", [(["A: Küstenseeschwalbe"], "")]),
        Row("colons in values", "--b\r\nA: 1:2\r\n\r\n\r\n--b--", [(["A: 1:2"], "")]),
        Row("LF ends header fields, too", "--b\r\nA: 1\nB: 2\n\r\none\r\n--b--", [(["A: 1", "B: 2"], "one")]),
    ]

    static let habits: [Row] = [
        Row(
            "lines that end with LF alone", "--b\nA: 1\n\none\n--b\n\ntwo\n\n--b--\n",
            [(["A: 1"], "one"), ([], "two\n")]),
        Row("a CR before the LF of a delimiter is data there", "--b\n\none\r\n--b--", [([], "one\r")]),
        Row("a preamble whose lines end with LF", "x\n--b\r\n\r\none\r\n--b--", [([], "one")]),
        Row(
            "a boundary parameter with the hyphens of the delimiter", "--b\r\n\r\none\r\n--b\r\n\r\ntwo\r\n--b--",
            [([], "one"), ([], "two")], boundary: "--b"),
        Row("a boundary that begins with hyphens", "----b\r\n\r\n--b\r\n----b--", [([], "--b")], boundary: "--b"),
    ]

    static let lengths: [Row] = [
        Row(
            "Content-Length ends a part", "--b\r\nContent-Length: 3\r\n\r\none\r\n--b--",
            [(["Content-Length: 3"], "one")],
            usesContentLength: true),
        Row(
            "no line end behind the length", "--b\r\nContent-Length: 3\r\n\r\none--b\r\n\r\ntwo\r\n--b--",
            [(["Content-Length: 3"], "one"), ([], "two")], usesContentLength: true),
        Row(
            "what follows the length is left out", "--b\r\nContent-Length: 3\r\n\r\none, two\r\n--b--",
            [(["Content-Length: 3"], "one")], usesContentLength: true),
        Row(
            "a delimiter before the length", "--b\r\nContent-Length: 9\r\n\r\none\r\n--b--",
            [(["Content-Length: 9"], "one")], usesContentLength: true),
        Row(
            "a length of 0", "--b\r\nContent-Length: 0\r\n\r\n\r\n--b--", [(["Content-Length: 0"], "")],
            usesContentLength: true),
        Row(
            "a length within a line end", "--b\r\nContent-Length: 4\r\n\r\none\r\r\n--b--",
            [(["Content-Length: 4"], "one\r")], usesContentLength: true),
        Row(
            "invalid lengths do not count",
            "--b\r\nContent-Length: 1, 2\r\n\r\none\r\n--b\r\nContent-Length: 99999999999999999999\r\n\r\ntwo\r\n--b--",
            [(["Content-Length: 1, 2"], "one"), (["Content-Length: 99999999999999999999"], "two")],
            usesContentLength: true),
        Row(
            "the length does not count in other types", "--b\r\nContent-Length: 1\r\n\r\none\r\n--b--",
            [(["Content-Length: 1"], "one")]),
    ]

    static let errors: [Row] = [
        Row("an empty body", "", error: .malformedResponse),
        Row("no delimiter", "one\r\ntwo\r\n", error: .malformedResponse),
        Row("another boundary", "--c\r\n\r\none\r\n--c--\r\n", error: .malformedResponse),
        Row("a delimiter without a line end", "--b", error: .malformedResponse),
        Row("the end behind a delimiter", "--b\r\n", error: .truncated),
        Row("the end within a header", "--b\r\nA: 1\r\n", error: .truncated),
        Row("a line without a colon", "--b\r\nA\r\n\r\n\r\n--b--", error: .malformedResponse),
        Row("a delimiter within a header", "--b\r\n--b\r\n\r\n\r\n--b--", error: .malformedResponse),
        Row("a blank before the colon", "--b\r\nA : 1\r\n\r\n\r\n--b--", error: .malformedResponse),
        Row("no name", "--b\r\n: 1\r\n\r\n\r\n--b--", error: .malformedResponse),
        Row("a folded line before any field", "--b\r\n A: 1\r\n\r\n\r\n--b--", error: .malformedResponse),
        Row("NUL in a value", "--b\r\nA: \u{0}\r\n\r\n\r\n--b--", error: .malformedResponse),
        Row("CR in a value", "--b\r\nA: 1\r2\r\n\r\n\r\n--b--", error: .malformedResponse),
    ]

    private static func parser(_ row: Row, _ limits: PartLimits = PartLimits()) throws -> MultipartParser {
        try #require(
            MultipartParser(boundary: row.boundary, limits: limits, usesContentLength: row.usesContentLength))
    }

    @Test(
        "Rules of the standard, whole, byte by byte, and in two pieces",
        arguments: delimiters + data + headers + habits + lengths + errors)
    func rules(row: Row) throws {
        let parser = try Self.parser(row)
        let bytes = Array(row.body.utf8)
        var expected = MultipartReading(row.parts, isEnded: row.isEnded)
        expected.error = row.error
        expectEqual(MultipartReading([bytes], by: parser), expected)
        expectEqual(MultipartReading(bytes.map { [$0] }, by: parser), expected, "byte by byte")
        for cut in bytes.indices {
            expectEqual(MultipartReading([bytes[..<cut], bytes[cut...]], by: parser), expected, "cut at \(cut)")
        }
    }

    @Test("A body that is cut anywhere before the closing delimiter is truncated, and its complete parts are read")
    func truncated() throws {
        let body = Array("--b\r\nA: 1\r\n\r\none\r\n--b\r\n\r\ntwo\r\n--b--\r\n".utf8)
        let parser = try #require(MultipartParser(boundary: "b"))
        for end in 5..<body.count - 2 {
            let whole = MultipartReading([body[..<end]], by: parser)
            expectEqual(whole.error, .truncated, "\(end)")
            expectEqual(whole.isEnded, false, "\(end)")
            expectEqual(whole.parts.first?.isComplete, end < 13 ? nil : end >= 23, "\(end)")
            expectEqual(MultipartReading(body[..<end].map { [$0] }, by: parser), whole, "\(end)")
        }
        expectNil(MultipartReading([body[..<(body.count - 2)]], by: parser).error)
    }

    @Test("Any split of any body gives the same parts")
    func splits() throws {
        var random = SystemRandomNumberGenerator()
        let words = [
            "--b", "\r\n--b\r\n", "--b--", "\r\n", "\r", "\n", "-", "--", "b", " ", "\r\n\r\n", "A: 1", ":", "x",
            "Content-Length: 2", "\r\n--b", "\u{0}",
        ]
        var endings: Set<Bool> = []
        for round in 0..<3_000 {
            let start = round.isMultiple(of: 3) ? "" : "--b\r\n\r\n"
            let body =
                Array(start.utf8) + (0..<20).flatMap { _ in Array((words.randomElement(using: &random) ?? "").utf8) }
            var limits = PartLimits()
            (limits.header, limits.fields, limits.body, limits.parts, limits.preamble) = (40, 2, 24, 3, 24)
            let parser = try #require(
                MultipartParser(
                    boundary: round.isMultiple(of: 2) ? "b" : "--b", limits: limits,
                    usesContentLength: round.isMultiple(of: 5)))
            let whole = MultipartReading([body], by: parser)
            var pieces: [ArraySlice<UInt8>] = []
            var rest = body[...]
            while !rest.isEmpty {
                let size = Int.random(in: 1...6, using: &random)
                pieces.append(rest.prefix(size))
                rest = rest.dropFirst(size)
            }
            let text = String(decoding: body, as: UTF8.self).debugDescription
            expectEqual(MultipartReading(pieces, by: parser), whole, "\(text) \(pieces.map(\.count))")
            endings.insert(whole.error == nil)
        }
        // The bodies are of both kinds.
        expectEqual(endings, [true, false])
    }

    @Test("Parts of any bytes are read as they were written")
    func written() throws {
        var random = SystemRandomNumberGenerator()
        let words = ["\r\n--b", "\r\n--", "\r\n", "\r", "\n--b--", "--b--", "b", "\u{0}", "x"]
        let parser = try #require(MultipartParser(boundary: "boundary"))
        for _ in 0..<300 {
            let bodies = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                (0..<Int.random(in: 0...12, using: &random)).map { _ in words.randomElement(using: &random) ?? "" }
                    .joined()
            }
            let text = bodies.map { "--boundary\r\nA: 1\r\n\r\n\($0)\r\n" }.joined() + "--boundary--"
            let expected = MultipartReading(bodies.map { (["A: 1"], $0) })
            let bytes = Array(text.utf8)
            expectEqual(MultipartReading([bytes], by: parser), expected, "\(text.debugDescription)")
            expectEqual(MultipartReading(bytes.map { [$0] }, by: parser), expected, "\(text.debugDescription)")
        }
    }

    struct Limit: Sendable, CustomTestStringConvertible {
        let what: String
        let limits: PartLimits
        let body: String
        var testDescription: String { what }

        init(_ what: String, _ body: String, _ change: (inout PartLimits) -> Void) {
            var limits = PartLimits()
            change(&limits)
            (self.what, self.body, self.limits) = (what, body, limits)
        }
    }

    @Test(
        "What is beyond a limit is a named error; what is at it is read",
        arguments: [
            Limit("header of a part", "--b\r\nA: 12\r\n\r\n1\r\n--b--") { $0.header = 8 },
            Limit("more than 2 fields", "--b\r\nA: 1\r\nB: 2\r\nC: 3\r\n\r\n1\r\n--b--") { $0.fields = 2 },
            Limit("body of a part", "--b\r\n\r\n12345\r\n--b--") { $0.body = 4 },
            Limit("more than 1 parts", "--b\r\n\r\n1\r\n--b\r\n\r\n2\r\n--b--") { $0.parts = 1 },
            Limit("precedes the first part", "1234\r\n--b\r\n\r\n1\r\n--b--") { $0.preamble = 10 },
        ])
    func limits(limit: Limit) throws {
        let bytes = Array(limit.body.utf8)
        let strict = try #require(MultipartParser(boundary: "b", limits: limit.limits))
        for pieces in [[bytes], bytes.map { [$0] }] {
            expectEqual(MultipartReading(pieces, by: strict).error, .limitExceeded)
            var parser = strict
            let error = #expect(throws: SternaError.self) {
                for piece in pieces {
                    parser.append(Bytes(bytes: piece))
                    while try parser.next() != nil {}
                }
            }
            expectEqual(error?.detail.contains(limit.what), true, "\(error?.detail ?? "")")
            // It stays an error.
            let again = #expect(throws: SternaError.self) { try parser.next() }
            expectEqual(again?.kind, .limitExceeded)
        }
        var wider = limit.limits
        wider.header = wider.header == 8 ? 9 : wider.header
        wider.fields = wider.fields == 2 ? 3 : wider.fields
        wider.body = wider.body.map { $0 + 1 }
        wider.parts = wider.parts.map { $0 + 1 }
        wider.preamble = wider.preamble == 10 ? 11 : wider.preamble
        let parser = try #require(MultipartParser(boundary: "b", limits: wider))
        for pieces in [[bytes], bytes.map { [$0] }] { expectNil(MultipartReading(pieces, by: parser).error) }
    }

    @Test("What follows a Content-Length has a limit, too")
    func gap() throws {
        var limits = PartLimits()
        limits.preamble = 5
        let parser = try #require(MultipartParser(boundary: "b", limits: limits, usesContentLength: true))
        let start = "--b\r\nContent-Length: 1\r\n\r\n1"
        expectNil(MultipartReading([Array("\(start)12345\r\n--b--".utf8)], by: parser).error)
        for text in ["\(start)123456\r\n--b--", "\(start)123456"] {
            let bytes = Array(text.utf8)
            expectEqual(MultipartReading([bytes], by: parser).error, .limitExceeded)
            expectEqual(MultipartReading(bytes.map { [$0] }, by: parser).error, .limitExceeded)
        }
    }

    @Test("A part is complete by its Content-Length before another byte arrives")
    func early() throws {
        var parser = try #require(MultipartParser(boundary: "b", usesContentLength: true))
        parser.append(Bytes(string: "--b\r\nContent-Length: 3\r\n\r\none"))
        var events: [MultipartParser.Event] = []
        while let event = try parser.next() { events.append(event) }
        expectEqual(events.dropFirst(), [.bytes(Bytes(string: "one")), .partEnd])
    }

    @Test(
        "Boundaries that cannot be one", arguments: ["", "a\nb", "a\rb", "\u{0}", String(repeating: "a", count: 201)])
    func boundaries(boundary: String) { expectNil(MultipartParser(boundary: boundary)) }

    @Test(
        "A long body takes time in proportion to its length, whatever it is made of",
        arguments: ["\r", "\n", "\r\n", "\r\n--", "\r\n--boundary", "\r\n--boundary-", "\r\n--boundary \t", "a"])
    func linear(word: String) throws {
        var parser = try #require(MultipartParser(boundary: "boundary"))
        parser.append(Bytes(string: "--boundary\r\n\r\n"))
        // An end within the word's last run of blanks is no delimiter, since an x follows.
        let piece = Array((word + "x").utf8)
        var count = 0
        func take() throws {
            while let event = try parser.next() { if case .bytes(let bytes) = event { count += bytes.readableBytes } }
        }
        // In small pieces, and many at once: compared anew from the start, they would take minutes.
        for _ in 0..<20_000 {
            for byte in piece {
                parser.append(Bytes(bytes: [byte]))
                try take()
            }
        }
        let many = Array(repeating: piece, count: 20_000).flatMap { $0 }
        for _ in 0..<4 {
            parser.append(Bytes(bytes: many))
            try take()
        }
        expectEqual(count, 100_000 * piece.count)
        parser.append(Bytes(string: "\r\n--boundary--"))
        try take()
        try parser.finish()
    }

    @Test("A header of many short pieces takes time in proportion to its length")
    func linearHeader() throws {
        var limits = PartLimits()
        limits.header = 4 << 20
        var parser = try #require(MultipartParser(boundary: "b", limits: limits))
        parser.append(Bytes(string: "--b\r\nA: "))
        for _ in 0..<100_000 {
            parser.append(Bytes(string: "0123456789"))
            try expectNil(parser.next())
        }
        parser.append(Bytes(string: "\r\n\r\n"))
        guard case .part(let fields) = try parser.next() else {
            Issue.record("The header is not complete.")
            return
        }
        expectEqual(fields.first?.value.utf8.count, 1_000_000)
    }
}
