import HTTPTypes
import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// All the ways in which frames may say one and the same response.
@Suite("HTTP/2: the frames of good responses", .timeLimit(.minutes(5)))
struct HTTP2ResponseFramesTests {
    private static let name = HTTPField.Name("X-A") ?? .eTag
    private static let block = HeaderBlock.encode([(":status", "200"), ("x-a", "one")])
    private static let text = Array("hello".utf8)

    private static func head(_ stream: UInt32, padding: UInt8? = nil) -> WireFrame {
        .headers(stream, block, padding: padding)
    }

    private static func body(_ stream: UInt32) -> WireFrame { .data(stream, text, end: true) }

    /// The head in so many frames.
    private static func pieces(_ stream: UInt32, _ count: Int) -> [WireFrame] {
        let size = (block.count + count - 1) / count
        return WireFrame.headerFrames(stream, block, maximum: size)
    }

    private static func flagged(_ frame: WireFrame, _ flags: UInt8) -> WireFrame {
        var frame = frame
        frame.flags |= flags
        return frame
    }

    private static func reserved(_ frame: WireFrame) -> WireFrame {
        var frame = frame
        frame.reserved = true
        return frame
    }

    static let rows: [FrameRow] = data + heads + ignored + priorities + extensions

    static let data: [FrameRow] = [
        FrameRow("one frame") { [head($0), body($0)] },
        FrameRow("a frame for each byte") { stream in
            [head(stream)] + text.map { .data(stream, [$0]) } + [.data(stream, [], end: true)]
        },
        FrameRow("empty frames in front, within and behind") {
            [
                head($0), .data($0, []), .data($0, []), .data($0, Array(text[..<2])), .data($0, []),
                .data($0, Array(text[2...])), .data($0, [], end: true),
            ]
        },
        FrameRow("padding of no byte") { [head($0), .data($0, text, end: true, padding: 0)] },
        FrameRow("padding of a byte") { [head($0), .data($0, text, end: true, padding: 1)] },
        FrameRow("padding of 255 bytes") { [head($0), .data($0, text, end: true, padding: 255)] },
        FrameRow("nothing but padding") {
            [head($0), .data($0, [], padding: 9), .data($0, text), .data($0, [], end: true, padding: 200)]
        },
        FrameRow("padding that is not zero") {
            [
                head($0),
                WireFrame(
                    .data, flags: WireFrame.Flag.padded | WireFrame.Flag.endStream, stream: $0,
                    payload: [3] + text + [1, 2, 3]),
            ]
        },
    ]

    static let heads: [FrameRow] = [
        FrameRow("a padded head") { [head($0, padding: 9), body($0)] },
        FrameRow("a head with padding of no byte") { [head($0, padding: 0), body($0)] },
        FrameRow("a head with a priority") { [.headers($0, block, priority: .init(dependency: 0)), body($0)] },
        FrameRow("a padded head with a priority") {
            [.headers($0, block, padding: 255, priority: .init(dependency: 5, exclusive: true, weight: 255)), body($0)]
        },
        FrameRow("a padded head that goes on") {
            [
                .headers($0, Array(block[..<4]), endHeaders: false, padding: 7),
                .continuation($0, Array(block[4...])), body($0),
            ]
        },
        FrameRow("a head that begins empty and goes on") {
            [.headers($0, [], endHeaders: false), .continuation($0, block), body($0)]
        },
        FrameRow("a head that goes on with nothing") {
            [.headers($0, block, endHeaders: false), .continuation($0, []), body($0)]
        },
        FrameRow("2 pieces") { pieces($0, 2) + [body($0)] }, FrameRow("3 pieces") { pieces($0, 3) + [body($0)] },
        FrameRow("5 pieces") { pieces($0, 5) + [body($0)] }, FrameRow("9 pieces") { pieces($0, 9) + [body($0)] },
    ]

    static let ignored: [FrameRow] = [
        FrameRow("unknown frames everywhere") { stream in
            let unknown = [0, stream, stream + 100, 2].map { (other: UInt32) in
                WireFrame.unknown(type: 0x5A, flags: 0xFF, stream: other, payload: [1, 2, 3])
            }
            return unknown + [head(stream)] + unknown + [.data(stream, text)] + unknown
                + [.data(stream, [], end: true)] + unknown
        },
        FrameRow("unknown frames, empty and of 16,384 bytes") {
            [
                .unknown(type: 0x42), .unknown(type: 0xFF, payload: [UInt8](repeating: 7, count: 16_384)), head($0),
                body($0),
            ]
        },
        FrameRow("unknown flags") {
            // Neither the bit of END_STREAM where there is none, nor that of padding and priorities.
            [flagged(head($0), 0xD2), flagged(.data($0, text), 0xF6), flagged(.data($0, [], end: true), 0xF6)]
        },
        FrameRow("END_STREAM's bit on CONTINUATION") {
            [.headers($0, [], endHeaders: false), flagged(.continuation($0, block), 0xFB), body($0)]
        },
        FrameRow("unknown flags of SETTINGS, PING and WINDOW_UPDATE") {
            [
                flagged(.settings([]), 0xFE), flagged(.ping(), 0xFE), flagged(.windowUpdate(0, 1), 0xFF),
                flagged(.windowUpdate($0, 1), 0xFF), head($0), body($0),
            ]
        },
        FrameRow("the reserved bit") {
            [reserved(head($0)), reserved(.settings([])), reserved(.windowUpdate(0, 1)), reserved(body($0))]
        },
        FrameRow("the reserved bit of an increment") {
            [.windowUpdate(0, 1 << 31 | 1), .windowUpdate($0, 1 << 31 | 1), head($0), body($0)]
        },
        FrameRow("unknown settings") { stream in
            let unknown: [(UInt16, UInt32)] = [(0x0A0A, 1), (0xFFFF, .max), (0, 7)]
            let known: [(UInt16, UInt32)] = [(WireFrame.Setting.maxFrameSize, 16_384)]
            return [.settings(unknown), .settings([]), .settings(unknown + known), head(stream), body(stream)]
        },
        FrameRow("an acknowledgement of a PING that nobody sent") {
            [.ping([9, 9, 9, 9, 9, 9, 9, 9], ack: true), head($0), body($0)]
        },
    ]

