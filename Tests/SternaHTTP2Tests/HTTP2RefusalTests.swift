import NIOCore
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Requests that the server did not look at (RFC 9113 §8.7): they are made again, whatever their method.
@Suite("HTTP/2: requests that the server refuses", .timeLimit(.minutes(5)))
struct HTTP2RefusalTests {
    /// How a server says that it did not look at a stream.
    enum Refusal: CaseIterable {
        case reset, goAway

        func send(_ stream: UInt32, _ connection: PeerConnection) async throws {
            switch self {
            case .reset: try await connection.send(.reset(stream, .refusedStream))
            case .goAway: try await connection.send(.goAway(last: stream > 2 ? stream - 2 : 0))
            }
        }
    }

    private func session(_ peer: FramePeer) throws -> Session {
        try HTTP2Scene.session(peer) { $0.events.collectsMetrics = true }
    }

    @Test(
        "A refused request is resent", arguments: Refusal.allCases,
        [Request.Method.get, .post, .put, .patch, .delete])
    func once(refusal: Refusal, method: Request.Method) async throws {
        let content = Wire.pattern(1_000)
        let hasBody = [Request.Method.post, .put, .patch].contains(method)
        let refused = Counter()
        try await FramePeer.withPeer { connection in
            try await connection.handshake()
            try await connection.serve { request in
                expectEqual(request.method, method.rawValue)
                let body = request.endStream ? [] : try await connection.body(of: request.stream)
                expectEqual(body, (hasBody ? content : []))
                if refused.add() == 1 { return try await refusal.send(request.stream, connection) }
                try await connection.respond(request.stream, text: "taken")
            }
        } body: { peer in
            let reply = try await session(peer).request(method, "row", body: hasBody ? .bytes(content) : nil)
            try await expectEqual(reply.text(), "taken")
            expectEqual(reply.response.metrics?.attempts.map(\.reason), [.first, .refused])
            expectEqual(reply.response.metrics?.attempts.map(\.status), [nil, 200])
            if let metrics = reply.response.metrics { MetricsCheck.expectOrder(metrics) }
            expectEqual(peer.totalRequests, 2)
            if refusal == .goAway { expectEqual(peer.connectionCount, 2) }
        }
    }

    @Test(
        "A refusal amid an upload resends it from the beginning", arguments: Refusal.allCases,
        [HTTP2Scene.Upload.bytes, .file])
    func upload(refusal: Refusal, kind: HTTP2Scene.Upload) async throws {
        let content = Wire.pattern(200_000)
        let file = try TestFile(content)
        let refused = Counter()
        try await FramePeer.withPeer { connection in
            try await connection.handshake()
            try await connection.serve { request in
                guard request.method == "POST" else {
                    return try await connection.respond(request.stream, text: "first")
                }
                expectEqual(request["content-length"], "200000")
                if refused.add() == 1 {
                    try await expectEqual(connection.settledData(request.stream, atLeast: 65_535), 65_535)
                    return try await refusal.send(request.stream, connection)
                }
                #expect(HTTP2Scene.same(try await connection.body(of: request.stream), content))
                try await connection.respond(request.stream, text: "all")
            }
        } body: { peer in
            let api = try session(peer)
            try await api.get("first")
            let reply = try await api.post("row", body: try HTTP2Scene.body(kind, content, file))
            try await expectEqual(reply.text(), "all")
            expectEqual(reply.response.metrics?.attempts.map(\.reason), [.first, .refused])
            expectEqual(peer.totalRequests, 3)
        }
    }

    @Test("A refusal after a body that can be read only once is an error", arguments: Refusal.allCases)
    func oneShot(refusal: Refusal) async throws {
        let content = Wire.pattern(200_000)
        try await FramePeer.withPeer { connection in
            try await connection.greet()
            let request = try await connection.request()
            try await expectEqual(connection.settledData(request.stream, atLeast: 65_535), 65_535)
            try await refusal.send(request.stream, connection)
            try await connection.servePaths()
        } body: { peer in
            let api = try session(peer)
            try await api.get("first")
            let error = await #expect(throws: SternaError.self) {
                try await api.post("row", body: .stream(HTTP2Scene.pieces(content)))
            }
            expectEqual(error?.kind, .connectionClosed)
            #expect(error?.phase == .wait || error?.phase == .write)
            expectEqual(error?.attempt, 1)
            expectEqual(peer.totalRequests, 2)
            try await expectEqual(api.get("next").status, 200)
        }
    }

    @Test("A refusal after an interim response counts, too")
    func interim() async throws {
        let refused = Counter()
        try await FramePeer.withPeer { connection in
            try await connection.handshake()
            try await connection.serve { request in
                guard refused.add() == 1 else { return try await connection.respond(request.stream, text: "taken") }
                try await connection.respondHead(request.stream, status: 103)
                try await connection.send(.reset(request.stream, .refusedStream))
            }
        } body: { peer in
            let reply = try await session(peer).post("row", body: .text("body"))
            try await expectEqual(reply.text(), "taken")
            expectEqual(peer.totalRequests, 2)
        }
    }

    @Test("A server that refuses always gets four attempts", arguments: Refusal.allCases, [Request.Method.get, .post])
    func always(refusal: Refusal, method: Request.Method) async throws {
        try await FramePeer.withPeer { connection in
            try await connection.handshake()
            try await connection.serve { try await refusal.send($0.stream, connection) }
        } body: { peer in
            let error = await Wire.failure(.connectionClosed, .wait) {
                try await session(peer).request(method, "row")
            }
            expectEqual(error?.attempt, 4)
            expectEqual(error?.metrics?.attempts.map(\.reason), [.first, .refused, .refused, .refused])
            expectEqual(peer.totalRequests, 4)
            #expect(peer.connectionCount <= 4)
        }
    }

    @Test("Many concurrent requests are refused once each, and all are served", arguments: Refusal.allCases)
    func many(refusal: Refusal) async throws {
        let seen = Mutex<Set<String>>([])
        try await FramePeer.withPeer { connection in
            try await connection.handshake()
            guard connection.number == 0 else { return try await connection.servePaths() }
            try await connection.respond(try await connection.request().stream, text: "first")
            let requests = try await connection.requests(20)
            for request in requests { seen.withLock { _ = $0.insert(request.path ?? "") } }
            switch refusal {
            case .goAway: try await connection.send(.goAway(last: 1))
            case .reset: try await connection.send(requests.map { .reset($0.stream, .refusedStream) })
            }
            try await connection.servePaths()
        } body: { peer in
            let api = try session(peer)
            try await api.get("first")
            let texts = try await HTTP2Scene.texts(20) { try await api.post("\($0)", body: .text("body")).text() }
            expectEqual(texts, (0..<20).map { "/\($0)" })
            expectEqual(seen.withLock { $0.count }, 20)
            expectEqual(peer.totalRequests, 41)
            #expect(peer.connectionCount <= 2)
        }
    }

    @Test("A response on a refused stream is ignored")
    func late() async throws {
        let isServed = Gate()
        try await FramePeer.withPeer { connection in
            if connection.number == 0 {
                try await connection.greet()
                let request = try await connection.request()
                try await connection.send(.goAway(last: 1))
                // The connection may be gone by then.
                try? await connection.respond(request.stream, text: "wrong")
                isServed.open()
            } else {
                try await connection.handshake()
                let request = try await connection.request()
                await isServed.pass()
                try await connection.respond(request.stream, text: "right")
            }
        } body: { peer in
            let api = try session(peer)
            try await api.get("first")
            try await expectEqual(api.post("row", body: .text("body")).text(), "right")
            expectEqual(peer.totalRequests, 3)
        }
    }
}
