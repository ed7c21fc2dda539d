import Sterna
import SternaTesting
import Testing

@testable import SternaWireTestSupport

/// Frames that are the connection's error by themselves (RFC 9113 §4.2, §6).
@Suite("HTTP/2: wrong frames", .timeLimit(.minutes(5)))
struct HTTP2FrameErrorTests {
    private static let ok = HeaderBlock.encode([(":status", "200")])

    /// A frame with so many bytes of payload.
    private static func sized(
        _ kind: WireFrame.Kind, _ count: Int, flags: UInt8 = 0, stream: UInt32 = 0
    ) -> WireFrame {
        WireFrame(kind, flags: flags, stream: stream, payload: [UInt8](repeating: 0, count: count))
    }

    static let sizes: [FrameRow] =
        [1, 5, 7, 11].map { count in
            FrameRow("SETTINGS of \(count) bytes", .frameSizeError) { _ in [sized(.settings, count)] }
        } + [
            FrameRow("an acknowledgement of SETTINGS with settings in it", .frameSizeError) { _ in
                [sized(.settings, 6, flags: WireFrame.Flag.ack)]
            }
        ]
        + [0, 7, 9, 16].map { count in
            FrameRow("PING of \(count) bytes", .frameSizeError) { _ in [sized(.ping, count)] }
        }
        + [0, 3, 5, 8].flatMap { count in
            [
                FrameRow("WINDOW_UPDATE of \(count) bytes", .frameSizeError) { _ in [sized(.windowUpdate, count)] },
                FrameRow("WINDOW_UPDATE of \(count) bytes on a stream", .frameSizeError) {
                    [sized(.windowUpdate, count, stream: $0)]
                },
                FrameRow("RST_STREAM of \(count) bytes", .frameSizeError) { [sized(.reset, count, stream: $0)] },
            ]
        }
        + [0, 7].map { count in
            FrameRow("GOAWAY of \(count) bytes", .frameSizeError) { _ in [sized(.goAway, count)] }
        }

    static let streams: [FrameRow] = [
        FrameRow("SETTINGS on a stream", .protocolError) { [WireFrame(.settings, stream: $0)] },
        FrameRow("SETTINGS with settings on a stream", .protocolError) { [sized(.settings, 6, stream: $0)] },
        FrameRow("PING on a stream", .protocolError) { [sized(.ping, 8, stream: $0)] },
        FrameRow("GOAWAY on a stream", .protocolError) { [sized(.goAway, 8, stream: $0)] },
        FrameRow("DATA on no stream", .protocolError) { _ in [.data(0, [1, 2, 3])] },
        FrameRow("DATA that ends no stream", .protocolError) { _ in [.data(0, [], end: true)] },
        FrameRow("HEADERS on no stream", .protocolError) { _ in [.headers(0, ok, end: true)] },
        FrameRow("RST_STREAM on no stream", .protocolError) { _ in [.reset(0, .cancel)] },
        FrameRow("PRIORITY on no stream", .protocolError) { _ in [.priority(0)] },
        FrameRow("CONTINUATION on no stream", .protocolError) { _ in [.continuation(0, ok)] },
        FrameRow("PUSH_PROMISE on no stream", .protocolError) { _ in [.pushPromise(0, promised: 2, ok)] },
    ]

    static let padding: [FrameRow] = [
        FrameRow("DATA with more padding than payload", .protocolError) {
            [.headers($0, ok), WireFrame(.data, flags: WireFrame.Flag.padded, stream: $0, payload: [3, 1, 2])]
        },
        FrameRow("DATA with 255 bytes of padding that are not there", .protocolError) {
            [.headers($0, ok), WireFrame(.data, flags: WireFrame.Flag.padded, stream: $0, payload: [255])]
        },
        FrameRow("HEADERS with more padding than payload", .protocolError) {
            [
                WireFrame(
                    .headers, flags: WireFrame.Flag.padded | WireFrame.Flag.endHeaders, stream: $0,
                    payload: [UInt8(ok.count + 1)] + ok)
            ]
        },
        FrameRow("HEADERS with padding that reaches into the priority", .protocolError) {
            [
                WireFrame(
                    .headers,
                    flags: WireFrame.Flag.padded | WireFrame.Flag.priority | WireFrame.Flag.endHeaders, stream: $0,
                    payload: [3, 0, 0, 0, 0, 1, 0])
            ]
        },
        FrameRow("DATA too short for the padding's length", .frameSizeError, .protocolError) {
            [.headers($0, ok), WireFrame(.data, flags: WireFrame.Flag.padded, stream: $0)]
        },
        FrameRow("HEADERS too short for the padding's length", .frameSizeError, .protocolError) {
            [WireFrame(.headers, flags: WireFrame.Flag.padded | WireFrame.Flag.endHeaders, stream: $0)]
        },
        FrameRow("HEADERS too short for the priority", .frameSizeError, .protocolError) {
            [
                WireFrame(
                    .headers, flags: WireFrame.Flag.priority | WireFrame.Flag.endHeaders, stream: $0,
                    payload: [0, 0, 0, 0])
            ]
        },
    ]

    @Test("Lengths that the type does not have", arguments: sizes)
    func size(row: FrameRow) async throws {
        try await FrameScene.connectionError(codes: row.codes) { connection, stream in
            try await connection.send(bytes: row.frames(stream).flatMap(\.bytes))
        }
    }

    @Test("Streams that the type does not have", arguments: streams)
    func stream(row: FrameRow) async throws {
        try await FrameScene.connectionError(codes: row.codes) { connection, stream in
            try await connection.send(bytes: row.frames(stream).flatMap(\.bytes))
        }
    }

    @Test("Padding that is longer than the frame", arguments: padding)
    func padded(row: FrameRow) async throws {
        try await FrameScene.connectionError(codes: row.codes) { connection, stream in
            try await connection.send(bytes: row.frames(stream).flatMap(\.bytes))
        }
    }

    @Test("With TLS, and with several requests under way", arguments: sizes.prefix(1) + streams.prefix(1))
    func several(row: FrameRow) async throws {
        for secure in [false, true] {
            try await FrameScene.connectionError(codes: row.codes, requests: 3, secure: secure) { connection, stream in
                try await connection.send(bytes: row.frames(stream).flatMap(\.bytes))
            }
        }
    }

    @Test(
        "A frame longer than the client allows is refused by its first nine bytes",
        arguments: [WireFrame.Kind.data, .headers, .settings, .ping].map(\.rawValue) + [0x5A],
        [1, 0xFF_FFFF])
    func long(type: UInt8, excess: Int) async throws {
        try await FrameScene.connectionError(codes: [.frameSizeError]) { connection, stream in
            let maximum = connection.look { $0.maximumFrame }
            let onStream = type < 2
            if type == 0 { try await connection.send(.headers(stream, Self.ok)) }
            let frame = WireFrame(
                type: type, flags: 0, stream: onStream ? stream : 0, rawLength: min(0xFF_FFFF, maximum + excess))
            try await connection.send(bytes: frame.bytes)
        }
    }

    @Test("A frame as long as the client allows is good")
    func longest() async throws {
        try await FrameScene.withSession { connection in
            try await connection.handshake()
            let stream = try await connection.request().stream
            let maximum = connection.look { $0.maximumFrame }
            #expect(maximum >= 16_384)
            try await connection.send(.headers(stream, Self.ok), .data(stream, Wire.pattern(16_384), end: true))
        } body: { api, _ in
            let reply = try await api.get("row")
            #expect(Wire.same(reply.body, Wire.pattern(16_384)))
        }
    }
}
