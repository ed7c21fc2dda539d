import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

@Suite("HTTP/2: one connection for many requests", .timeLimit(.minutes(5)))
struct HTTP2SharingTests {
    @Test(
        "100 requests at once, from many tasks and all event loops, are 100 streams of one connection",
        arguments: [1, 4], [1_000, UInt32.max])
    func hundred(loops: Int, limit: UInt32) async throws {
        try await FramePeer.withPeer { connection in
            try await connection.handshake(settings: [(WireFrame.Setting.maxConcurrentStreams, limit)])
            // None is answered before all are there.
            let requests = try await connection.requests(100)
            expectEqual(requests.map(\.stream), (0..<100).map { 2 * $0 + 1 })
            for request in requests.reversed() {
                try await connection.respond(request.stream, text: request.path ?? "")
            }
        } body: { peer in
            try await PoolSupport.withLoops(loops) { group in
                let engine = PoolSupport.engine(group: group)
                let api = try HTTP2Scene.session(peer, engine)
                let texts = try await HTTP2Scene.texts(100) { number in
                    let reply =
                        number.isMultiple(of: 2)
                        ? try await api.get("\(number)")
                        : try await engine.onEventLoop { try await api.get("\(number)") }
                    expectEqual(reply.response.version, .http2)
                    return try await reply.text()
                }
                expectEqual(texts, (0..<100).map { "/\($0)" })
                expectEqual(peer.connectionCount, 1)
                try await peer.waitForScripts()
                await engine.shutDown()
            }
        }
    }

    @Test("The first requests to a new origin open one connection", arguments: [false, true])
    func first(secure: Bool) async throws {
        let authority = try CertificateAuthority()
        let bundle = secure ? try authority.issue(hosts: ["localhost"]) : nil
        try await FramePeer.withPeer(tls: bundle, alpn: ["h2", "http/1.1"]) { connection in
            try await connection.handshake()
            try await connection.servePaths()
        } body: { peer in
            try await PoolSupport.withLoops(4) { group in
                let engine = PoolSupport.engine(group: group)
                let api = try HTTP2Scene.session(peer, engine, authority: secure ? authority : nil)
                let texts = try await HTTP2Scene.texts(20) { number in
                    let reply = try await api.get("\(number)")
                    expectEqual(reply.response.version, .http2)
                    return try await reply.text()
                }
                expectEqual(texts, (0..<20).map { "/\($0)" })
                expectEqual(peer.connectionCount, 1)
                expectEqual(peer.totalRequests, 20)
                await engine.shutDown()
            }
        }
    }

    @Test("Sequential requests also share it, and stream identifiers have no gaps", arguments: [false, true])
    func sequence(secure: Bool) async throws {
        let authority = try CertificateAuthority()
        let bundle = secure ? try authority.issue(hosts: ["localhost"]) : nil
        try await FramePeer.withPeer(tls: bundle) { connection in
            try await connection.handshake()
            for number in 0..<50 {
                let request = try await connection.request()
                expectEqual(request.stream, UInt32(2 * number + 1))
                expectEqual(request.path, "/\(number)")
                try await connection.respond(request.stream, text: "in")
            }
        } body: { peer in
            let api = try HTTP2Scene.session(peer, authority: secure ? authority : nil)
            for number in 0..<50 { try await expectEqual(api.get("\(number)").text(), "in") }
            expectEqual(peer.connectionCount, 1)
            try await peer.waitForScripts()
        }
    }

    @Test("A connection with a stream under way is not idle; one without is closed, and the next request opens another")
    func idle() async throws {
        let isOpen = Gate()
        let mayAnswer = Gate()
        try await FramePeer.withPeer { connection in
            try await connection.handshake()
            let request = try await connection.request()
            isOpen.open()
            await mayAnswer.pass()
            try await connection.roundTrip()
            #expect(!connection.isClosed)
            try await connection.respond(request.stream, text: "\(connection.number)")
            try await connection.waitForClose()
            // The client has no stream of the peer's to name (RFC 9113 §6.8).
            #expect(connection.log.allSatisfy { $0.kind != .goAway || $0.lastStream == 0 && $0.code == .noError })
        } body: { peer in
            let engine = Wire.engine()
            let api = try HTTP2Scene.session(peer, engine)
            let task = Task { try await api.get("held").text() }
            await isOpen.pass()
            engine.closeIdleConnections()
            mayAnswer.open()
            try await expectEqual(task.value, "0")
            await PoolSupport.expectNothing(engine)
            try await peer.waitForScripts()
            try await expectEqual(api.get("next").text(), "1")
            expectEqual(peer.connectionCount, 2)
            await PoolSupport.expectNothing(engine)
        }
    }
}
