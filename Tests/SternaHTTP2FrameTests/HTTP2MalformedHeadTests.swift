import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Heads that are no response's (RFC 9113 §8.2, §8.3): the stream's error, never the connection's.
@Suite("HTTP/2: malformed heads", .timeLimit(.minutes(5)))
struct HTTP2MalformedHeadTests {
    /// What comes behind a head.
    enum Rest: Sendable, CaseIterable {
        /// Nothing.
        case open
        /// Content, on its way already when the client says no.
        case content
        /// Nothing, since the head ended the stream.
        case ended
    }

    private func refused(_ fields: [(String, String)], _ rest: Rest, secure: Bool = false) async throws {
        try await refused(HeaderBlock.encode(fields), rest, secure: secure)
    }

    private func refused(_ block: [UInt8], _ rest: Rest, secure: Bool = false) async throws {
        try await FrameScene.streamError(
            reset: rest == .ended ? .optional : .required([.protocolError]), secure: secure
        ) { connection, stream in
            let head = WireFrame.headers(stream, block, end: rest == .ended)
            try await connection.send([head] + (rest == .content ? [.data(stream, Array("late".utf8))] : []))
        }
    }

    static let statuses: [FieldsRow] =
        [
            "", "2", "20", "abc", "2000", "099", "000", "+20", "-20", "0x1", "2 0", "20a", "20 ", " 20", "200 OK",
            "\u{FF12}\u{FF10}\u{FF10}", "200\r", "200\n", "20\0", "2e2",
        ].map { FieldsRow("status “\($0)”", [(":status", $0), ("x-a", "b")]) }

    static let pseudo: [FieldsRow] = [
        .init("no field at all", []), .init("no status", [("content-length", "0")]),
        .init("the status twice", [(":status", "200"), (":status", "200")]),
        .init("two statuses", [(":status", "200"), (":status", "404")]),
        .init("the status behind a field", [("x-a", "b"), (":status", "200")]),
        .init("the status twice, apart", [(":status", "200"), ("x-a", "b"), (":status", "200")]),
        .init("an unknown one", [(":status", "200"), (":foo", "bar")]),
        .init("an unknown one first", [(":foo", "bar"), (":status", "200")]),
        .init("a colon alone", [(":status", "200"), (":", "bar")]),
        .init("the status in upper case", [(":Status", "200")]),
        .init("a method", [(":status", "200"), (":method", "GET")]),
        .init("a path", [(":path", "/"), (":status", "200")]),
        .init("a scheme", [(":status", "200"), (":scheme", "http")]),
        .init("an authority", [(":status", "200"), (":authority", "a")]),
        .init("a protocol", [(":status", "200"), (":protocol", "websocket")]),
        .init("a request's head", [(":method", "GET"), (":scheme", "http"), (":authority", "a"), (":path", "/")]),
    ]

    // An empty one the library cannot decode: it ends the connection.
    static let names: [FieldsRow] =
        ["Content-Type", "X-Y", "x-y-Z", "aB"].map { FieldsRow("name “\($0)” in upper case", field: $0, "v") }
        + [" ", "a b", " a", "a ", "a\tb", "a:b", "a:", "a\0b", "a\r\nb", "a\u{7F}", "a\u{1}", "\u{E9}", "a(b"]
        .map { FieldsRow("name “\($0)”", field: $0, "v") }

    static let values: [FieldsRow] =
        ["\0", "a\0b", "\r", "\n", "a\rb", "a\nb", "a\r\nx-injected: 1", "a\r", "a\n", "\u{1}", "a\u{1F}b", "a\u{7F}"]
        .map { FieldsRow("value “\($0)”", field: "x-a", $0) }

    static let connection: [FieldsRow] = [
        .init("connection: close", field: "connection", "close"),
        .init("connection: keep-alive", field: "connection", "keep-alive"),
        .init("an empty connection", field: "connection", ""),
        .init("keep-alive", field: "keep-alive", "timeout=5"),
        .init("proxy-connection", field: "proxy-connection", "keep-alive"),
        .init("transfer-encoding: chunked", field: "transfer-encoding", "chunked"),
        .init("transfer-encoding: identity", field: "transfer-encoding", "identity"),
        .init("upgrade", field: "upgrade", "h2c"),
    ]

