import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// What requests on streams of one connection took.
@Suite("HTTP/2: metrics", .timeLimit(.minutes(5)))
struct HTTP2MetricsTests {
    private func session(
        _ peer: FramePeer, _ engine: Engine = Wire.engine(), authority: CertificateAuthority? = nil
    ) throws -> Session {
        try HTTP2Scene.session(peer, engine, authority: authority) { $0.events.collectsMetrics = true }
    }

    /// The octets of a stream's frames, with their heads and without.
    private static func sizes(_ frames: [WireFrame]) -> ClosedRange<Int64> {
        let payload = frames.reduce(0) { $0 + $1.payload.count }
        return Int64(payload)...Int64(payload + WireFrame.headLength * frames.count)
    }

    @Test("A new connection and a reused one, in the clear and over TLS", arguments: [false, true])
    func both(secure: Bool) async throws {
        let authority = try CertificateAuthority()
        let bundle = secure ? try authority.issue(hosts: ["localhost"]) : nil
        let content = Wire.pattern(30_000)
        let answer = Wire.pattern(50_000)
        try await FramePeer.withPeer(tls: bundle) { connection in
            try await connection.handshake()
            for _ in 0..<2 {
                let request = try await connection.request()
                _ = try await connection.body(of: request.stream)
                try await connection.respond(request.stream, body: answer)
            }
        } body: { peer in
            let api = try session(peer, authority: secure ? authority : nil).with { $0.responseSerializer = .data }
            for number in 0..<2 {
                let reply = try await api.post("row", body: .bytes(content))
                let metrics = try #require(reply.response.metrics)
                MetricsCheck.expectOrder(metrics)
                let attempt = try #require(metrics.attempts.first)
                expectEqual(metrics.attempts.count, 1)
                expectEqual(attempt.reason, .first)
                expectEqual(attempt.version, .http2)
                expectEqual(attempt.status, 200)
                expectNil(attempt.failure)
                expectEqual(attempt.isReused, (number == 1))
                if number == 0 { expectEqual(attempt.tlsVersion, (secure ? "TLS 1.3" : nil)) }
                expectEqual(attempt.remoteAddress, "127.0.0.1:\(peer.port)")
                expectEqual(attempt.localAddress?.hasPrefix("127.0.0.1:"), true)
                let names = MetricsCheck.names(attempt)
                expectEqual(names.suffix(3), ["write", "wait", "read"])
                if number == 0 {
                    expectEqual(names.dropLast(3), ["queue", "resolve", "connect"] + (secure ? ["TLS"] : []))
                } else {
                    #expect(Set(names.dropLast(3)).isSubset(of: ["queue"]))
                }
                #expect(attempt.bytesSent > Int64(content.count) && attempt.bytesSent < Int64(content.count) + 500)
                #expect(
                    attempt.bytesReceived > Int64(answer.count) && attempt.bytesReceived < Int64(answer.count) + 500)
                expectEqual(attempt.decodedBytes, Int64(answer.count))
            }
            expectEqual(peer.connectionCount, 1)
            try await peer.waitForScripts()
        }
    }

    @Test("Bytes are counted as they are on the wire, field blocks and frames included")
    func wireBytes() async throws {
        let content = Wire.pattern(30_000)
        let answer = Wire.pattern(50_000)
        try await FramePeer.withPeer { connection in
            try await connection.handshake()
            for _ in 0..<2 {
                let request = try await connection.request()
                _ = try await connection.body(of: request.stream)
                try await connection.respond(request.stream, body: answer)
            }
        } body: { peer in
            let api = try session(peer).with { $0.responseSerializer = .data }
            for number in 0..<2 {
                let metrics = try #require(try await api.post("row", body: .bytes(content)).response.metrics)
                let connection = try await peer.connection(0)
                let frames = connection.frames(of: UInt32(2 * number + 1))
                let sent = Self.sizes(frames.filter { $0.kind == .headers || $0.kind == .data })
                #expect(sent.contains(metrics.bytesSent), "\(metrics.bytesSent) of \(sent)")
                // Four frames of DATA at the least, and not many more.
                let least = Int64(answer.count + HeaderBlock.encode([(":status", "200")]).count)
                let received = least...least + Int64(20 * WireFrame.headLength)
                #expect(received.contains(metrics.bytesReceived), "\(metrics.bytesReceived) of \(received)")
            }
            try await peer.waitForScripts()
        }
    }

    @Test("Writing, waiting and reading take the time that the server takes for each")
    func durations() async throws {
        let (time, pause) = (TestClock(), Duration.milliseconds(300))
        try await FramePeer.withPeer { connection in
            try await connection.greet(settings: [(WireFrame.Setting.initialWindowSize, 0)])
            let stream = try await connection.request().stream
            await time.advance(by: pause)
            try await connection.send(.windowUpdate(stream, 1_000))
            _ = try await connection.trailers(of: stream)
            // The client knows, too, that all has left.
            try await connection.roundTrip()
            await time.advance(by: pause)
            try await connection.respondHead(stream)
            try await connection.roundTrip()
            await time.advance(by: pause)
            try await connection.sendBody(stream, [1])
        } body: { peer in
            let api = try session(peer, PoolSupport.engine { $0.clock = time.clock })
            try await api.get("first")
            let metrics = try #require(
                try await api.post("row", body: .bytes(Wire.pattern(1_000))).response.metrics)
            MetricsCheck.expectOrder(metrics)
            let attempt = try #require(metrics.attempts.first)
            for span in [attempt.write, attempt.wait, attempt.read] { expectEqual(span?.duration, pause) }
            expectEqual(metrics.duration, pause * 3)
            try await peer.waitForScripts()
        }
    }

    @Test("Waiting for a stream counts as queue time")
    func queued() async throws {
        let (time, isOver) = (TestClock(), Gate())
        try await FramePeer.withPeer { connection in
            try await connection.greet(settings: [(WireFrame.Setting.maxConcurrentStreams, 1)])
            let held = try await connection.request()
            await isOver.pass()
            try await connection.respond(held.stream, text: "held")
            try await connection.servePaths()
        } body: { peer in
            let engine = PoolSupport.engine {
                $0.maximumConnectionsPerOrigin = 1
                $0.clock = time.clock
            }
            let api = try session(peer, engine)
            try await api.get("first")
            let held = Task { try await api.get("held") }
            try await peer.connection(0).waitForRequests(2)
            let next = Task { try await api.get("next") }
            await PoolSupport.expect(engine, "two are under way") { $0.activeRequests == 2 }
            await time.advance(by: .milliseconds(100))
            isOver.open()
            let metrics = try #require(try await next.value.response.metrics)
            MetricsCheck.expectOrder(metrics)
            let attempt = try #require(metrics.attempts.first)
            expectEqual(attempt.queue?.duration, .milliseconds(100))
            #expect(attempt.isReused)
            _ = try await held.value
        }
    }

    @Test("Each of many concurrent requests has its own metrics")
    func many() async throws {
        try await FramePeer.withPeer { connection in
            try await connection.greet()
            let requests = try await connection.requests(20)
            for request in requests.reversed() {
                let length = Int(request.path?.dropFirst() ?? "") ?? 0
                try await connection.respond(request.stream, body: [UInt8](repeating: 1, count: length))
            }
        } body: { peer in
            let api = try session(peer).with { $0.responseSerializer = .data }
            try await api.get("first")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        let length = 100 * number + 1
                        let metrics = try #require(try await api.get("\(length)").response.metrics)
                        MetricsCheck.expectOrder(metrics)
                        let attempt = try #require(metrics.attempts.first)
                        #expect(attempt.isReused)
                        expectEqual(attempt.decodedBytes, Int64(length))
                        #expect(attempt.bytesReceived >= Int64(length) && attempt.bytesReceived < Int64(length) + 100)
                        expectEqual(attempt.url, "\(peer.url)/\(length)")
                    }
                }
                try await group.waitForAll()
            }
            expectEqual(peer.connectionCount, 1)
            try await peer.waitForScripts()
        }
    }

    @Test("Refused attempts, and those lost with a connection, are recorded with their reasons")
    func attempts() async throws {
        try await FramePeer.withPeer { connection in
            switch connection.number {
            case 0:
                try await connection.greet()
                let request = try await connection.request()
                try await connection.send(.goAway(last: request.stream - 2))
                try await connection.waitForClose()
            case 1:
                try await connection.greet()
                _ = try await connection.request()
                try await connection.close()
            default:
                try await connection.handshake()
                try await connection.servePaths()
            }
        } body: { peer in
            let api = try session(peer)
            try await api.get("first")
            let refused = try #require(try await api.post("a", body: .text("b")).response.metrics)
            expectEqual(refused.attempts.map(\.reason), [.first, .refused])
            expectEqual(refused.attempts.map(\.isReused), [true, false])
            expectEqual(refused.attempts.map(\.status), [nil, 200])
            expectEqual(refused.retryCount, 1)
            MetricsCheck.expectOrder(refused)
            let stale = try #require(try await api.get("b").response.metrics)
            expectEqual(stale.attempts.map(\.reason), [.first, .staleConnection])
            expectEqual(stale.attempts.last?.version, .http2)
            MetricsCheck.expectOrder(stale)
            expectEqual(peer.connectionCount, 3)
        }
    }
}
