import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Connections that end with streams under way, without a word (RFC 9113 §5.4.3, §8.7).
@Suite("HTTP/2: connections that are lost", .timeLimit(.minutes(5)))
struct HTTP2ConnectionLossTests {
    enum End: CaseIterable {
        case close, output, reset, abort

        func end(_ connection: PeerConnection) async throws {
            switch self {
            case .close: try await connection.close()
            case .output: try await connection.closeOutput()
            case .reset: await connection.reset()
            case .abort: await connection.abort()
            }
        }
    }

    /// The first connection takes so many requests behind the first one and ends; the others serve.
    private func lost(
        _ end: End, requests count: Int, greets: Bool = true, secure: Bool = false,
        _ body: (Session, FramePeer) async throws -> Void
    ) async throws {
        let authority = try CertificateAuthority()
        let bundle = secure ? try authority.issue(hosts: ["localhost"]) : nil
        try await FramePeer.withPeer(tls: bundle) { connection in
            guard connection.number == 0 else {
                try await connection.handshake()
                return try await connection.servePaths()
            }
            if greets { try await connection.greet() } else { try await connection.handshake() }
            _ = try await connection.requests(count)
            try await end.end(connection)
        } body: { peer in
            let api = try HTTP2Scene.session(peer, authority: secure ? authority : nil) {
                $0.events.collectsMetrics = true
            }
            if greets { try await expectEqual(api.get("first").text(), "first") }
            try await body(api, peer)
        }
    }

    @Test(
        "Repeatable requests are resent once if the connection was used", arguments: End.allCases,
        [false, true])
    func again(end: End, secure: Bool) async throws {
        try await lost(end, requests: 1, secure: secure) { api, peer in
            let reply = try await api.get("second")
            try await expectEqual(reply.text(), "/second")
            expectEqual(reply.response.metrics?.attempts.map(\.reason), [.first, .staleConnection])
            try await expectEqual(api.get("third").text(), "/third")
            expectEqual(peer.connectionCount, 2)
        }
    }

    @Test("The other repeatable methods are also resent", arguments: [Request.Method.put, .delete, .options])
    func idempotent(method: Request.Method) async throws {
        try await lost(.close, requests: 1) { api, peer in
            let body: Body? = method == .put ? .text("again") : nil
            let text = try await api.request(method, "second", body: body).text()
            expectEqual(text, "/second")
            expectEqual(peer.connectionCount, 2)
        }
    }

    @Test("All requests in progress are resent on one other connection", arguments: [End.close, .reset])
    func many(end: End) async throws {
        try await lost(end, requests: 10) { api, peer in
            let texts = try await HTTP2Scene.texts(10) { try await api.get("\($0)").text() }
            expectEqual(texts, (0..<10).map { "/\($0)" })
            expectEqual(peer.connectionCount, 2)
            expectEqual(peer.totalRequests, 21)
        }
    }

    @Test("POST and PATCH are not repeated", arguments: End.allCases, [Request.Method.post, .patch])
    func post(end: End, method: Request.Method) async throws {
        try await lost(end, requests: 1) { api, peer in
            let error = await Wire.failure(.connectionClosed, .wait) {
                try await api.request(method, "second", body: .text("x"))
            }
            expectEqual(error?.requestSent, true)
            expectEqual(error?.attempt, 1)
            expectEqual(peer.connectionCount, 1)
            let text = try await api.request(method, "third", body: .text("x")).text()
            expectEqual(text, "/third")
        }
    }

    @Test("No request on an unused connection is repeated", arguments: End.allCases)
    func fresh(end: End) async throws {
        try await lost(end, requests: 1, greets: false) { api, peer in
            let error = await Wire.failure(.connectionClosed, .wait) { try await api.get("first") }
            expectEqual(error?.attempt, 1)
            expectEqual(peer.connectionCount, 1)
        }
    }

    @Test("If the other connection is lost, too, that error is thrown")
    func twice() async throws {
        try await FramePeer.withPeer { connection in
            if connection.number == 0 { try await connection.greet() } else { try await connection.handshake() }
            _ = try await connection.request()
            try await connection.close()
        } body: { peer in
            let api = try HTTP2Scene.session(peer)
            try await api.get("first")
            let error = await Wire.failure(.connectionClosed, .wait) { try await api.get("second") }
            expectEqual(error?.attempt, 2)
            expectEqual(peer.connectionCount, 2)
        }
    }

