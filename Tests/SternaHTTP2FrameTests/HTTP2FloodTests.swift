import NIOCore
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Frames without end that cost the server nothing (RFC 9113 §10.5): the client stops reading them soon.
@Suite("HTTP/2: floods", .serialized, .timeLimit(.minutes(5)))
struct HTTP2FloodTests {
    /// More than any client should take, and than the system's buffers hold.
    private static let limit = 64 << 20

    private static let ok = HeaderBlock.encode([(":status", "200")])

    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        /// What comes before.
        let start: @Sendable (_ stream: UInt32) -> [WireFrame]
        /// What comes again and again.
        let batch: @Sendable (_ stream: UInt32) -> [WireFrame]

        init(
            _ name: String, start: @escaping @Sendable (UInt32) -> [WireFrame] = { _ in [] },
            _ batch: @escaping @Sendable (UInt32) -> [WireFrame]
        ) {
            self.name = name
            self.start = start
            self.batch = batch
        }

        var testDescription: String { name }
    }

    private static func times(_ count: Int, _ frame: WireFrame) -> [WireFrame] { Array(repeating: frame, count: count) }

    private static func begun(_ stream: UInt32) -> [WireFrame] { [.headers(stream, ok, endHeaders: false)] }

    /// A field in a block of its own.
    private static let field = HeaderBlock.encode([("x-a", "b")])

    static let blocks: [Row] = [
        Row("CONTINUATION with nothing", start: begun) { times(200, .continuation($0, [], endHeaders: false)) },
        Row("CONTINUATION with a field", start: begun) { times(200, .continuation($0, field, endHeaders: false)) },
        Row("CONTINUATION with a byte", start: { [.headers($0, ok + [0, 0x7F, 0x80, 0xFF, 0x7F], endHeaders: false)] })
        {
            times(200, .continuation($0, [0x61], endHeaders: false))
        },
        Row(
            "CONTINUATION of 16,384 bytes",
            start: { [.headers($0, ok + [0, 0x7F, 0x80, 0xFF, 0xFF, 0xFF, 0x07], endHeaders: false)] }
        ) {
            times(4, .continuation($0, [UInt8](repeating: 0x61, count: 16_384), endHeaders: false))
        },
        Row("CONTINUATION behind content", start: { [.headers($0, ok), .data($0, [1])] + begun($0) }) {
            times(200, .continuation($0, field, endHeaders: false))
        },
    ]

    static let contents: [Row] = [
        Row("empty DATA", start: { [.headers($0, ok)] }) { times(500, .data($0, [])) },
        Row("empty DATA before the head") { times(500, .data($0, [])) },
        Row("interim heads") { times(200, .headers($0, HeaderBlock.encode([(":status", "103")]))) },
    ]

    /// Sends a row's frames until the client closes, or ends their stream.
    ///
    /// - Returns: How many bytes that took.
    private static func flood(_ connection: PeerConnection, _ stream: UInt32, _ row: Row) async throws -> Int {
        let batch = row.batch(stream).flatMap(\.bytes)
        let start = ContinuousClock.now
        var sent = 0
        do {
            try await connection.send(bytes: row.start(stream).flatMap(\.bytes))
            while !connection.isClosed, connection.resets[stream] == nil, sent < limit,
                ContinuousClock.now - start < Wire.patience
            {
                try await connection.send(bytes: batch)
                sent += batch.count
            }
        } catch let error as PeerError where error.kind == .closed {
            // That is what the client should do.
        }
        return sent
    }

    /// A request that a flood answers must fail soon, and another one must be served, on whatever connection.
    ///
    /// - Parameter isDeaf: Whether the server does not read what the client says to it.
    private func ended(
        _ row: Row, secure: Bool = false, isDeaf: Bool = false, location: SourceLocation = #_sourceLocation
    ) async throws {
        let count = Mutex<Int?>(nil)
        try await FrameScene.withSession(secure: secure, location: location) { connection in
            if isDeaf, connection.number == 0 {
                try await connection.channel.setOption(.socketOption(.so_rcvbuf), value: 4_096).get()
            }
            try await connection.handshake()
            let stream = try await connection.request().stream
            guard connection.number == 0 else { return try await connection.respond(stream, text: "again") }
            // No answer may fall into a field block.
            connection.answersPings = false
            if isDeaf { try await connection.channel.setOption(.autoRead, value: false).get() }
            let sent = try await Self.flood(connection, stream, row)
            if isDeaf { try? await connection.channel.setOption(.autoRead, value: true).get() }
            try await FrameScene.settle(connection)
            count.withLock { $0 = sent }
            if !isDeaf {
                #expect(connection.isClosed || connection.resets[stream] != nil, sourceLocation: location)
            }
            if let next = try await connection.requestOrClosed() {
                // Whoever does not read cannot be told of a stream's end only.
                #expect(!isDeaf, sourceLocation: location)
                try await connection.respond(next.stream, text: "again")
            }
        } body: { api, peer in
            await FrameScene.failure([.limitExceeded, .malformedResponse], within: .seconds(100), location: location) {
                try await api.get("row")
            }
            // What is still under way could end the connection under another request.
            #expect(await eventually { count.withLock { $0 != nil } }, sourceLocation: location)
            try await api.expect("again", at: "again", location: location)
            #expect(peer.connectionCount <= 2, sourceLocation: location)
        }
        let sent = try #require(count.withLock { $0 }, sourceLocation: location)
        #expect(sent < Self.limit, "\(sent) bytes", sourceLocation: location)
    }

    @Test("Field blocks without end", arguments: blocks, [false, true])
    func block(row: Row, secure: Bool) async throws { try await ended(row, secure: secure) }

    @Test("Responses without end", arguments: contents, [false, true])
    func content(row: Row, secure: Bool) async throws { try await ended(row, secure: secure) }

    @Test("Questions by a server that does not read the answers", arguments: [false, true])
    func questions(secure: Bool) async throws {
        try await ended(Row("PING") { _ in Self.times(500, .ping()) }, secure: secure, isDeaf: true)
        try await ended(Row("SETTINGS") { _ in Self.times(500, .settings([])) }, secure: secure, isDeaf: true)
        try await ended(
            Row("SETTINGS with something in them") { _ in Self.times(200, .settings([(4, 70_000), (1, 0), (1, 4_096)]))
            },
            secure: secure, isDeaf: true)
    }

    @Test("RST_STREAM of a stream that is over", arguments: [false, true])
    func resets(secure: Bool) async throws {
        let count = Mutex<Int?>(nil)
        try await FrameScene.withSession(secure: secure) { connection in
            try await connection.handshake()
            let first = try await connection.request().stream
            try await connection.respond(first, text: connection.number == 0 ? "first" : "again")
            guard connection.number == 0 else { return }
            let second = try await connection.request().stream
            let row = Row("RST_STREAM") { _ in Self.times(500, .reset(first, .cancel)) }
            let sent = try await Self.flood(connection, second, row)
            count.withLock { $0 = sent }
            #expect(connection.isClosed)
        } body: { api, peer in
            try await api.expect("first", at: "row")
            // Of a method that is never repeated on another connection.
            await FrameScene.failure([.limitExceeded, .malformedResponse], within: .seconds(100)) {
                try await api.post("row")
            }
            try await api.expect("again", at: "again")
            expectEqual(peer.connectionCount, 2)
        }
        let sent = try #require(count.withLock { $0 })
        #expect(sent < Self.limit, "\(sent) bytes")
    }
}
