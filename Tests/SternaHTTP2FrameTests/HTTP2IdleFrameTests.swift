import NIOCore
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Frames without a message, without end: on a connection that nothing is under way on, while an answer is waited for, and
/// on a stream that was reset (RFC 9113 §10.5).
@Suite("HTTP/2: frames without a message", .serialized, .timeLimit(.minutes(5)))
struct HTTP2IdleFrameTests {
    private static let ok = HeaderBlock.encode([(":status", "200")])

    /// More than a client should take, and than the system's buffers hold.
    private static let limit = 32 << 20

    static let rows: [FrameRow] = [
        FrameRow("an unknown type") { _ in [.unknown(type: 0x5A)] },
        FrameRow("an unknown type with content") { _ in
            [.unknown(type: 0x5A, payload: [UInt8](repeating: 1, count: 5_000))]
        },
        FrameRow("WINDOW_UPDATE of a byte") { _ in [.windowUpdate(0, 1)] },
        FrameRow("WINDOW_UPDATE of a byte on a stream") { [.windowUpdate($0, 1)] },
        FrameRow("PRIORITY") { [.priority($0)] },
        FrameRow("ALTSVC without an origin") { _ in [.unknown(type: 10, payload: [0, 0])] },
        FrameRow("ORIGIN on a stream") { [.unknown(type: 12, stream: $0)] },
    ]

    /// What comes on a stream that the client has reset.
    static let late: [FrameRow] = [
        FrameRow("HEADERS") { [.headers($0, ok)] },
        FrameRow("DATA") { [.data($0, [1])] },
        FrameRow("WINDOW_UPDATE of nothing") { [.windowUpdate($0, 0)] },
    ]

    /// Sends frames until the client closes; returns how many bytes it took.
    private static func flood(_ connection: PeerConnection, _ frames: [WireFrame]) async throws -> Int {
        let batch = [[WireFrame]](repeating: frames, count: 100).flatMap { $0 }.flatMap(\.bytes)
        let start = ContinuousClock.now
        var sent = 0
        do {
            while !connection.isClosed, sent < limit, ContinuousClock.now - start < Wire.patience {
                try await connection.send(bytes: batch)
                sent += batch.count
            }
        } catch let error as PeerError where error.kind == .closed {
            // That is what the client should do.
        }
        try await FrameScene.settle(connection)
        return sent
    }

    private func check(_ connection: PeerConnection, _ sent: Int, location: SourceLocation = #_sourceLocation) {
        #expect(connection.isClosed, sourceLocation: location)
        #expect(sent < Self.limit, "\(sent) bytes", sourceLocation: location)
    }

    @Test("Nothing is under way", arguments: rows, [false, true])
    func idle(row: FrameRow, secure: Bool) async throws {
        let isOver = Gate()
        try await FrameScene.withSession(secure: secure) { connection in
            defer { isOver.open() }
            try await connection.handshake()
            let stream = try await connection.request().stream
            try await connection.respond(stream, text: connection.number == 0 ? "first" : "again")
            guard connection.number == 0 else { return }
            let sent = try await Self.flood(connection, row.frames(stream))
            check(connection, sent)
            if let last = connection.log.last(where: { $0.kind == .goAway }) {
                expectEqual(last.code, .enhanceYourCalm)
            }
        } body: { api, peer in
            try await api.expect("first", at: "row")
            await isOver.pass()
            try await api.expect("again", at: "again")
            expectEqual(peer.connectionCount, 2)
        }
    }

    @Test("An answer is waited for: its request fails soon", arguments: rows)
    func waiting(row: FrameRow) async throws {
        let isOver = Gate()
        try await FrameScene.withSession { connection in
            try await connection.handshake()
            let stream = try await connection.request().stream
            guard connection.number == 0 else { return try await connection.respond(stream, text: "again") }
            defer { isOver.open() }
            let sent = try await Self.flood(connection, row.frames(stream))
            check(connection, sent)
        } body: { api, peer in
            await FrameScene.failure([.limitExceeded], within: .seconds(15)) { try await api.get("row") }
            await isOver.pass()
            try await api.expect("again", at: "again")
            expectEqual(peer.connectionCount, 2)
        }
    }

    @Test("The stream was reset", arguments: late)
    func reset(row: FrameRow) async throws {
        let isOver = Gate()
        try await FrameScene.withSession { connection in
            try await connection.handshake()
            let stream = try await connection.request().stream
            guard connection.number == 0 else { return try await connection.respond(stream, text: "again") }
            defer { isOver.open() }
            _ = try await connection.resetCode(of: stream)
            let sent = try await Self.flood(connection, row.frames(stream))
            check(connection, sent)
        } body: { api, peer in
            let hasty = api.with { $0.timeouts.firstByte = Wire.short }
            await Wire.failure(.timedOut, .wait) { try await hasty.get("row") }
            await isOver.pass()
            try await api.expect("again", at: "again")
            expectEqual(peer.connectionCount, 2)
        }
    }

    @Test("A server that opens both windows for each small frame of a large upload is not one of those")
    func upload() async throws {
        let (pieces, size) = (4_000, 500)
        try await FrameScene.withSession { connection in
            try await connection.handshake()
            let stream = try await connection.request().stream
            var count = 0
            while count < pieces * size {
                let frame = try await connection.receive(.data, stream: stream)
                count += frame.payload.count
                guard frame.payload.count > 0 else { continue }
                let increment = UInt32(frame.payload.count)
                try await connection.send(.windowUpdate(0, increment), .windowUpdate(stream, increment))
            }
            try await connection.respond(stream, text: "all")
        } body: { api, peer in
            let content = HTTP2Scene.pieces(Wire.pattern(pieces * size), size)
            let body = Body.stream(content, length: Int64(pieces * size))
            let text = try await api.post("row", body: body).text()
            expectEqual(text, "all")
            expectEqual(peer.connectionCount, 1)
        }
    }
}