    static let priorities: [FrameRow] = [
        FrameRow("PRIORITY of the stream, of idle ones, and of ended ones") {
            [
                .priority($0), .priority($0 + 2, .init(dependency: $0)), .priority(2), .priority(0x7FFF_FFFF),
                head($0), .priority($0, .init(dependency: 99, exclusive: true, weight: 0)), body($0), .priority($0),
            ]
        }
    ]

    static let extensions: [FrameRow] = [
        FrameRow("ALTSVC and ORIGIN") {
            [
                .unknown(type: 0xA, payload: [0, 8] + Array("http://a".utf8) + Array("h3=\":443\"".utf8)),
                .unknown(type: 0xC, payload: [0, 9] + Array("https://a".utf8)), head($0), body($0),
            ]
        }
    ]

    /// How many SETTINGS and PING have to be acknowledged.
    private static func questions(_ frames: [WireFrame]) -> Int {
        frames.count { ($0.kind == .settings || $0.kind == .ping) && !$0.isAck }
    }

    @Test("They give one response", arguments: rows, [false, true])
    func response(row: FrameRow, secure: Bool) async throws {
        // One acknowledgement for each, for the first SETTINGS, and for the PING of the round trip.
        let answers = Self.questions(row.frames(1) + row.frames(3)) + 2
        try await FrameScene.withSession(secure: secure) { connection in
            try await connection.handshake()
            for _ in 0..<2 {
                let stream = try await connection.request().stream
                try await connection.send(row.frames(stream))
            }
            try await connection.roundTrip()
            #expect(!connection.log.contains { $0.kind == .reset || $0.kind == .goAway })
            #expect(connection.log.count { $0.isAck } == answers)
        } body: { api, peer in
            for _ in 0..<2 {
                let reply = try await api.get("row")
                expectEqual(reply.status, 200)
                expectEqual(reply.headers[Self.name], "one")
                expectEqual(reply.headers.count, 1)
                try await expectEqual(reply.text(), "hello")
            }
            expectEqual(peer.connectionCount, 1)
        }
    }

    @Test("A head that ends the stream is over when its last piece is there")
    func endedHead() async throws {
        try await FrameScene.withSession { connection in
            try await connection.handshake()
            let stream = try await connection.request().stream
            try await connection.send(WireFrame.headerFrames(stream, Self.block, end: true, maximum: 8))
            try await connection.respond(connection.request().stream, text: "next")
            try await connection.roundTrip()
            #expect(!connection.log.contains { $0.kind == .reset })
        } body: { api, peer in
            let reply = try await api.get("row")
            expectEqual(reply.headers[Self.name], "one")
            expectEqual(reply.body.readableBytes, 0)
            try await api.expect("next", at: "next")
            expectEqual(peer.connectionCount, 1)
        }
    }

    @Test("Fields of one name stay lines, in their order")
    func cookies() async throws {
        let cookies = ["a=1; Path=/", "b=2, c", "a=3"]
        try await FrameScene.withSession { connection in
            try await connection.handshake()
            try await connection.respond(
                connection.request().stream,
                headers: [("set-cookie", cookies[0]), ("x-a", "one")] + cookies[1...].map { ("set-cookie", $0) },
                text: "ok", indexed: true)
        } body: { api, _ in
            let reply = try await api.get("row")
            expectEqual(reply.headers[values: .setCookie], cookies)
            expectEqual(reply.headers[Self.name], "one")
        }
    }

    @Test("Values as they may be: empty, with blanks within, with bytes beyond ASCII, and long")
    func values() async throws {
        let values = ["", "a b\tc", "\u{E9}\u{4E2D}", "\"q, r\"; s=t", String(repeating: "v", count: 60_000)]
        try await FrameScene.withSession { connection in
            try await connection.handshake()
            try await connection.respond(connection.request().stream, headers: values.map { ("x-a", $0) }, text: "ok")
        } body: { api, _ in
            let reply = try await api.get("row")
            expectEqual(reply.headers[values: Self.name].map { Array($0.utf8) }, values.map { Array($0.utf8) })
        }
    }

    @Test("Statuses beyond those that are known", arguments: [200, 206, 299, 418, 599, 600, 999])
    func statuses(status: Int) async throws {
        try await FrameScene.withSession { connection in
            try await connection.handshake()
            try await connection.respond(connection.request().stream, status: status, text: "body")
        } body: { api, _ in
            try await api.withResponse(to: .get("row")) { response in
                expectEqual(response.status.code, status)
                let body = try await response.body.collect(upTo: 10)
                expectEqual(body.text, "body")
            }
        }
    }
}
