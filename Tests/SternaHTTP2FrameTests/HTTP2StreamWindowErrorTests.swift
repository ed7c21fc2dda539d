import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// WINDOW_UPDATE that no server may send, on streams in every state (RFC 9113 §6.9, §6.9.1).
@Suite("HTTP/2: wrong windows of streams", .timeLimit(.minutes(5)))
struct HTTP2StreamWindowErrorTests {
    private static let ok = HeaderBlock.encode([(":status", "200")])
    private static let most: UInt32 = 0x7FFF_FFFF

    static let rows: [FrameRow] = [
        FrameRow("by nothing before the answer", .protocolError) { [.windowUpdate($0, 0)] },
        FrameRow("by nothing but the reserved bit", .protocolError) { [.windowUpdate($0, 1 << 31)] },
        FrameRow("by nothing behind the head", .protocolError) { [.headers($0, ok), .windowUpdate($0, 0)] },
        FrameRow("by nothing between content", .protocolError) {
            [.headers($0, ok), .data($0, [1]), .windowUpdate($0, 0), .data($0, [2], end: true)]
        },
        FrameRow("beyond the most before the answer", .flowControlError) { [.windowUpdate($0, most)] },
        FrameRow("beyond the most behind the head", .flowControlError) {
            [.headers($0, ok), .windowUpdate($0, most), .windowUpdate($0, most)]
        },
        FrameRow("beyond the most by a few bytes", .flowControlError) {
            // A body may have used three bytes up.
            [.headers($0, ok), .windowUpdate($0, most - 65_535), .windowUpdate($0, 4)]
        },
    ]

    @Test("A request without a body: its side has ended", arguments: rows)
    func ended(row: FrameRow) async throws {
        try await FrameScene.streamError(reset: .required(row.codes)) { connection, stream in
            try await connection.send(row.frames(stream))
        }
    }

    @Test("A request whose body is on its way", arguments: rows)
    func open(row: FrameRow) async throws {
        let ends = Gate()
        try await FrameScene.streamError(reset: .required(row.codes)) { connection, stream in
            try await connection.send(row.frames(stream))
        } ask: { api in
            defer { ends.open() }
            _ = try await api.post("row", body: HTTP2Scene.body([1, 2, 3], endsAt: ends))
        }
    }

    @Test("The most there is, and not a byte more, is good")
    func most() async throws {
        try await FrameScene.withSession { connection in
            try await connection.handshake()
            let stream = try await connection.request().stream
            try await connection.send(.headers(stream, Self.ok), .windowUpdate(stream, Self.most - 65_535))
            try await connection.sendBody(stream, Array("good".utf8))
            // On a stream that is over there is no window that it could be too much for.
            try await connection.send(.windowUpdate(stream, Self.most), .windowUpdate(stream, Self.most))
            try await connection.respond(connection.request().stream, text: "second")
            #expect(!connection.log.contains { $0.kind == .reset || $0.kind == .goAway })
        } body: { api, peer in
            try await api.expect("good", at: "row")
            try await api.expect("second", at: "second")
            expectEqual(peer.connectionCount, 1)
        }
    }

    @Test("A stream that is over, opened by nothing, is reset, and nothing else ends", arguments: [false, true])
    func over(isReset: Bool) async throws {
        try await FrameScene.withSession { connection in
            try await connection.handshake()
            let stream = try await connection.request().stream
            if isReset {
                _ = try await connection.resetCode(of: stream)
                _ = try await connection.receive(.reset, stream: stream)
                try await connection.send(.windowUpdate(stream, 0))
            } else {
                // In one write: the stream is over when the second frame is looked at.
                try await connection.send(.headers(stream, Self.ok, end: true))
                try await connection.roundTrip()
                try await connection.send(.windowUpdate(stream, 0))
            }
            try await expectEqual(connection.receive(.reset, stream: stream).code, .protocolError)
            try await connection.respond(connection.request().stream, text: "second")
            #expect(!connection.log.contains { $0.kind == .goAway })
        } body: { api, peer in
            if isReset {
                let hasty = api.with { $0.timeouts.firstByte = Wire.short }
                await Wire.failure(.timedOut, .wait) { try await hasty.get("row") }
            } else {
                try await api.get("row")
            }
            try await api.expect("second", at: "second")
            expectEqual(peer.connectionCount, 1)
        }
    }

    @Test("A stream that never was: the connection ends")
    func idle() async throws {
        try await FrameScene.connectionError(codes: [.protocolError]) { connection, stream in
            try await connection.send(.windowUpdate(stream + 100, 0))
        }
    }
}
