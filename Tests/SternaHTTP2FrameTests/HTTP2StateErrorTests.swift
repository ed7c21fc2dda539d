import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Frames that are good by themselves, but not there (RFC 9113 §5.1, §6.5, §6.6, §6.9).
@Suite("HTTP/2: frames out of place", .timeLimit(.minutes(5)))
struct HTTP2StateErrorTests {
    private static let ok = HeaderBlock.encode([(":status", "200")])

    /// Streams that nobody has begun, as the first request's stream has it.
    static let idle: [FrameRow] = [
        FrameRow("HEADERS on a stream that is idle", .protocolError) { [.headers($0 + 100, ok, end: true)] },
        FrameRow("HEADERS on the next stream", .protocolError) { [.headers($0 + 2, ok)] },
        FrameRow("HEADERS on a stream of the server's", .protocolError) { _ in [.headers(2, ok, end: true)] },
        FrameRow("HEADERS on the last stream there is", .protocolError) { _ in [.headers(0x7FFF_FFFF, ok)] },
        FrameRow("DATA on a stream that is idle", .protocolError) { [.data($0 + 100, [1, 2, 3])] },
        FrameRow("DATA on a stream of the server's", .protocolError) { _ in [.data(2, [1, 2, 3], end: true)] },
        FrameRow("RST_STREAM on a stream that is idle", .protocolError) { [.reset($0 + 100, .cancel)] },
        FrameRow("RST_STREAM on a stream of the server's", .protocolError) { _ in [.reset(2, .cancel)] },
        FrameRow("WINDOW_UPDATE on a stream that is idle", .protocolError) { [.windowUpdate($0 + 100, 1)] },
        FrameRow("WINDOW_UPDATE on a stream of the server's", .protocolError) { _ in [.windowUpdate(2, 1)] },
    ]

    static let windows: [FrameRow] = [
        FrameRow("WINDOW_UPDATE of nothing", .protocolError) { _ in [.windowUpdate(0, 0)] },
        FrameRow("WINDOW_UPDATE of nothing but the reserved bit", .protocolError) { _ in [.windowUpdate(0, 1 << 31)] },
        FrameRow("WINDOW_UPDATE beyond the most", .flowControlError) { _ in [.windowUpdate(0, 0x7FFF_FFFF)] },
        FrameRow("WINDOW_UPDATE beyond the most, in parts", .flowControlError) { _ in
            [.windowUpdate(0, 0x4000_0000), .windowUpdate(0, 0x4000_0000)]
        },
    ]

    static let settings: [FrameRow] = [
        FrameRow("ENABLE_PUSH by a server", .protocolError) { _ in [.settings([(2, 1)])] },
        FrameRow("ENABLE_PUSH of 2", .protocolError) { _ in [.settings([(2, 2)])] },
        FrameRow("INITIAL_WINDOW_SIZE beyond the most", .flowControlError) { _ in [.settings([(4, 1 << 31)])] },
        FrameRow("INITIAL_WINDOW_SIZE of all bits", .flowControlError) { _ in [.settings([(4, .max)])] },
        FrameRow("MAX_FRAME_SIZE of nothing", .protocolError) { _ in [.settings([(5, 0)])] },
        FrameRow("MAX_FRAME_SIZE below the least", .protocolError) { _ in [.settings([(5, 16_383)])] },
        FrameRow("MAX_FRAME_SIZE beyond the most", .protocolError) { _ in [.settings([(5, 1 << 24)])] },
    ]

    static let pushes: [FrameRow] = [
        FrameRow("PUSH_PROMISE on the request's stream", .protocolError) {
            [.pushPromise($0, promised: 2, HeaderBlock.encode([(":method", "GET"), (":path", "/")]))]
        },
        FrameRow("PUSH_PROMISE behind the head", .protocolError) {
            [
                .headers($0, ok), .pushPromise($0, promised: 2, HeaderBlock.encode([(":method", "GET")])),
                .data($0, [1], end: true),
            ]
        },
        FrameRow("PUSH_PROMISE of a client's stream", .protocolError) { [.pushPromise($0, promised: 3, ok)] },
    ]

    @Test("Streams that were never begun", arguments: idle)
    func unbegun(row: FrameRow) async throws {
        try await FrameScene.connectionError(codes: row.codes) { connection, stream in
            try await connection.send(row.frames(stream))
        }
    }

    @Test("Windows of the connection", arguments: windows)
    func window(row: FrameRow) async throws {
        try await FrameScene.connectionError(codes: row.codes) { connection, stream in
            try await connection.send(row.frames(stream))
        }
    }

    @Test("Settings that no server may have", arguments: settings)
    func setting(row: FrameRow) async throws {
        try await FrameScene.connectionError(codes: row.codes) { connection, stream in
            try await connection.send(row.frames(stream))
        }
    }

    @Test("Pushes, which were turned off", arguments: pushes)
    func push(row: FrameRow) async throws {
        try await FrameScene.connectionError(codes: row.codes) { connection, stream in
            expectEqual(connection.clientSettings[WireFrame.Setting.enablePush], 0)
            try await connection.send(row.frames(stream))
        }
    }

    @Test("With TLS, and with several requests under way", arguments: [idle[0], windows[2], settings[5], pushes[0]])
    func several(row: FrameRow) async throws {
        for secure in [false, true] {
            try await FrameScene.connectionError(codes: row.codes, requests: 3, secure: secure) { connection, stream in
                try await connection.send(row.frames(stream))
            }
        }
    }
}