    @Test("A loss between two requests moves the next one elsewhere, a POST included")
    func idle() async throws {
        try await FramePeer.withPeer { connection in
            try await connection.greet()
            guard connection.number == 0 else { return try await connection.servePaths() }
            // The end of the server's side alone: when the other side ends too, the client has noticed.
            try await connection.closeOutput()
            try await connection.waitForClose()
        } body: { peer in
            let api = try HTTP2Scene.session(peer)
            try await api.get("first")
            try await peer.connection(0).waitForClose()
            try await expectEqual(api.post("second", body: .text("x")).text(), "first")
            expectEqual(peer.connectionCount, 2)
            expectEqual(peer.totalRequests, 2)
        }
    }

    @Test("A loss amid an upload is an error", arguments: HTTP2Scene.Upload.allCases, [End.close, .reset])
    func upload(kind: HTTP2Scene.Upload, end: End) async throws {
        let content = Wire.pattern(300_000)
        let file = try TestFile(content)
        try await FramePeer.withPeer { connection in
            try await connection.greet()
            guard connection.number == 0 else { return try await connection.servePaths() }
            let stream = try await connection.request().stream
            _ = try await connection.settledData(stream, atLeast: 65_535)
            try await end.end(connection)
        } body: { peer in
            let api = try HTTP2Scene.session(peer)
            try await api.get("first")
            let body = try HTTP2Scene.body(kind, content, file)
            let error = await #expect(throws: SternaError.self) { try await api.post("row", body: body) }
            #expect(error?.kind == .connectionClosed || error?.kind == .writeFailed)
            expectEqual(error?.requestSent, true)
            expectEqual(peer.connectionCount, 1)
            try await expectEqual(api.get("next").text(), "first")
        }
    }

    /// What is left of an answer, and of its last frame, when the connection ends.
    static let pieces: [(name: String, whole: [WireFrame], rest: [UInt8], hasHead: Bool)] = {
        let head = WireFrame.headers(1, HeaderBlock.encode([(":status", "200"), ("content-length", "100")]))
        let data = WireFrame.data(1, [UInt8](repeating: 7, count: 100), end: true)
        return [
            ("half a frame's head", [], Array(head.bytes.prefix(5)), false),
            ("half a field block", [], Array(head.bytes.dropLast(9)), false),
            (
                "half the frames of a head",
                [.headers(1, Array(HeaderBlock.encode([(":status", "200")]).prefix(3)), endHeaders: false)], [], false
            ),
            ("a head", [head], [], true), ("a head and half a frame's head", [head], Array(data.bytes.prefix(4)), true),
            ("half a frame of DATA", [head], Array(data.bytes.prefix(60)), true),
            ("all but the end", [head, .data(1, [UInt8](repeating: 7, count: 99))], [], true),
            (
                "no length and no end",
                [.headers(1, HeaderBlock.encode([(":status", "200")])), .data(1, [1, 2, 3])], [], true
            ),
        ]
    }()

    @Test("A loss amid a response is an error", arguments: pieces.indices, [End.close, .abort])
    func within(index: Int, end: End) async throws {
        let piece = Self.pieces[index]
        try await FramePeer.withPeer { connection in
            try await connection.handshake()
            _ = try await connection.request()
            try await connection.send(bytes: piece.whole.flatMap(\.bytes) + piece.rest)
            try await end.end(connection)
        } body: { peer in
            let api = try HTTP2Scene.session(peer)
            let start = ContinuousClock.now
            let error = await #expect(throws: SternaError.self) { try await api.get("row") }
            #expect(ContinuousClock.now - start < Wire.patience / 2)
            if piece.hasHead {
                expectEqual(error?.kind, .truncated, "\(piece.name)")
                expectEqual(error?.phase, .read, "\(piece.name)")
            } else {
                #expect(error?.kind == .truncated || error?.kind == .connectionClosed, "\(piece.name)")
            }
            expectEqual(peer.connectionCount, 1)
        }
    }
}
