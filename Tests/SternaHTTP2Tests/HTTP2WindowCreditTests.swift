import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// What is not handed to anybody counts all the same, and is given back (RFC 9113 §6.9): else a connection starves.
@Suite("HTTP/2: windows are given back", .timeLimit(.minutes(5)))
struct HTTP2WindowCreditTests {
    /// More than any window of a connection is expected to be.
    private static let much = 66 << 20

    private static let window = 256 << 10

    private func session(_ peer: FramePeer) throws -> Session {
        let engine = PoolSupport.engine { $0.http2.maximumWindow = Self.window }
        return try HTTP2Scene.session(peer, engine) { $0.responseSerializer = .data }
    }

    /// The last exchange, which needs much of both windows.
    private static func last(_ connection: PeerConnection, _ request: PeerRequest) async throws {
        try await connection.respond(request.stream, body: Wire.pattern(2 << 20))
    }

    private static func expectLast(_ api: Session) async throws {
        let body = try await api.get("last").body
        #expect(Wire.same(body, Wire.pattern(2 << 20)))
    }

    /// What a server sends on a stream that the client has ended without having read what was on its way.
    enum Late: CaseIterable {
        case plain, padded
    }

    @Test("An unwanted body is reset, and the window of bytes in transit is given back", arguments: Late.allCases)
    func abandoned(late: Late) async throws {
        let isEnough = Gate()
        try await FramePeer.withPeer { connection in
            defer { isEnough.open() }
            try await connection.handshake()
            let padding = late == .padded ? 255 : 0
            let content = [UInt8](repeating: 7, count: HTTP2Scene.frame - padding - (late == .padded ? 1 : 0))
            var all = 0
            while true {
                let request = try await connection.request()
                let stream = request.stream
                guard request.path != "/last" else {
                    try await Self.last(connection, request)
                    break
                }
                try await connection.respondHead(stream)
                try await expectEqual(connection.resetCode(of: stream), .cancel)
                // The server hears of it when as much is on its way as the stream's window lets through.
                let frame = WireFrame.data(stream, content, padding: late == .padded ? 255 : nil)
                for _ in 0..<Self.window / HTTP2Scene.frame {
                    try await connection.wait("room in the connection's window") { state in
                        state.room(stream) >= frame.payload.count ? () : nil
                    }
                    try await connection.send(frame)
                    all += frame.payload.count
                }
                try await connection.send(.data(stream, [], end: true))
                if all >= Self.much { isEnough.open() }
            }
            // A stream that is over has nothing more to say.
            var reset: Set<UInt32> = []
            for frame in connection.log where frame.stream != 0 {
                #expect(!reset.contains(frame.stream), "\(frame)")
                if frame.kind == .reset { reset.insert(frame.stream) }
            }
        } body: { peer in
            let api = try session(peer)
            while !isEnough.isOpen {
                let begun = peer.totalRequests
                try await api.withResponse(to: .get("row")) { expectEqual($0.status, .ok) }
                let connection = try await peer.connection(0)
                try await connection.wait("the reset") { $0.resets.count > begun ? () : nil }
            }
            try await Self.expectLast(api)
            expectEqual(peer.connectionCount, 1)
            try await peer.waitForScripts()
        }
    }

    @Test("The window of bodies that are read to their end is given back, over many streams")
    func read() async throws {
        let content = Wire.pattern(250_000)
        let count = Self.much / content.count
        try await FramePeer.withPeer { connection in
            try await connection.handshake()
            for _ in 0..<count {
                let request = try await connection.request()
                try await connection.respond(request.stream, body: content)
            }
            try await Self.last(connection, try await connection.request())
        } body: { peer in
            let api = try session(peer)
            for _ in 0..<count {
                let body = try await api.get("row").body
                try #require(Wire.same(body, content))
            }
            try await Self.expectLast(api)
            expectEqual(peer.connectionCount, 1)
            try await peer.waitForScripts()
        }
    }

    @Test("The window of padding is given back, on the stream and on the connection")
    func padding() async throws {
        let extra = 255 + 1
        let counted = Counter()
        try await FramePeer.withPeer { connection in
            try await connection.handshake()
            let stream = try await connection.request().stream
            try await connection.roundTrip()
            let opened = connection.look { state in
                state.log.reduce(PeerState.initialWindow) { $1.stream == 0 ? $0 + Int($1.increment ?? 0) : $0 }
            }
            // Enough that either window would be used up by padding alone, within reason.
            let enough = min(max(opened, Self.window), 20 << 20) + (1 << 20)
            try await connection.respondHead(stream)
            let frame = WireFrame.data(stream, [0x70], padding: 255)
            var padding = 0
            while padding < enough {
                let room = try await connection.wait("room for padding") { state in
                    state.room(stream) >= frame.payload.count ? state.room(stream) : nil
                }
                let count = min(room / frame.payload.count, 500)
                try await connection.send([WireFrame](repeating: frame, count: count))
                padding += count * extra
                counted.add(count)
            }
            // What was sent last may have used all of it up.
            _ = try await connection.wait("room for the last") { state in
                state.room(stream) >= frame.payload.count ? true : nil
            }
            try await connection.send(.data(stream, [0x71], end: true, padding: 255))
            try await Self.last(connection, try await connection.request())
        } body: { peer in
            let api = try session(peer)
            let body = try await api.get("row").body
            expectEqual(body.readableBytes, counted.value + 1)
            try await Self.expectLast(api)
            expectEqual(peer.connectionCount, 1)
            try await peer.waitForScripts()
        }
    }

    @Test("A complete body that is not read causes no reset")
    func unread() async throws {
        let isThere = Gate()
        try await FramePeer.withPeer { connection in
            try await connection.handshake()
            let request = try await connection.request()
            try await connection.respond(request.stream, text: "unread")
            try await connection.roundTrip()
            isThere.open()
            try await connection.respond(try await connection.request().stream, text: "next")
            try await connection.roundTrip()
            #expect(connection.resets.isEmpty)
        } body: { peer in
            let api = try session(peer)
            try await api.withResponse(to: .get("row")) { _ in await isThere.pass() }
            try await expectEqual(api.get("next").text(), "next")
            try await peer.waitForScripts()
            expectEqual(peer.connectionCount, 1)
        }
    }

    @Test("A body that is read in part, or whose reading fails, is reset once")
    func partly() async throws {
        struct Enough: Error {}
        try await FramePeer.withPeer { connection in
            try await connection.greet()
            for _ in 0..<2 {
                let stream = try await connection.request().stream
                try await connection.respondHead(stream)
                try await connection.send(.data(stream, [1, 2, 3]))
                try await expectEqual(connection.resetCode(of: stream), .cancel)
                try await connection.send(
                    .data(stream, [4]), .headers(stream, HeaderBlock.encode([("a", "b")]), end: true))
                try await connection.roundTrip()
                expectEqual(connection.frames(of: stream).count { $0.kind == .reset }, 1)
            }
            try await connection.servePaths()
        } body: { peer in
            let api = try session(peer)
            try await api.get("first")
            try await api.withResponse(to: .get("a")) { response in
                for try await _ in response.body { break }
            }
            await #expect(throws: Enough.self) {
                try await api.withResponse(to: .get("b")) { response in
                    for try await _ in response.body { throw Enough() }
                }
            }
            try await expectEqual(api.get("last").text(), "/last")
            expectEqual(peer.connectionCount, 1)
        }
    }
}
