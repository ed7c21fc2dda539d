import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// What a request took, on its response.
@Suite("Metrics on responses", .timeLimit(.minutes(5)))
struct ResponseMetricsTests {
    static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    private func session(
        _ url: String, _ engine: Engine = Wire.engine(), authority: CertificateAuthority? = nil,
        _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> Session {
        try DialScene.session(url, engine, authority: authority) {
            $0.events.collectsMetrics = true
            configure(&$0)
        }
    }

    private func text(_ server: ScriptedServer, _ connection: Int = 0) -> Int64 {
        Int64(server.received(connection: connection).count)
    }

    @Test("A new connection and a reused one, in the clear and over TLS", arguments: [false, true])
    func both(secure: Bool) async throws {
        let authority = try CertificateAuthority()
        let bundle = secure ? try authority.issue(hosts: ["localhost"]) : nil
        let script: [ScriptedServer.Step] = [.receiveHead, .send(Self.ok), .receiveHead, .send(Self.ok)]
        try await ScriptedServer.withServer(tls: bundle, connections: [script]) { server in
            let api = try session(server.url, authority: authority)
            let one = try #require(try await api.get("one").response.metrics)
            let first = try #require(one.attempts.first)
            expectEqual(one.attempts.count, 1)
            MetricsCheck.expectOrder(one)
            expectEqual(
                MetricsCheck.names(first),
                ["queue", "resolve", "connect"] + (secure ? ["TLS"] : []) + ["write", "wait", "read"])
            expectEqual(first.reason, .first)
            expectEqual(first.method, "GET")
            expectEqual(first.url, "\(server.url)/one")
            #expect(!first.isReused)
            expectEqual(first.version, .http11)
            expectEqual(first.tlsVersion, (secure ? "TLS 1.3" : nil))
            expectEqual(first.remoteAddress, "127.0.0.1:\(server.port)")
            expectEqual(first.localAddress?.hasPrefix("127.0.0.1:"), true)
            expectNil(first.proxy)
            expectEqual(first.status, 200)
            expectNil(first.failure)
            expectEqual(first.bytesSent, text(server))
            expectEqual(first.bytesReceived, Int64(Self.ok.utf8.count))
            expectEqual(first.decodedBytes, 2)
            #expect(one.duration > .zero)

            let sent = text(server)
            let two = try #require(try await api.get("two").response.metrics)
            let second = try #require(two.attempts.first)
            MetricsCheck.expectOrder(two)
            #expect(two.id != one.id)
            expectEqual(MetricsCheck.names(second), ["write", "wait", "read"])
            #expect(second.isReused)
            expectEqual(second.remoteAddress, first.remoteAddress)
            expectEqual(second.localAddress, first.localAddress)
            expectEqual(second.bytesSent, text(server) - sent)
            expectEqual(server.acceptedConnections, 1)
        }
    }

    @Test("Waiting for the response and reading it are measured")
    func durations() async throws {
        let script: [ScriptedServer.Step] = [
            .receiveHead, .pause(milliseconds: 400), .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no"),
            .pause(milliseconds: 400), .send("k"),
        ]
        try await ScriptedServer.withServer(connections: [script]) { server in
            let metrics = try #require(try await session(server.url).get("a").response.metrics)
            MetricsCheck.expectOrder(metrics)
            let attempt = try #require(metrics.attempts.first)
            #expect(try #require(attempt.wait).duration >= .milliseconds(100))
            #expect(try #require(attempt.read).duration >= .milliseconds(100))
            #expect(metrics.duration >= .milliseconds(700))
        }
    }

    @Test("Waiting for another request counts as queue time")
    func queued() async throws {
        try await TestServer.withServer { server in
            let gate = Counter()
            server.route("GET", "/gate") { _ in
                _ = await eventually { gate.value > 0 }
                return .text("open")
            }
            let engine = DialScene.engine { $0.maximumConnectionsPerOrigin = 1 }
            let api = try session(server.url, engine)
            let first = Task { try await api.get("gate") }
            try await server.waitForRequests(1, within: 60)
            let second = Task { try await api.get("get") }
            let isWaiting = await eventually {
                await engine.statistics().origins.reduce(0) { $0 + $1.waiting } == 1
            }
            #expect(isWaiting)
            let start = ContinuousClock.now
            _ = await eventually { ContinuousClock.now - start > .milliseconds(50) }
            gate.add()
            let metrics = try #require(try await second.value.response.metrics)
            MetricsCheck.expectOrder(metrics)
            let attempt = try #require(metrics.attempts.first)
            #expect(try #require(attempt.queue).duration >= .milliseconds(50))
            _ = try await first.value
        }
    }

    @Test(
        "The body of a request counts", arguments: [(1_000, false), (300_000, false), (1_000, true), (300_000, true)],
        [false, true])
    func upload(content: (length: Int, isChunked: Bool), hasObserver: Bool) async throws {
        let (length, isChunked) = content
        let body: Body =
            isChunked
            ? .stream(
                AsyncStream<Bytes> {
                    $0.yield(Bytes(repeating: 1, count: length))
                    $0.finish()
                }) : .bytes(Bytes(repeating: 1, count: length))
        let script: [ScriptedServer.Step] = [
            .receiveHead, .receive(atLeast: length + (isChunked ? 10 : 0)), .send(Self.ok),
        ]
        try await ScriptedServer.withServer(connections: [script]) { server in
            let reply = try await session(server.url).post("a", body: body) {
                if hasObserver { $0.uploadProgress = { _ in } }
            }
            let metrics = try #require(reply.response.metrics)
            MetricsCheck.expectOrder(metrics)
            expectEqual(metrics.bytesSent, text(server))
        }
    }

    @Test("A body that waits for 100 (Continue) keeps the phases in order")
    func expects() async throws {
        let script: [ScriptedServer.Step] = [
            .receiveHead, .pause(milliseconds: 50), .send("HTTP/1.1 100 Continue\r\n\r\n"), .receive(atLeast: 200_000),
            .pause(milliseconds: 300), .send(Self.ok),
        ]
        try await ScriptedServer.withServer(connections: [script]) { server in
            let api = try session(server.url) { $0.limits.continueThreshold = 1_000 }
            let metrics = try #require(
                try await api.post("a", body: .bytes(Bytes(repeating: 1, count: 200_000))).response.metrics)
            MetricsCheck.expectOrder(metrics)
            let attempt = try #require(metrics.attempts.first)
            expectEqual(MetricsCheck.names(attempt).suffix(3), ["write", "wait", "read"])
            #expect(try #require(attempt.wait).duration >= .milliseconds(100))
        }
    }

