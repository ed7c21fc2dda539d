import HTTPTypes
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// A response is the same in whatever pieces the network hands it over.
@Suite("HTTP/2: responses in pieces", .timeLimit(.minutes(5)))
struct HTTP2SplitResponseTests {
    private static let name = HTTPField.Name("X-Sum") ?? .eTag

    /// An interim head, a padded head in two frames, content in several, trailers, and other frames between.
    private static func frames(_ stream: UInt32) -> [WireFrame] {
        let head = HeaderBlock.encode([(":status", "200"), ("content-length", "9")], indexed: true)
        return [
            .headers(stream, HeaderBlock.encode([(":status", "103"), ("link", "</a>")])), .ping(),
            .headers(stream, Array(head[..<3]), endHeaders: false, padding: 2),
            .continuation(stream, Array(head[3...])),
            .data(stream, Array("one".utf8)), .windowUpdate(0, 1), .data(stream, Array("two".utf8), padding: 4),
            .unknown(type: 0x5A, payload: [1]), .data(stream, Array("end".utf8)),
            .headers(stream, HeaderBlock.encode([("x-sum", "9")]), end: true),
        ]
    }

    private static let length = frames(1).flatMap(\.bytes).count

    private func check(_ api: Session) async throws {
        let told = Mutex<[Int]>([])
        let reply = try await api.get("row") {
            $0.onInformational = { response in told.withLock { $0.append(response.status) } }
        }
        try await expectEqual(reply.text(), "onetwoend")
        expectEqual(reply.headers.count, 1)
        expectEqual(reply.response.body.trailers?[Self.name], "9")
        expectEqual(told.withLock { $0 }, [103])
    }

    @Test("Pieces of every size", arguments: [false, true])
    func sizes(secure: Bool) async throws {
        try await FrameScene.withSession(secure: secure) { connection in
            try await connection.handshake()
            for size in 1...Self.length {
                let stream = try await connection.request().stream
                try await connection.sendSplit(Self.frames(stream), every: size)
            }
            try await connection.roundTrip()
            #expect(!connection.log.contains { $0.kind == .reset || $0.kind == .goAway })
        } body: { api, peer in
            for _ in 1...Self.length { try await check(api) }
            expectEqual(peer.connectionCount, 1)
        }
    }

    @Test("Two pieces, cut at every place")
    func cuts() async throws {
        try await FrameScene.withSession { connection in
            try await connection.handshake()
            for cut in 1..<Self.length {
                let stream = try await connection.request().stream
                let bytes = Self.frames(stream).flatMap(\.bytes)
                try await connection.sendSplit(bytes, at: [cut])
            }
        } body: { api, peer in
            for _ in 1..<Self.length { try await check(api) }
            expectEqual(peer.connectionCount, 1)
        }
    }

    @Test("From the first byte of the connection", arguments: [1, 2, 3, 7, 9, 13], [false, true])
    func opening(size: Int, secure: Bool) async throws {
        try await FrameScene.withSession(secure: secure) { connection in
            try await connection.receivePreface()
            _ = try await connection.receive(.settings)
            let settings = WireFrame.settings([(WireFrame.Setting.maxConcurrentStreams, 7)])
            try await connection.sendSplit([settings, .settingsAck, .windowUpdate(0, 9)], every: size)
            try await connection.sendSplit(Self.frames(connection.request().stream), every: size)
        } body: { api, peer in
            try await check(api)
            expectEqual(peer.connectionCount, 1)
        }
    }

    @Test("The response is there before the request is asked for more: all in one write with SETTINGS' acknowledgement")
    func together() async throws {
        try await FrameScene.withSession { connection in
            try await connection.handshake(acknowledges: false)
            let stream = try await connection.request().stream
            try await connection.send([.settingsAck] + Self.frames(stream))
        } body: { api, _ in
            try await check(api)
        }
    }
}