    @Test("A status that is not three digits from 100 on", arguments: statuses, Rest.allCases)
    func status(row: FieldsRow, rest: Rest) async throws { try await refused(row.fields, rest) }

    @Test("Pseudo-header fields other than one status in front", arguments: pseudo, Rest.allCases)
    func pseudoFields(row: FieldsRow, rest: Rest) async throws { try await refused(row.fields, rest) }

    @Test("Names that are no names, or not in lower case", arguments: names, Rest.allCases)
    func name(row: FieldsRow, rest: Rest) async throws { try await refused(row.fields, rest) }

    @Test("Control characters in values", arguments: values, Rest.allCases)
    func value(row: FieldsRow, rest: Rest) async throws { try await refused(row.fields, rest) }

    @Test("Fields of the connection", arguments: connection, Rest.allCases)
    func connectionField(row: FieldsRow, rest: Rest) async throws { try await refused(row.fields, rest) }

    @Test(
        "Blanks around values are left out, as curl does, but for the length",
        arguments: [" a", "a ", "\ta", "a\t", " \t a "])
    func blanks(value: String) async throws {
        try await FrameScene.withSession { connection in
            try await connection.handshake()
            let stream = try await connection.request().stream
            try await connection.respond(stream, headers: [("x-a", value), ("x-b", " ")], body: [0x61], end: false)
            try await connection.sendTrailers(stream, [("x-c", value)])
        } body: { api, _ in
            let reply = try await api.get("row")
            expectEqual(reply.headers.map(\.value), ["a", ""])
            expectEqual(reply.response.body.trailers?.first?.value, "a")
        }
        let length = value.replacing("a", with: "5")
        try await refused([(":status", "200"), ("content-length", length)], .open)
    }

    @Test("A name of bytes that are no text", arguments: [[0x80], [0xFF, 0x61], [0x61, 0xC3]] as [[UInt8]])
    func bytes(name: [UInt8]) async throws {
        var block = HeaderBlock([(":status", "200")])
        block.literal(name: name, value: [0x61])
        try await refused(block.bytes, .open)
    }

    @Test("With TLS it is the same", arguments: Rest.allCases)
    func secure(rest: Rest) async throws {
        try await refused([(":status", "200"), ("Upper", "case")], rest, secure: true)
        try await refused([(":status", "20")], rest, secure: true)
    }

    @Test("An interim head is as strict", arguments: names.prefix(6) + values.prefix(6) + connection.prefix(3))
    func interim(row: FieldsRow) async throws {
        try await refused([(":status", "103")] + row.fields.dropFirst(), .open)
    }

    @Test("Other requests are unaffected: a request beside it is answered")
    func beside() async throws {
        try await FrameScene.withSession { connection in
            try await connection.handshake()
            try await connection.respond(connection.request().stream, text: "first")
            var streams: [String: UInt32] = [:]
            for _ in 0..<2 {
                let request = try await connection.request()
                streams[request.path ?? ""] = request.stream
            }
            let good = try #require(streams["/good"])
            let bad = try #require(streams["/bad"])
            try await connection.send(
                .headers(good, HeaderBlock.encode([(":status", "200")])), .data(good, Array("go".utf8)),
                .headers(bad, HeaderBlock.encode([(":status", "200"), ("Bad", "1")])))
            try await expectEqual(connection.receive(.reset, stream: bad).code, .protocolError)
            try await connection.send(.data(good, Array("od".utf8), end: true))
            try await connection.roundTrip()
            expectEqual(connection.resets.keys.sorted(), [bad])
        } body: { api, peer in
            try await api.expect("first", at: "first")
            async let bad: Void = {
                _ = await Wire.failure(.malformedResponse, .read) { try await api.get("bad") }
            }()
            try await api.expect("good", at: "good")
            await bad
            expectEqual(peer.connectionCount, 1)
        }
    }
}
