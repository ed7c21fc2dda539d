import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Servers that do not begin with SETTINGS (RFC 9113 §3.4), or speak no HTTP/2 at all.
@Suite("HTTP/2: a connection's wrong beginning", .timeLimit(.minutes(5)))
struct HTTP2OpeningErrorTests {
    private static let ok = HeaderBlock.encode([(":status", "200")])

    /// What a first connection says at once must fail the request soon and close; the second one is good.
    private func refused(
        secure: Bool = false, closes: Bool = false, location: SourceLocation = #_sourceLocation,
        _ bytes: @escaping @Sendable () -> [UInt8]
    ) async throws {
        try await FrameScene.withSession(secure: secure, location: location) { connection in
            guard connection.number == 0 else {
                try await connection.handshake()
                return try await connection.respond(connection.request().stream, text: "again")
            }
            try await connection.receivePreface()
            try await connection.send(bytes: bytes())
            if closes {
                try await connection.closeOutput()
            }
            try await connection.waitForClose()
        } body: { api, peer in
            await FrameScene.failure(
                [.malformedResponse], [.connect, .tls, .write, .wait, .read], within: .seconds(10), location: location
            ) {
                try await api.get("row")
            }
            expectEqual(peer.connectionCount, 1, sourceLocation: location)
            try await api.expect("again", at: "again", location: location)
            expectEqual(peer.connectionCount, 2, sourceLocation: location)
        }
    }

    static let frames: [FrameRow] = [
        FrameRow("PING") { _ in [.ping()] }, FrameRow("WINDOW_UPDATE") { _ in [.windowUpdate(0, 1)] },
        FrameRow("an acknowledgement of SETTINGS") { _ in [.settingsAck] },
        FrameRow("HEADERS") { [.headers($0, ok, end: true)] },
        FrameRow("HEADERS and DATA") { [.headers($0, ok), .data($0, [1], end: true)] },
        FrameRow("PRIORITY") { [.priority($0)] },
        FrameRow("PING before SETTINGS") { _ in [.ping(), .settings([]), .settingsAck] },
    ]

    @Test("Another frame first", arguments: frames, [false, true])
    func frame(row: FrameRow, secure: Bool) async throws {
        try await refused(secure: secure) { row.frames(1).flatMap(\.bytes) }
    }

    static let texts = [
        "HTTP/1.1 400 Bad Request\r\n\r\n",
        "HTTP/1.1 400 Bad Request\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbad",
        "HTTP/1.0 505 HTTP Version Not Supported\r\n\r\n", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n",
        "220 mail.test ESMTP ready\r\n", "SSH-2.0-OpenSSH_9.6\r\n", "<html><body>400</body></html>",
    ]

    @Test("An answer of HTTP/1.1, or of no HTTP at all", arguments: texts, [false, true])
    func text(text: String, closes: Bool) async throws {
        try await refused(closes: closes) { Array(text.utf8) }
    }

    @Test("With TLS and h2 agreed on it is no better", arguments: texts.prefix(2))
    func secure(text: String) async throws { try await refused(secure: true) { Array(text.utf8) } }

    @Test("An answer of HTTP/1.1 is recognised, and the error says so")
    func message() async throws {
        try await FramePeer.withPeer { connection in
            try await connection.receivePreface()
            try await connection.send(bytes: Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
            try await connection.waitForClose()
        } body: { peer in
            let api = try FrameScene.session(peer)
            let error = await FrameScene.failure([.malformedResponse], [.connect, .tls, .write, .wait, .read]) {
                try await api.get("row")
            }
            expectEqual(error?.description.contains("HTTP/1"), true, "\(error.map { "\($0)" } ?? "")")
            expectEqual(peer.connectionCount, 1)
        }
    }

    static let settings: [FrameRow] = [
        FrameRow("MAX_FRAME_SIZE below the least") { _ in [.settings([(5, 16_383)])] },
        FrameRow("INITIAL_WINDOW_SIZE beyond the most") { _ in [.settings([(4, 1 << 31)])] },
        FrameRow("ENABLE_PUSH of 2") { _ in [.settings([(2, 2)])] },
        FrameRow("ENABLE_PUSH of 1") { _ in [.settings([(2, 1)])] },
        FrameRow("a length that no settings have") { _ in [WireFrame(.settings, payload: [0])] },
    ]

    @Test("SETTINGS that no server may begin with are wrong HTTP/2, not another protocol", arguments: settings)
    func setting(row: FrameRow) async throws {
        try await FramePeer.withPeer { connection in
            try await connection.receivePreface()
            try await connection.send(row.frames(1))
            try await connection.waitForClose()
        } body: { peer in
            let api = try FrameScene.session(peer)
            let error = await FrameScene.failure([.malformedResponse], [.connect, .tls, .write, .wait, .read]) {
                try await api.get("row")
            }
            expectEqual(error?.description.contains("broke HTTP/2"), true, "\(error.map { "\($0)" } ?? "")")
            expectEqual(error?.description.contains("HTTP/1"), false)
        }
    }

    @Test("Random bytes", arguments: 0..<20)
    func noise(seed: Int) async throws {
        let bytes = Wire.pattern(200, seed: UInt8(seed + 1))
        // Long enough that whatever length they say is refused, or is there.
        try await refused { [0xFF, 0xFF, 0xFF] + bytes }
    }
}
