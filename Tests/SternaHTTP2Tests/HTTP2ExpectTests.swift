import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Bodies that wait to be asked for (RFC 9110 §10.1.1).
@Suite("HTTP/2: Expect: 100-continue", .timeLimit(.minutes(5)))
struct HTTP2ExpectTests {
    private static let content = Wire.pattern(5_000)

    private func session(_ peer: FramePeer, engine: Engine = Wire.engine()) throws -> Session {
        try HTTP2Scene.session(peer, engine) { $0.limits.continueThreshold = 4_999 }
    }

    /// A body that can be read once only.
    private var once: Body { .stream(HTTP2Scene.pieces(Self.content, 1_000), length: 5_000) }

    /// The next request, which waits: its head alone has come, and nothing else does.
    private static func waiting(_ connection: PeerConnection) async throws -> PeerRequest {
        let request = try await connection.request()
        expectEqual(request["expect"], "100-continue")
        #expect(!request.endStream)
        try await expectEqual(connection.settledData(request.stream, atLeast: 0), 0)
        return request
    }

    /// The client has ended a stream whose body was not wanted, without having sent any of it.
    private static func isGivenUp(_ connection: PeerConnection, _ stream: UInt32) async throws {
        let code = try await connection.resetCode(of: stream)
        #expect(code == .cancel || code == .noError)
        expectEqual(connection.dataCount(stream), 0)
    }

    @Test("The body is sent when the server sends 100; a smaller one does not wait")
    func asked() async throws {
        try await FramePeer.withPeer { connection in
            try await connection.handshake()
            let request = try await Self.waiting(connection)
            try await connection.respondHead(request.stream, status: 100)
            try await expectEqual(connection.body(of: request.stream), Self.content)
            try await connection.respond(request.stream, text: "one")
            let next = try await connection.request()
            expectNil(next["expect"])
            try await expectEqual(connection.body(of: next.stream), Self.content.dropLast())
            try await connection.respond(next.stream, text: "two")
        } body: { peer in
            let api = try session(peer)
            try await expectEqual(api.post("a", body: .bytes(Self.content)).text(), "one")
            try await expectEqual(api.post("a", body: .bytes(Self.content.dropLast())).text(), "two")
            expectEqual(peer.connectionCount, 1)
            try await peer.waitForScripts()
        }
    }

    @Test("Other interim responses do not release the body")
    func interim() async throws {
        try await FramePeer.withPeer { connection in
            try await connection.handshake()
            let request = try await Self.waiting(connection)
            try await connection.respondHead(request.stream, status: 103, headers: [("link", "</a>")])
            try await expectEqual(connection.settledData(request.stream, atLeast: 0), 0)
            try await connection.respondHead(request.stream, status: 100)
            try await expectEqual(connection.body(of: request.stream), Self.content)
            try await connection.respond(request.stream, text: "one")
        } body: { peer in
            try await expectEqual(session(peer).post("a", body: .bytes(Self.content)).text(), "one")
            try await peer.waitForScripts()
        }
    }

    @Test("A server that says nothing gets the body after a second")
    func silent() async throws {
        let time = TestClock()
        try await FramePeer.withPeer { connection in
            try await connection.handshake()
            let request = try await connection.request()
            await time.advance(by: .milliseconds(999))
            try await connection.roundTrip()
            expectEqual(connection.dataCount(), 0)
            await time.advance(by: .milliseconds(1))
            try await expectEqual(connection.body(of: request.stream), Self.content)
            try await connection.respond(request.stream, text: "late")
        } body: { peer in
            var options = EngineOptions()
            options.clock = time.clock
            let api = try session(peer, engine: Engine(options: options))
            try await expectEqual(api.post("a", body: .bytes(Self.content)).text(), "late")
            try await peer.waitForScripts()
        }
    }