    @Test("A streamed body counts as it is read", arguments: [900_000])
    func streamed(length: Int) async throws {
        try await TestServer.withServer { server in
            let api = try session(server.url)
            try await api.withResponse(to: .get("bytes/\(length)")) { response in
                let early = try #require(response.metrics?.attempts.first)
                expectEqual(early.status, 200)
                expectNil(early.read)
                var count = 0
                for try await chunk in response.body { count += chunk.readableBytes }
                expectEqual(count, length)
                let metrics = try #require(response.metrics)
                MetricsCheck.expectOrder(metrics)
                #expect(metrics.bytesReceived > Int64(length))
            }
        }
    }

    @Test("With a proxy its phase is recorded, and its credentials are not")
    func proxy() async throws {
        try await ProxyScene.with(.http, options: .guarded) { scene in
            let api = try scene.session { $0.events.collectsMetrics = true }
            let metrics = try #require(try await api.get(scene.url("/get")).response.metrics)
            MetricsCheck.expectOrder(metrics)
            let attempt = try #require(metrics.attempts.first)
            expectEqual(
                MetricsCheck.names(attempt), ["queue", "resolve", "connect", "proxy", "TLS", "write", "wait", "read"])
            expectEqual(attempt.remoteAddress, "127.0.0.1:\(scene.proxy.port)")
            expectEqual(attempt.proxy?.contains("\(scene.proxy.port)"), true)
            expectEqual(attempt.proxy?.contains("pw"), false)
        }
    }

    @Test("Metrics contain no secrets of URLs")
    func secrets() async throws {
        try await TestServer.withServer { server in
            let url = server.url("/get?token=hidden&a=1").replacing("http://", with: "http://user:hidden@")
            let metrics = try #require(try await session(server.url).get(url).response.metrics)
            expectEqual(metrics.attempts.first?.url, server.url("/get?token=***&a=1"))
        }
    }

    @Test("HTTP/1.0 is recorded")
    func oldVersion() async throws {
        let script: [ScriptedServer.Step] = [.receiveHead, .send("HTTP/1.0 200 OK\r\n\r\nold"), .close]
        try await ScriptedServer.withServer(connections: [script]) { server in
            let attempt = try #require(try await session(server.url).get("a").response.metrics?.attempts.first)
            expectEqual(attempt.version, .http10)
            #expect(attempt.read != nil)
        }
    }

    @Test("Without metrics nothing is recorded")
    func unasked() async throws {
        try await TestServer.withServer { server in
            let api = try DialScene.session(server.url)
            try await expectNil(api.get("get").response.metrics)
            try expectNil(api.request(for: .get("get")).recorder)
            let error = await #expect(throws: SternaError.self) { try await api.get("status/500") }
            expectNil(error?.metrics)
            #expect(try api.with { $0.events.collectsMetrics = true }.request(for: .get("get")).recorder != nil)
        }
    }
}
