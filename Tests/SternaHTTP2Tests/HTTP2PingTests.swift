import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Signs of life (RFC 9113 §6.7).
@Suite("HTTP/2: PING", .timeLimit(.minutes(5)))
struct HTTP2PingTests {
    /// - Parameter timeout: also the distance of questions in the same silence.
    private func engine(timeout: Duration = .seconds(3), clock: NetworkClock = .system) -> Engine {
        PoolSupport.engine {
            $0.clock = clock
            $0.http2.pingInterval = .milliseconds(100)
            $0.http2.pingTimeout = timeout
        }
    }

    /// The questions that the client asked.
    private static func asked(_ connection: PeerConnection) -> Int {
        connection.look { $0.log.count { $0.kind == .ping && !$0.isAck } }
    }

    /// Waits for so many questions that are asked from now on, and not for what had just come.
    private static func questions(_ count: Int, _ connection: PeerConnection) async throws {
        try await connection.roundTrip()
        let before = asked(connection)
        try await connection.wait("\(count) PING") { state in
            state.log.count { $0.kind == .ping && !$0.isAck } >= before + count ? () : nil
        }
    }

    @Test("PINGs are acknowledged with the same octets, in order, even if an upload's window is used up")
    func answered() async throws {
        let payloads: [[UInt8]] = (0..<20).map { number in (0..<8).map { UInt8(8 * number + $0) } }
        try await FramePeer.withPeer { connection in
            try await connection.greet()
            let stream = try await connection.request().stream
            try await expectEqual(connection.settledData(stream, atLeast: 65_535), 65_535)
            let before = connection.log.count
            try await connection.send(payloads.map { .ping($0) })
            for payload in payloads {
                let answer = try await connection.receive("an answer to PING") {
                    $0.kind == .ping && $0.isAck && payloads.contains($0.payload)
                }
                expectEqual(answer.payload, payload)
            }
            // One that nobody waits for is not answered in turn.
            try await connection.send(.ping([9, 9, 9, 9, 9, 9, 9, 9], ack: true))
            try await connection.roundTrip()
            expectEqual(connection.log.count, before + payloads.count + 1)
            _ = try await connection.body(of: stream)
            try await connection.respond(stream, text: "all")
        } body: { peer in
            let api = try HTTP2Scene.session(peer)
            try await api.get("first")
            let reply = try await api.post("row", body: .bytes(Wire.pattern(65_536)))
            try await expectEqual(reply.text(), "all")
            try await peer.waitForScripts()
        }
    }

    @Test(
        "After a server fell silent, repeatable requests are resent elsewhere",
        arguments: [Request.Method.get, .post])
    func silent(method: Request.Method) async throws {
        let time = TestClock()
        try await FramePeer.withPeer(answersPings: false) { connection in
            guard connection.number == 0 else {
                connection.answersPings = true
                try await connection.handshake()
                return try await connection.servePaths()
            }
            try await connection.greet()
            _ = try await connection.request()
            try await connection.roundTrip()
            await time.advance(by: .milliseconds(100))
            let question = try await connection.receive("a question") { $0.kind == .ping && !$0.isAck }
            expectEqual(question.stream, 0)
            expectEqual(question.payload.count, 8)
            await time.advance(by: .seconds(3))
            try await connection.waitForClose()
        } body: { peer in
            let api = try HTTP2Scene.session(peer, engine(clock: time.clock)) { $0.events.collectsMetrics = true }
            try await api.get("first")
            if method == .get {
                let start = ContinuousClock.now
                let reply = try await api.get("second")
                try await expectEqual(reply.text(), "/second")
                #expect(ContinuousClock.now - start < Wire.patience)
                expectEqual(reply.response.metrics?.attempts.map(\.reason), [.first, .staleConnection])
            } else {
                let error = await Self.lost { try await api.post("second", body: .text("x")) }
                expectEqual(error?.attempt, 1)
                try await expectEqual(api.get("third").text(), "/third")
            }
            expectEqual(peer.connectionCount, 2)
            try await peer.connection(0).waitForScript()
        }
    }