    @Test("After 417 the body is sent without waiting, also a stream that can be read once", arguments: [false, true])
    func expectationFailed(isOnce: Bool) async throws {
        try await FramePeer.withPeer { connection in
            try await connection.handshake()
            try await connection.serve { request in
                guard request["expect"] == nil else {
                    try await connection.respond(request.stream, status: 417)
                    return try await Self.isGivenUp(connection, request.stream)
                }
                try await expectEqual(connection.body(of: request.stream), Self.content)
                try await connection.respond(request.stream, text: "taken")
            }
        } body: { peer in
            let api = try session(peer).with { $0.events.collectsMetrics = true }
            let reply = try await api.post("a", body: isOnce ? once : .bytes(Self.content))
            try await expectEqual(reply.text(), "taken")
            expectEqual(reply.response.metrics?.attempts.map(\.reason), [.first, .expectationRefused])
            expectEqual(peer.totalRequests, 2)
        }
    }

    @Test(
        "A final response is delivered; no body is sent, and the stream is reset", arguments: [200, 413])
    func refused(status: Int) async throws {
        try await FramePeer.withPeer { connection in
            try await connection.handshake()
            let request = try await Self.waiting(connection)
            try await connection.respond(request.stream, status: status, text: "no need")
            try await Self.isGivenUp(connection, request.stream)
            try await connection.servePaths()
        } body: { peer in
            let api = try session(peer)
            if status == 200 {
                try await expectEqual(api.post("a", body: .bytes(Self.content)).text(), "no need")
            } else {
                let error = await #expect(throws: SternaError.self) {
                    try await api.post("a", body: .bytes(Self.content))
                }
                expectEqual(error?.status, status)
                expectEqual(error?.body.map { String(buffer: $0) }, "no need")
            }
            try await expectEqual(api.get("next").text(), "/next")
            expectEqual(peer.connectionCount, 1)
        }
    }

    @Test("A final head with later content does not reset the stream before its end")
    func slow() async throws {
        try await FramePeer.withPeer { connection in
            try await connection.handshake()
            let request = try await Self.waiting(connection)
            try await connection.respondHead(request.stream)
            try await expectEqual(connection.settledData(request.stream, atLeast: 0), 0)
            #expect(connection.resets.isEmpty)
            try await connection.sendBody(request.stream, Array("later".utf8))
            try await Self.isGivenUp(connection, request.stream)
            try await connection.servePaths()
        } body: { peer in
            let api = try session(peer)
            try await expectEqual(api.post("a", body: .bytes(Self.content)).text(), "later")
            try await expectEqual(api.get("next").text(), "/next")
        }
    }

    @Test("A refusal before 100 resends the request with its whole body", arguments: [false, true])
    func untouched(isOnce: Bool) async throws {
        let refusals = Counter()
        try await FramePeer.withPeer { connection in
            try await connection.handshake()
            try await connection.serve { request in
                guard refusals.add() > 1 else {
                    return try await connection.send(.reset(request.stream, .refusedStream))
                }
                try await connection.respondHead(request.stream, status: 100)
                try await expectEqual(connection.body(of: request.stream), Self.content)
                try await connection.respond(request.stream, text: "taken")
            }
        } body: { peer in
            let reply = try await session(peer).post("a", body: isOnce ? once : .bytes(Self.content))
            try await expectEqual(reply.text(), "taken")
            expectEqual(peer.totalRequests, 2)
        }
    }

    @Test("A reset or a cancellation during the wait sends no part of the body")
    func ended() async throws {
        try await FramePeer.withPeer { connection in
            try await connection.greet()
            let first = try await Self.waiting(connection)
            try await connection.send(.reset(first.stream, .internalError))
            let second = try await Self.waiting(connection)
            try await expectEqual(connection.resetCode(of: second.stream), .cancel)
            try await expectEqual(connection.settledData(atLeast: 0), 0)
            try await connection.servePaths()
        } body: { peer in
            let api = try session(peer)
            try await api.get("first")
            await Wire.failure(.connectionClosed, .wait) { try await api.post("a", body: .bytes(Self.content)) }
            let task = Task { try await api.post("b", body: .bytes(Self.content)) }
            try await peer.connection(0).waitForRequests(3)
            task.cancel()
            let error = await #expect(throws: SternaError.self) { try await task.value }
            expectEqual(error?.kind, .cancelled)
            try await expectEqual(api.get("last").text(), "/last")
        }
    }
}
