import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Servers that choose HTTP/2 and then want HTTP/1.1 for what is asked (RFC 9113 §7: HTTP_1_1_REQUIRED).
@Suite("HTTP/2: fallback to HTTP/1.1", .timeLimit(.minutes(5)))
struct HTTP2FallbackTests {
    enum Signal: CaseIterable {
        case reset, goAway

        func send(_ stream: UInt32, _ connection: PeerConnection) async throws {
            switch self {
            case .reset: try await connection.send(.reset(stream, .http11Required))
            case .goAway: try await connection.send(.goAway(last: 0, code: .http11Required))
            }
        }
    }

    /// Answers requests of HTTP/1.1 with a text.
    private static func answerOld(_ connection: PeerConnection, _ count: Int) async throws {
        for number in 1...count {
            try await connection.wait("head \(number) of HTTP/1.1") { state -> Void? in
                let text = String(decoding: state.received, as: UTF8.self)
                return text.split(separator: "\r\n\r\n", omittingEmptySubsequences: false).count > number ? () : nil
            }
            let answer = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nold"
            try await connection.send(bytes: Array(answer.utf8))
        }
    }

    @Test(
        "The request is resent over HTTP/1.1, which later requests also use",
        arguments: Signal.allCases)
    func fallback(signal: Signal) async throws {
        let authority = try CertificateAuthority()
        // The server takes HTTP/2 of all that is offered.
        try await FramePeer.withPeer(
            tls: try authority.issue(hosts: ["localhost"]), alpn: ["h2", "http/1.1"]
        ) { connection in
            guard connection.number == 0 else { return try await Self.answerOld(connection, 3) }
            try await connection.handshake()
            let request = try await connection.request()
            try await signal.send(request.stream, connection)
        } body: { peer in
            let engine = PoolSupport.engine { $0.maximumConnectionsPerOrigin = 2 }
            let api = try HTTP2Scene.session(peer, engine, authority: authority) { $0.events.collectsMetrics = true }
            let reply = try await api.get("row")
            try await expectEqual(reply.text(), "old")
            expectEqual(reply.response.version, .http11)
            let attempts = reply.response.metrics?.attempts ?? []
            expectEqual(attempts.map(\.reason), [.first, .refused])
            expectEqual(attempts.last?.version, .http11)
            for _ in 0..<2 {
                let next = try await api.get("next")
                try await expectEqual(next.text(), "old")
                expectEqual(next.response.version, .http11)
                expectEqual(next.response.metrics?.attempts.map(\.reason), [.first])
            }
            expectEqual(peer.connectionCount, 2)
            let second = try await peer.connection(1)
            #expect(second.received.starts(with: Array("GET /row HTTP/1.1\r\n".utf8)))
            #expect(second.log.isEmpty)
        }
    }

    @Test("Other requests in progress finish on the connection")
    func others() async throws {
        let isRefused = Gate()
        let authority = try CertificateAuthority()
        try await FramePeer.withPeer(
            tls: try authority.issue(hosts: ["localhost"]), alpn: ["h2", "http/1.1"]
        ) { connection in
            guard connection.number == 0 else { return try await Self.answerOld(connection, 1) }
            try await connection.greet()
            let requests = try await connection.requests(2)
            for request in requests where request.path == "/old" {
                try await Signal.reset.send(request.stream, connection)
            }
            await isRefused.pass()
            for request in requests where request.path == "/new" {
                try await connection.respond(request.stream, text: "new")
            }
        } body: { peer in
            let api = try HTTP2Scene.session(peer, authority: authority)
            try await api.get("first")
            let new = Task { try await api.get("new").text() }
            try await expectEqual(api.get("old").text(), "old")
            isRefused.open()
            try await expectEqual(new.value, "new")
            expectEqual(peer.connectionCount, 2)
        }
    }
}
