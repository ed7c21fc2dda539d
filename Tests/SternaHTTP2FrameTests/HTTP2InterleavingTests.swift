import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Responses share a connection frame by frame (RFC 9113 §5).
@Suite("HTTP/2: interleaved responses", .timeLimit(.minutes(5)))
struct HTTP2InterleavingTests {
    private static func content(_ path: String) -> [UInt8] {
        Wire.pattern(4_000, seed: UInt8(path.dropFirst()) ?? 0)
    }

    /// Takes so many requests, in the order of their paths.
    private static func requests(_ connection: PeerConnection, _ count: Int) async throws -> [PeerRequest] {
        var requests: [PeerRequest] = []
        for _ in 0..<count { requests.append(try await connection.request()) }
        return requests.sorted { ($0.path ?? "") < ($1.path ?? "") }
    }

    /// Asks for so many at a time over a connection that is open, and looks at what comes.
    private func ask(_ api: Session, _ peer: FramePeer, _ count: Int) async throws {
        try await api.expect("open", at: "open")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...count {
                group.addTask {
                    let reply = try await api.get("\(number)")
                    #expect(Wire.same(reply.body, Self.content("/\(number)")), "\(number)")
                    expectEqual(reply.headers[.contentLength], "4000")
                    expectEqual(reply.headers[.eTag], "/\(number)")
                }
            }
            try await group.waitForAll()
        }
        expectEqual(peer.connectionCount, 1)
    }

    private static func head(_ request: PeerRequest) -> WireFrame {
        let fields = [(":status", "200"), ("content-length", "4000"), ("etag", request.path ?? "")]
        return .headers(request.stream, HeaderBlock.encode(fields))
    }

    @Test("Two, frame by frame, the later one ended first", arguments: [false, true])
    func two(secure: Bool) async throws {
        try await FrameScene.withSession(secure: secure) { connection in
            try await connection.handshake()
            try await connection.respond(connection.request().stream, text: "open")
            let requests = try await Self.requests(connection, 2)
            let contents = requests.map { Self.content($0.path ?? "") }
            var frames = requests.reversed().map(Self.head)
            for start in stride(from: 0, to: 4_000, by: 100) {
                for (request, content) in zip(requests, contents) {
                    frames.append(.data(request.stream, Array(content[start..<start + 100])))
                }
            }
            frames += requests.reversed().map { .data($0.stream, [], end: true) }
            try await connection.send(frames)
        } body: { api, peer in
            try await ask(api, peer, 2)
        }
    }

    @Test("Many, in turn, in pieces that cut frames", arguments: [1_000, 16_384, 100_000], [false, true])
    func many(size: Int, secure: Bool) async throws {
        let count = 8
        try await FrameScene.withSession(secure: secure) { connection in
            try await connection.handshake()
            try await connection.respond(connection.request().stream, text: "open")
            let requests = try await Self.requests(connection, count)
            expectEqual(Set(requests.map(\.stream)).count, count)
            var frames: [WireFrame] = []
            // Each begins a turn later than the one before it.
            for turn in 0..<count + 7 {
                for (place, request) in requests.enumerated() where (0..<8).contains(turn - place) {
                    let start = (turn - place) * 500
                    if start == 0 { frames.append(Self.head(request)) }
                    let piece = Array(Self.content(request.path ?? "")[start..<start + 500])
                    frames.append(.data(request.stream, piece, end: turn - place == 7))
                }
            }
            try await connection.sendSplit(frames, every: size)
        } body: { api, peer in
            try await ask(api, peer, count)
        }
    }

    @Test("A slow one holds up no other")
    func slow() async throws {
        let served = Counter()
        try await FrameScene.withSession { connection in
            try await connection.handshake()
            try await connection.respond(connection.request().stream, text: "open")
            let slow = try await connection.request()
            try await connection.send(Self.head(slow), .data(slow.stream, Array(Self.content("/1")[..<1_000])))
            for _ in 0..<5 { try await connection.respond(connection.request().stream, text: "quick") }
            #expect(await eventually { served.value == 5 })
            try await connection.send(.data(slow.stream, Array(Self.content("/1")[1_000...]), end: true))
        } body: { api, peer in
            try await api.expect("open", at: "open")
            async let slow = api.get("1")
            #expect(await eventually { peer.totalRequests == 2 })
            for _ in 0..<5 {
                try await api.expect("quick", at: "quick")
                served.add()
            }
            #expect(Wire.same(try await slow.body, Self.content("/1")))
            expectEqual(peer.connectionCount, 1)
        }
    }
}
