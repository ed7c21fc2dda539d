import NIOCore
import NIOHPACK
import NIOPosix
import NIOSSL
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// The peer with a client that is as bare as itself.
@Suite("The peer over sockets", .timeLimit(.minutes(5)))
struct FramePeerSocketTests {
    private typealias Client = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    /// Connects, says the bytes in one write, and reads and answers frames until the closure has enough of them or the
    /// peer closes.
    private static func talk(
        _ peer: FramePeer, secure: Bool = false, _ bytes: [UInt8],
        replies: (WireFrame) -> [WireFrame] = { _ in [] }, until enough: ([WireFrame]) -> Bool
    ) async throws -> [WireFrame] {
        let client = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: peer.port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    if secure {
                        var configuration = TLSConfiguration.makeClientConfiguration()
                        configuration.certificateVerification = .none
                        configuration.applicationProtocols = ["h2"]
                        let handler = try NIOSSLClientHandler(
                            context: NIOSSLContext(configuration: configuration), serverHostname: "localhost")
                        try channel.pipeline.syncOperations.addHandler(handler)
                    }
                    return try Client(wrappingChannelSynchronously: channel)
                }
            }
        return try await client.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(bytes: bytes))
            var parser = WireFrameParser()
            var frames: [WireFrame] = []
            for try await buffer in inbound {
                parser.append(buffer.readableBytesView)
                var answer = ByteBuffer()
                while let frame = parser.next() {
                    frames.append(frame)
                    for reply in replies(frame) { answer.writeBytes(reply.bytes) }
                }
                if answer.readableBytes > 0 { try await outbound.write(answer) }
                if enough(frames) { break }
            }
            return frames
        }
    }

    private static func connect(_ peer: FramePeer) async throws -> any Channel {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: peer.port).get()
    }

    private static func opening(_ settings: [(UInt16, UInt32)] = [], _ frames: WireFrame...) -> [UInt8] {
        PeerState.preface + ([.settings(settings)] + frames).flatMap(\.bytes)
    }

    private static func get(_ path: String) -> HeaderBlock {
        HeaderBlock([(":method", "GET"), (":scheme", "http"), (":authority", "host"), (":path", path)])
    }

    @Test("A request is read and answered", arguments: [false, true])
    func exchange(secure: Bool) async throws {
        let bundle = secure ? try CertificateAuthority().issue(hosts: ["localhost"]) : nil
        var block = Self.get("/a")
        block.literal("authorization", "secret", .neverIndexed)
        let half = block.bytes.count / 2
        let bytes = Self.opening(
            [(3, 7)], .ping([1, 1, 1, 1, 1, 1, 1, 1]), .headers(1, Array(block.bytes[..<half]), endHeaders: false),
            .continuation(1, Array(block.bytes[half...])), .data(1, [1, 2], padding: 4), .data(1, [3]),
            .headers(1, HeaderBlock.encode([("check", "sum")]), end: true))
        try await FramePeer.withPeer(tls: bundle) { connection in
            try await connection.handshake(settings: [(4, 100)])
            expectEqual(connection.clientSettings, [3: 7])
            let request = try await connection.request()
            expectEqual(request.stream, 1)
            expectEqual(request.method, "GET")
            expectEqual(request.path, "/a")
            expectEqual(request["authorization"], "secret")
            expectEqual(request.neverIndexed, ["authorization"])
            #expect(!request.endStream)
            expectEqual(request.frameCount, 2)
            try await expectEqual(connection.body(of: 1), [1, 2, 3])
            try await expectEqual(connection.trailers(of: 1)?.map(\.1), ["sum"])
            try await expectEqual(connection.receive().kind, .headers)
            try await connection.respond(1, headers: [("a", "b")], text: "hello", indexed: true)
            try await connection.waitForClose()
            expectEqual(connection.log.map(\.type), [4, 6, 1, 9, 0, 0, 1])
        } body: { peer in
            let frames = try await Self.talk(peer, secure: secure, bytes) { $0.last?.endsStream == true }
            expectEqual(frames.filter { $0.kind == .ping }, [.ping([1, 1, 1, 1, 1, 1, 1, 1], ack: true)])
            expectEqual(frames.filter { $0.kind == .settings }, [.settings([(4, 100)]), .settingsAck])
            expectEqual(
                frames.filter { $0.kind == .windowUpdate },
                [.windowUpdate(0, 7), .windowUpdate(1, 7), .windowUpdate(0, 1), .windowUpdate(1, 1)])
            expectEqual(
                frames.suffix(2), [.headers(1, [0x88, 0, 1, 97, 1, 98]), .data(1, Array("hello".utf8), end: true)])
            try await peer.waitForScripts()
            expectEqual(peer.connectionCount, 1)
            expectEqual(peer.totalRequests, 1)
        }
    }

    @Test("PING is not acknowledged if the test peer is set so")
    func pings() async throws {
        try await FramePeer.withPeer(answersPings: false) { connection in
            try await connection.handshake()
            try await expectEqual(connection.receive(.ping).payload, [2, 2, 2, 2, 2, 2, 2, 2])
            try await connection.send(.goAway(last: 0))
        } body: { peer in
            let bytes = Self.opening([], .ping([2, 2, 2, 2, 2, 2, 2, 2]))
            let frames = try await Self.talk(peer, bytes) { $0.last?.kind == .goAway }
            expectEqual(frames, [.settings([]), .settingsAck, .goAway(last: 0)])
            try await peer.waitForScripts()
        }
    }

    @Test("A response stays within the client's windows and largest frame")
    func windows() async throws {
        let block = Self.get("/").bytes
        try await FramePeer.withPeer { connection in
            try await connection.handshake()
            let request = try await connection.request()
            #expect(request.endStream)
            try await connection.respond(1, body: [UInt8](repeating: 1, count: 35))
            expectEqual(connection.room(1), 5)
            try await connection.waitForClose()
        } body: { peer in
            let opening = Self.opening([(4, 20), (5, 18)], .headers(1, block, end: true))
            var count = 0
            let frames = try await Self.talk(peer, opening) { frame in
                count += frame.kind == .data ? frame.payload.count : 0
                return count == 20 && frame.kind == .data ? [.windowUpdate(1, 20)] : []
            } until: {
                $0.last?.endsStream == true
            }
            expectEqual(frames.filter { $0.kind == .data }.map(\.payload.count), [18, 2, 15])
            try await peer.waitForScripts()
        }
        var state = PeerState()
        _ = state.take(PeerState.preface + WireFrame.settings([(4, 20)]).bytes)
        expectEqual(state.room(1), 20)
        state.note(sent: [.data(1, [UInt8](repeating: 0, count: 15), padding: 9)])
        expectEqual(state.room(1), -5)
        expectEqual(state.room(3), 20)
        _ = state.take(WireFrame.windowUpdate(1, 100_000).bytes)
        #expect(state.room(1) == PeerState.initialWindow - 25)
    }

    @Test("Acknowledgements wait for the peer's first frame and never split another")
    func replies() {
        let ack = WireFrame.ping(ack: true)
        var state = PeerState()
        state.acksSettings = true
        #expect(state.take(Self.opening([], .ping())).isEmpty)
        state.splitWrites = 1
        state.hasSpoken = true
        #expect(state.replies().isEmpty)
        state.splitWrites = 0
        #expect(state.replies() == [.settingsAck, ack])
        #expect(state.replies().isEmpty)
        #expect(state.take(WireFrame.ping().bytes) == [ack])
        state.answersPings = false
        #expect(state.take(WireFrame.ping().bytes).isEmpty)
    }

    @Test("The decoder's table follows SETTINGS and their acknowledgement")
    func tables() throws {
        var grown = HeaderBlock()
        grown.tableSize(8192)
        grown.bytes += Self.get("/").bytes
        let opening = PeerState.preface + WireFrame.settings([]).bytes
        var state = PeerState()
        _ = state.take(opening + WireFrame.headers(1, grown.bytes).bytes)
        expectNil(state.nextRequest())
        #expect(state.failure != nil)

        state = PeerState()
        state.note(sent: [.settings([(1, 8192)]), .settings([(1, 0)])])
        _ = state.take(opening + WireFrame.headers(1, grown.bytes).bytes + WireFrame.settingsAck.bytes)
        expectEqual(state.nextRequest()?.path, "/")
        _ = state.take(WireFrame.settingsAck.bytes + WireFrame.headers(3, grown.bytes).bytes)
        expectNil(state.nextRequest())
        #expect(state.failure != nil)
    }

    @Test("Each connection plays the script, and skipped frames can be taken later")
    func connections() async throws {
        try await FramePeer.withPeer { connection in
            try await connection.handshake()
            let number = UInt32(connection.number)
            try await expectEqual(connection.receive(.reset, stream: 5).code, .cancel)
            try await expectEqual(connection.receive(), .data(5, [1]))
            try await expectEqual(connection.receive(.windowUpdate), .windowUpdate(0, 9))
            try await connection.sendSplit([.reset(number, .noError)], every: 2)
            try await expectNil(connection.receiveOrClosed())
            try await expectNil(connection.requestOrClosed())
        } body: { peer in
            for number in 0..<2 {
                let bytes = Self.opening([], .windowUpdate(0, 9), .data(5, [1]), .reset(5, .cancel))
                let frames = try await Self.talk(peer, bytes) { $0.count == 3 }
                expectEqual(frames.last, .reset(UInt32(number), .noError))
            }
            try await peer.waitForScripts()
            expectEqual(peer.connectionCount, 2)
        }
    }

    @Test("What a script throws is an issue and ends its connection")
    func failing() async throws {
        struct Broken: Error {}
        try await withKnownIssue {
            try await FramePeer.withPeer { _ in
                throw Broken()
            } body: { peer in
                let client = try await Self.connect(peer)
                _ = try await peer.connection(0)
                await #expect(throws: Broken.self) { try await peer.waitForScripts() }
                try await client.closeFuture.get()
            }
        } matching: {
            $0.error is Broken
        }
    }

    @Test("A wait that takes too long reports what it waited for, and what arrived")
    func patience() async throws {
        let error = Mutex<PeerError?>(nil)
        try await FramePeer.withPeer { connection in
            try await connection.handshake()
            _ = try await connection.receive(.ping)
            let patience = connection.patience
            connection.patience = .milliseconds(50)
            let thrown = await #expect(throws: PeerError.self) { try await connection.receive(.goAway, stream: 0) }
            error.withLock { $0 = thrown }
            connection.patience = patience
            try await connection.close()
        } body: { peer in
            let frames = try await Self.talk(peer, Self.opening([], .priority(3), .ping())) { _ in false }
            expectEqual(frames.last, .ping(ack: true))
            try await peer.waitForScripts()
        }
        let thrown = error.withLock { $0 }
        expectEqual(thrown?.kind, .timeout)
        expectEqual(thrown?.log.map(\.kind), [.settings, .priority, .ping])
        expectEqual(thrown?.description.contains("no goAway of stream 0 within 0.05"), true)
        expectEqual(thrown?.description.contains("priority(stream 3, flags 0x0, 5 bytes)"), true)
    }

    @Test("A script that waits when the body ends is no issue")
    func unfinished() async throws {
        let client = try await FramePeer.withPeer { connection in
            try await connection.handshake()
            _ = try await connection.receive(.goAway)
        } body: { peer in
            let client = try await Self.connect(peer)
            try await client.writeAndFlush(ByteBuffer(bytes: Self.opening([], .ping()))).get()
            try await peer.connection(0).wait("PING") { $0.log.last?.kind == .ping ? () : nil }
            #expect(try await !peer.connection(0).isClosed)
            return client
        }
        try await client.closeFuture.get()
    }
}
