import NIOCore
import SternaCore
import SternaSerialization
import Testing

@testable import SternaTestSupport

/// The rules of WHATWG HTML, sections 9.2.5 and 9.2.6, a row each.
@Suite("Event streams: parser")
struct EventStreamParserTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let rule: String
        let stream: [UInt8]
        let events: [ServerSentEvent]
        var lastID = ""
        var retry: Duration?

        var testDescription: String { rule }

        init(_ rule: String, _ stream: String, _ events: [ServerSentEvent], lastID: String = "", retry: Duration? = nil)
        {
            self.init(rule, Array(stream.utf8), events, lastID: lastID, retry: retry)
        }

        init(
            _ rule: String, _ stream: [UInt8], _ events: [ServerSentEvent], lastID: String = "", retry: Duration? = nil
        ) {
            (self.rule, self.stream, self.events, self.lastID, self.retry) = (rule, stream, events, lastID, retry)
        }
    }

    static let lines: [Row] = [
        Row("an empty stream", "", []),
        Row("data and a blank line", "data: one\n\n", [.init(data: "one")]),
        Row(
            "lines that end with CRLF", "data: one\r\n\r\ndata: two\r\n\r\n", [.init(data: "one"), .init(data: "two")]),
        Row("lines that end with CR", "data: one\r\rdata: two\r\r", [.init(data: "one"), .init(data: "two")]),
        Row(
            "line ends of all kinds", "data: one\r\n\rdata: two\n\r\ndata: three\r\n\n",
            [
                .init(data: "one"), .init(data: "two"), .init(data: "three"),
            ]),
        Row("LF CR are two line ends", "data: one\n\rdata: two\n\n", [.init(data: "one"), .init(data: "two")]),
        Row("a byte order mark at the start", [0xEF, 0xBB, 0xBF] + "data: one\n\n".utf8, [.init(data: "one")]),
        Row(
            "a second byte order mark is part of a field's name", "\u{FEFF}\u{FEFF}data: one\n\ndata: two\n\n",
            [
                .init(data: "two")
            ]),
        Row("a byte order mark on a later line", "data: one\n\u{FEFF}data: two\n\n", [.init(data: "one")]),
        Row("a byte order mark on a line of its own", "\u{FEFF}\ndata: one\n\n", [.init(data: "one")]),
        Row("half a byte order mark is part of a field's name", [0xEF, 0xBB] + "data: one\n\n".utf8, []),
        Row(
            "invalid UTF-8 is replaced", "data: a".utf8 + [0xFF] + "b".utf8 + [0xE2, 0x82] + "\n\n".utf8,
            [
                .init(data: "a\u{FFFD}b\u{FFFD}")
            ]),
        Row("an event without a blank line is dropped", "data: one\n\ndata: two\n", [.init(data: "one")]),
        Row("a line without an end is dropped", "data: one\n\ndata: two", [.init(data: "one")]),
        Row(
            "U+2028, U+0085 and form feeds end no line", "data: a\u{2028}b\u{85}c\u{C}d\u{B}e\n\n",
            [
                .init(data: "a\u{2028}b\u{85}c\u{C}d\u{B}e")
            ]),
        Row("a NUL in data", "data: a\u{0}b\n\n", [.init(data: "a\u{0}b")]),
    ]

    static let fields: [Row] = [
        Row("several data lines are joined by LF", "data: a\ndata: b\r\ndata: c\n\n", [.init(data: "a\nb\nc")]),
        Row(
            "empty data lines", "data\n\ndata\ndata\n\ndata:\n\n",
            [.init(data: ""), .init(data: "\n"), .init(data: "")]),
        Row("empty data lines between others", "data: a\ndata:\ndata: b\n\n", [.init(data: "a\n\nb")]),
        Row(
            "one space after the colon is removed, no more", "data:a\n\ndata: b\n\ndata:  c\n\ndata:\td\n\n",
            [
                .init(data: "a"), .init(data: "b"), .init(data: " c"), .init(data: "\td"),
            ]),
        Row("a value with colons", "data: a: b:c\n\n", [.init(data: "a: b:c")]),
        Row("a space before the colon is part of the name", "data : a\n\n", []),
        Row("a space before the name is part of it", " data: a\n\n", []),
        Row("names distinguish case", "Data: a\nDATA: b\n\n", []),
        Row("unknown fields are ignored", "date: a\ndatas: b\ndata: c\nx\n\n", [.init(data: "c")]),
        Row("a field without a name is a comment", ": a\n:data: b\n:\ndata: c\n\n", [.init(data: "c")]),
        Row("comments alone make no event", ":\n\n: a\n\n", []),
        Row(
            "comments of any kind between lines of data",
            "data: a\r:\u{0}\r\n::data: x\n:\(String(repeating: "long", count: 50))\rdata: b\n:retry: 1\n\n",
            [.init(data: "a\nb")]),
        Row("a value of one space", "data: \n\n", [.init(data: "")]),
        Row("names that nearly are one", "da-ta: a\ndata_: b\ndata\u{0}: c\n\u{0}data: d\n\tdata: e\n\n", []),
        Row("a type", "event: delta\ndata: a\n\n", [.init(type: "delta", data: "a")]),
        Row(
            "the type is that of one event", "event: delta\ndata: a\n\ndata: b\n\n",
            [
                .init(type: "delta", data: "a"), .init(data: "b"),
            ]),
        Row(
            "the last type counts, after the data too", "event: x\ndata: a\nevent: y\n\n", [.init(type: "y", data: "a")]
        ),
        Row(
            "an empty type is the usual one", "event: x\nevent:\ndata: a\n\nevent\ndata: b\n\n",
            [
                .init(data: "a"), .init(data: "b"),
            ]),
        Row("an event without data is none, and its type is forgotten", "event: x\n\ndata: a\n\n", [.init(data: "a")]),
        Row("blank lines make no events", "\n\r\n\n\rdata: a\n\n\n\n", [.init(data: "a")]),
    ]

    static let ids: [Row] = [
        Row("an id", "id: 1\ndata: a\n\n", [.init(data: "a", id: "1")], lastID: "1"),
        Row(
            "an id stays for later events", "id: 1\ndata: a\n\ndata: b\n\n",
            [
                .init(data: "a", id: "1"), .init(data: "b", id: "1"),
            ], lastID: "1"),
        Row(
            "an empty id resets it", "id: 1\ndata: a\n\nid\ndata: b\n\nid: 2\ndata: c\n\nid:\ndata: d\n\n",
            [
                .init(data: "a", id: "1"), .init(data: "b"), .init(data: "c", id: "2"), .init(data: "d"),
            ]),
        Row(
            "an id with NUL is ignored", "id: 1\ndata: a\n\nid: 2\u{0}\ndata: b\n\n",
            [
                .init(data: "a", id: "1"), .init(data: "b", id: "1"),
            ], lastID: "1"),
        Row(
            "an id without data counts for the connection and for later events", "id: 1\n\ndata: a\n\nid: 2\n\n",
            [
                .init(data: "a", id: "1")
            ], lastID: "2"),
        Row(
            "the id of an unfinished event does not count", "id: 1\ndata: a\n\nid: 2\ndata: b\n",
            [
                .init(data: "a", id: "1")
            ], lastID: "1"),
        Row("the last id of an event counts", "id: 1\nid: 2\ndata: a\n\n", [.init(data: "a", id: "2")], lastID: "2"),
        Row(
            "an id with NUL leaves the one before it in the same event", "id: 1\nid: 2\u{0}\ndata: a\n\n",
            [.init(data: "a", id: "1")], lastID: "1"),
        Row(
            "comments make no event after one with an id",
            "id: 1\ndata: a\n\n: ping\n\n: ping\n\nretry: 7\n\nevent: x\n\n",
            [.init(data: "a", id: "1")], lastID: "1", retry: .milliseconds(7)),
        Row("ids are text", "id: é 1:2\ndata: a\n\n", [.init(data: "a", id: "é 1:2")], lastID: "é 1:2"),
    ]

    static let retries: [Row] = [
        Row("a time of reconnection", "retry: 1500\n", [], retry: .milliseconds(1_500)),
        Row("the last time counts", "retry: 1\nretry:20\n\n", [], retry: .milliseconds(20)),
        Row("zero and leading zeros", "retry: 0\n", [], retry: .zero),
        Row("leading zeros", "retry: 0000000000000000000000000007\n", [], retry: .milliseconds(7)),
        Row(
            "no time in other forms",
            "retry: -1\nretry: +1\nretry: 1.5\nretry: 0x1\nretry: 1s\nretry: \nretry\nretry:  1\n", []),
        Row("no time with separators", "retry: 1_000\nretry: 1,000\nretry: 1 000\nretry: 1e3\nretry: 1\u{0}\n", []),
        Row("no time in other digits", "retry: \u{0661}\nretry: \u{FF11}\n", []),
        Row("a valid time is kept when an invalid one follows", "retry: 3\nretry: 4x\n", [], retry: .milliseconds(3)),
        Row(
            "a time of 10^30", "retry: 1\(String(repeating: "0", count: 30))\ndata: a\n\n", [.init(data: "a")],
            retry: .seconds(365 * 24 * 3_600)),
    ]

    /// Returns the events of a stream that arrives in pieces of the given sizes, the rest at once.
    private func events(
        _ stream: some Sequence<UInt8>, pieces: [Int] = [], parser: inout EventStreamParser
    ) throws -> [ServerSentEvent] {
        var rest = Array(stream)[...]
        var events: [ServerSentEvent] = []
        for size in pieces + [rest.count] where !rest.isEmpty {
            parser.append(Bytes(bytes: rest.prefix(size)))
            rest = rest.dropFirst(size)
            while let event = try parser.next() { events.append(event) }
        }
        return events
    }

    private func check(_ row: Row, pieces: [Int]) throws {
        var parser = EventStreamParser()
        try expectEqual(events(row.stream, pieces: pieces, parser: &parser), row.events, "\(row.rule), \(pieces)")
        expectEqual(parser.lastEventID, row.lastID, "\(row.rule), \(pieces)")
        expectEqual(parser.reconnectionTime, row.retry, "\(row.rule), \(pieces)")
    }

    @Test("Rules of the standard, whole, byte by byte, and in two pieces", arguments: lines + fields + ids + retries)
    func rules(row: Row) throws {
        try check(row, pieces: [])
        try check(row, pieces: Array(repeating: 1, count: row.stream.count))
        for cut in row.stream.indices { try check(row, pieces: [cut]) }
    }

    @Test("Any split of any stream gives the same events")
    func splits() throws {
        var random = SystemRandomNumberGenerator()
        let words = [
            "data", "event", "id", "retry", ":", ": ", "\n", "\r", "\r\n", "\n\n", "\u{FEFF}", "\u{0}", "1", "a", "é",
            "x",
        ]
        for _ in 0..<2_000 {
            let stream = (0..<30).flatMap { _ in Array((words.randomElement(using: &random) ?? "").utf8) }
            var whole = EventStreamParser()
            let expected = try events(stream, parser: &whole)
            let pieces = (0..<30).map { _ in Int.random(in: 0...6, using: &random) }
            var split = EventStreamParser()
            let text = String(decoding: stream, as: UTF8.self).debugDescription
            try expectEqual(events(stream, pieces: pieces, parser: &split), expected, "\(text) \(pieces)")
            expectEqual(split.lastEventID, whole.lastEventID, "\(text) \(pieces)")
            expectEqual(split.reconnectionTime, whole.reconnectionTime, "\(text) \(pieces)")
        }
    }

    @Test("Events begin with the id that the request sent")
    func continued() throws {
        var parser = EventStreamParser(lastEventID: "7")
        try expectEqual(
            events("data: a\n\nid: 8\ndata: b\n\n".utf8, parser: &parser),
            [
                .init(data: "a", id: "7"), .init(data: "b", id: "8"),
            ])
        expectEqual(parser.lastEventID, "8")
    }

    @Test("Bytes may be appended before earlier events are read")
    func appended() throws {
        var parser = EventStreamParser()
        for byte in "data: a\r\n\r\ndata: b\n\n".utf8 { parser.append(Bytes(bytes: [byte])) }
        try expectEqual(parser.next()?.data, "a")
        parser.append(Bytes(string: "data: c\n\n"))
        try expectEqual([parser.next()?.data, parser.next()?.data, parser.next()?.data], ["b", "c", nil])
    }

    struct Excess: Sendable, CustomTestStringConvertible {
        let what: String
        let stream: String
        var testDescription: String { what }
    }

    @Test(
        "Lines, events and ids above their limits are named errors; those at their limits are read",
        arguments: [
            Excess(what: "line", stream: "data: 67890123456789012345"),
            Excess(what: "line", stream: ":123456789012345678901"),
            Excess(what: "data of an event", stream: "data:12345\ndata:67890\n"),
            Excess(what: "id of an event", stream: "id:1234567\n"),
        ])
    func limits(excess: Excess) throws {
        func limited() -> EventStreamParser {
            var parser = EventStreamParser()
            (parser.limits.line, parser.limits.event, parser.limits.id) = (20, 10, 6)
            return parser
        }
        var parser = limited()
        try expectEqual(
            events(":1234567890123456789\ndata:1234\ndata:5678\nid:123456\n\n".utf8, parser: &parser),
            [.init(data: "1234\n5678", id: "123456")])
        for pieces in [[], Array(repeating: 1, count: 40)] {
            var parser = limited()
            let error = #expect(throws: SternaError.self) {
                try events(excess.stream.utf8, pieces: pieces, parser: &parser)
            }
            expectEqual(error?.kind, .limitExceeded)
            #expect(error?.detail.contains(excess.what) == true, "\(error?.detail ?? "")")
        }
    }

    @Test("A long line in small pieces takes time in proportion to its length")
    func linear() throws {
        var parser = EventStreamParser()
        let piece = Bytes(string: String(repeating: "a", count: 16))
        parser.append(Bytes(string: "data: "))
        // Compared anew for each piece, they would take some minutes.
        for _ in 0..<500_000 {
            parser.append(piece)
            try expectNil(parser.next())
        }
        parser.append(Bytes(string: "\n\n"))
        try expectEqual(parser.next()?.data.utf8.count, 8_000_000)
    }

    @Test("A million comments leave nothing behind")
    func comments() throws {
        var parser = EventStreamParser()
        let comments = Bytes(string: String(repeating: ": keep-alive\n\n", count: 1_000))
        for _ in 0..<1_000 {
            parser.append(comments)
            try expectNil(parser.next())
        }
        parser.append(Bytes(string: "data: a\n\n"))
        try expectEqual(parser.next()?.data, "a")
    }
}
