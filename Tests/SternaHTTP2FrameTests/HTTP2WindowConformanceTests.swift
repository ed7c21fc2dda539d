import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// What suites of conformance tests play to a client about windows and sizes: RFC 9113, 4.2, 6.9 and 6.9.1.
@Suite("HTTP/2: windows as conformance suites check them", .timeLimit(.minutes(5)))
struct HTTP2WindowConformanceTests {
    private static let ok = HeaderBlock.encode([(":status", "200")])
    private static let most: UInt32 = 0x7FFF_FFFF

    static let rows: [FrameRow] = [
        FrameRow("6.9: by nothing, on a stream whose answer has begun", .protocolError) {
            [.headers($0, ok), .windowUpdate($0, 0)]
        },
        FrameRow("6.9.1: by the most twice, on a stream whose answer has begun", .flowControlError) {
            [.headers($0, ok), .windowUpdate($0, most), .windowUpdate($0, most)]
        },
    ]

    /// The client's side has ended with its head; the stream is half-closed, and the update an error of the stream (5.4.2).
    @Test("A wrong update resets the stream", arguments: rows, [false, true])
    func reset(row: FrameRow, isAcknowledged: Bool) async throws {
        try await FrameScene.withSession { connection in
            try await connection.handshake(acknowledges: isAcknowledged)
            let stream = try await connection.request().stream
            // One after the other, as they come from a server that writes each frame by itself.
            for frame in row.frames(stream) {
                try await connection.send(frame)
                try await connection.roundTrip()
            }
            let reset = try await connection.receive(.reset, stream: stream)
            #expect(row.codes.contains(reset.code ?? 0))
            // Nothing more is said of it.
            try await connection.respond(connection.request().stream, text: "second")
            try await connection.roundTrip()
            expectEqual(connection.log.count { $0.kind == .reset }, 1)
            #expect(!connection.log.contains { $0.kind == .goAway })
        } body: { api, peer in
            await Wire.failure(.malformedResponse, .read) { try await api.get("row") }
            try await api.expect("second", at: "second")
            expectEqual(peer.connectionCount, 1)
        }
    }

    /// Frames of these types may be on their way while a stream ends, and what has no window has none to exceed (5.1, 6.9.1).
    @Test("The most twice, on a stream that both sides have ended, is discarded", arguments: [false, true])
    func ended(isOneWrite: Bool) async throws {
        try await FrameScene.withSession { connection in
            try await connection.handshake()
            let stream = try await connection.request().stream
            let frames: [WireFrame] = [
                .headers(stream, Self.ok), .data(stream, Array("first".utf8), end: true),
                .windowUpdate(stream, Self.most), .windowUpdate(stream, Self.most),
            ]
            if isOneWrite {
                try await connection.send(frames)
            } else {
                for frame in frames {
                    try await connection.send(frame)
                    try await connection.roundTrip()
                }
            }
            try await connection.respond(connection.request().stream, text: "second")
            try await connection.roundTrip()
            #expect(!connection.log.contains { $0.kind == .reset || $0.kind == .goAway })
        } body: { api, peer in
            try await api.expect("first", at: "first")
            try await api.expect("second", at: "second")
            expectEqual(peer.connectionCount, 1)
        }
    }

    @Test("4.2: content of 2^14 bytes that ends the answer, then PING: the client's first PING is the answer to it")
    func largestFrame() async throws {
        try await FrameScene.withSession { connection in
            try await connection.handshake()
            let stream = try await connection.request().stream
            let content = [UInt8](repeating: 0x78, count: 16_384)
            for frame: WireFrame in [.headers(stream, Self.ok), .data(stream, content, end: true), .ping()] {
                try await connection.send(frame)
            }
            _ = try await connection.receive(.ping)
            expectEqual(connection.log.first { $0.kind == .ping }?.isAck, true)
        } body: { api, _ in
            let body = try await api.get("row").body
            #expect(Wire.same(body, [UInt8](repeating: 0x78, count: 16_384)))
        }
    }
}