    /// Work that must fail since the connection is lost, long before its time-outs.
    private static func lost(_ work: () async throws -> Void) async -> SternaError? {
        let start = ContinuousClock.now
        let error = await #expect(throws: SternaError.self) { try await work() }
        #expect(ContinuousClock.now - start < Wire.patience)
        #expect(error?.kind == .connectionClosed || error?.kind == .timedOut)
        expectEqual(error?.requestSent, true)
        return error
    }

    @Test("On a connection without a response so far the request fails, and is not repeated")
    func silentFromTheStart() async throws {
        let time = TestClock()
        try await FramePeer.withPeer(answersPings: false) { connection in
            try await connection.handshake()
            _ = try await connection.request()
            try await connection.roundTrip()
            await time.advance(by: .milliseconds(3_100))
            try await connection.waitForClose()
            #expect(Self.asked(connection) >= 1)
        } body: { peer in
            let api = try HTTP2Scene.session(peer, engine(clock: time.clock))
            let error = await Self.lost { try await api.get("row") }
            expectEqual(error?.attempt, 1)
            expectEqual(peer.connectionCount, 1)
            try await peer.waitForScripts()
        }
    }

    @Test("A server that falls silent within a response leaves it incomplete")
    func silentWithin() async throws {
        let time = TestClock()
        try await FramePeer.withPeer(answersPings: false) { connection in
            try await connection.handshake()
            let request = try await connection.request()
            try await connection.respondHead(request.stream)
            try await connection.send(.data(request.stream, Array("half".utf8)))
            try await connection.roundTrip()
            await time.advance(by: .milliseconds(3_100))
            try await connection.waitForClose()
        } body: { peer in
            let api = try HTTP2Scene.session(peer, engine(clock: time.clock))
            let start = ContinuousClock.now
            let error = await #expect(throws: SternaError.self) { try await api.get("row") }
            #expect(ContinuousClock.now - start < Wire.patience)
            #expect(error?.kind == .truncated || error?.kind == .timedOut)
            expectEqual(error?.phase, .read)
            try await peer.waitForScripts()
        }
    }

    @Test("A slow server that acknowledges PINGs keeps its streams")
    func slow() async throws {
        try await FramePeer.withPeer { connection in
            try await connection.greet()
            let request = try await connection.request()
            try await Self.questions(3, connection)
            try await connection.respondHead(request.stream)
            try await Self.questions(1, connection)
            try await connection.sendBody(request.stream, Array("slow".utf8))
        } body: { peer in
            let api = try HTTP2Scene.session(peer, engine())
            try await api.get("first")
            try await expectEqual(api.get("row").text(), "slow")
            expectEqual(peer.connectionCount, 1)
            try await peer.waitForScripts()
        }
    }

    @Test("Any frame counts as a sign of life")
    func others() async throws {
        try await FramePeer.withPeer(answersPings: false) { connection in
            try await connection.handshake()
            let request = try await connection.request()
            try await connection.respondHead(request.stream)
            for text in ["o", "n", "e"] {
                try await Self.questions(1, connection)
                try await connection.sendBody(request.stream, Array(text.utf8), end: text == "e")
            }
        } body: { peer in
            let api = try HTTP2Scene.session(peer, engine(timeout: .seconds(5)))
            try await expectEqual(api.get("row").text(), "one")
            expectEqual(peer.connectionCount, 1)
            try await peer.waitForScripts()
        }
    }

    @Test("No PING is sent without requests in progress")
    func idle() async throws {
        try await FramePeer.withPeer { connection in
            try await connection.greet()
            guard connection.number == 1 else { return }
            // The clock of the other connection, which is asked.
            let request = try await connection.request()
            try await Self.questions(3, connection)
            try await connection.respond(request.stream, text: "second")
        } body: { peer in
            let quiet = try HTTP2Scene.session(peer, engine())
            try await quiet.get("first")
            // What is asked about an answer's speed may still come.
            let connection = try await peer.connection(0)
            try await connection.roundTrip()
            let before = Self.asked(connection)
            let busy = try HTTP2Scene.session(peer, engine())
            try await busy.get("first")
            try await expectEqual(busy.get("second").text(), "second")
            expectEqual(Self.asked(connection), before)
            #expect(!connection.isClosed)
            expectEqual(peer.connectionCount, 2)
        }
    }
}
