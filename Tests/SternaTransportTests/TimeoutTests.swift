import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Each time-out over real sockets: its own kind and phase, not before its time and soon after it.
@Suite("Time-outs", .serialized, .timeLimit(.minutes(5)))
struct TimeoutTests {

    private func engine(_ time: TestClock) -> Engine { PoolSupport.engine { $0.clock = time.clock } }

    /// A request that must run out of time in a phase, on a test's clock, under one short time-out among long ones.
    @discardableResult
    private func runsOut(
        _ phase: SternaError.Phase, _ url: String, location: SourceLocation = #_sourceLocation,
        settings: (inout SessionSettings) -> Void,
        _ ask: @escaping @Sendable (Session) async throws -> Void = { _ = try await $0.get("row") }
    ) async throws -> SternaError? {
        let time = TestClock()
        let api = try Wire.session(url, engine: engine(time), settings)
        return await Wire.failure(.timedOut, phase, location: location) {
            try await Wire.pass(Wire.short, on: time, location: location) { try await ask(api) }
        }
    }

    /// The same on the system's clock.
    @discardableResult
    private func runsOut(
        _ phase: SternaError.Phase, _ api: Session, location: SourceLocation = #_sourceLocation,
        _ ask: (Session) async throws -> Void = { _ = try await $0.get("row") }
    ) async -> SternaError? {
        let start = ContinuousClock.now
        let error = await Wire.failure(.timedOut, phase, location: location) { try await ask(api) }
        #expect(ContinuousClock.now - start >= .milliseconds(140), sourceLocation: location)
        return error
    }

    @Test("The connect time-out") func connect() async throws {
        let listener = try RawListener(isFull: true)
        let error = try await runsOut(.connect, "http://127.0.0.1:\(listener.port)") {
            $0.timeouts.connect = Wire.short
        }
        expectEqual(error?.requestSent, false)
        withExtendedLifetime(listener) {}
    }

    @Test("The connect time-out, by name") func connectByName() async throws {
        let listener = try RawListener(isFull: true)
        try await runsOut(.connect, "http://localhost:\(listener.port)") { $0.timeouts.connect = Wire.short }
        withExtendedLifetime(listener) {}
    }

    @Test("TLS", arguments: [[ScriptedServer.Step](), [.receive(atLeast: 1), .sendBytes([0x16, 3])]])
    func tls(script: [ScriptedServer.Step]) async throws {
        try await ScriptedServer.withServer(connections: [script]) { server in
            let error = try await runsOut(.tls, "https://127.0.0.1:\(server.port)") { $0.timeouts.tls = Wire.short }
            expectEqual(error?.requestSent, false)
            #expect(try await server.waitForClose(connection: 0, within: 60))
            expectEqual(server.acceptedConnections, 1)
        }
    }

    /// Plays a script to a request that must run out of time in a phase, on a test's clock.
    @discardableResult
    private func refusal(
        _ phase: SternaError.Phase, secure: Bool = false, script: [ScriptedServer.Step],
        location: SourceLocation = #_sourceLocation, settings: (inout SessionSettings) -> Void,
        _ ask: @escaping @Sendable (Session) async throws -> Void = { _ = try await $0.get("row") }
    ) async throws -> SternaError? {
        let time = TestClock()
        return try await Wire.refusal(
            .timedOut, phase, secure: secure, script: script, location: location,
            settings: {
                $0.network.engine = engine(time)
                settings(&$0)
            }
        ) { api in
            try await Wire.pass(Wire.short, on: time, location: location) { try await ask(api) }
        }
    }

    @Test("The first-byte time-out", arguments: [false, true])
    func firstByte(secure: Bool) async throws {
        let error = try await refusal(.wait, secure: secure, script: []) { $0.timeouts.firstByte = Wire.short }
        expectEqual(error?.requestSent, true)
        expectEqual(error?.description.contains("0.15 s"), true)
    }

    @Test("The time-out between bytes of the body", arguments: [false, true], [0, 1, 300_000])
    func body(secure: Bool, count: Int) async throws {
        let part = String(repeating: "b", count: count)
        let error = try await refusal(
            .read, secure: secure, script: [.send("HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n\(part)")]
        ) { $0.timeouts.betweenBytes = Wire.short }
        expectEqual(error?.status, 200)
    }

    @Test(
        "The time-out between bytes of the head and the framing",
        arguments: [
            "H", "HTTP/1.1 200 OK\r\nX-Half: a", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 2",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-Trail",
        ])
    func head(text: String) async throws {
        try await refusal(.read, script: [.send(text)]) { $0.timeouts.betweenBytes = Wire.short }
    }

    @Test("The time-out between bytes, after a response that was slow to begin")
    func slowStart() async throws {
        // The clock is moved through several times the time-out meanwhile.
        try await refusal(
            .read, script: [.pause(milliseconds: 100), .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")]
        ) { $0.timeouts.betweenBytes = Wire.short }
    }

    @Test("The time-out between bytes, while a caller streams", arguments: [false, true])
    func streamed(secure: Bool) async throws {
        try await refusal(
            .read, secure: secure, script: [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")],
            settings: { $0.timeouts.betweenBytes = Wire.short }
        ) { api in
            try await api.withResponse(to: .get("row")) { response in
                var text = ""
                defer { expectEqual(text, "half") }
                for try await chunk in response.body { text += String(buffer: chunk) }
            }
        }
    }

    @Test("The write time-out", arguments: [false, true])
    func write(isStream: Bool) async throws {
        let listener = try RawListener(isFull: false)
        let block = Bytes(repeating: 7, count: 1 << 20)
        let body: Body =
            isStream
            ? Body(segments: [
                .producer(BodyProducer(length: nil, isReplayable: false) { { block } })
            ]) : Body(segments: Array(repeating: .bytes(block), count: 64))
        let error = try await runsOut(
            .write, "http://127.0.0.1:\(listener.port)", settings: { $0.timeouts.write = Wire.short }
        ) { try await $0.post("row", body: body) }
        expectEqual(error?.requestSent, true)
        withExtendedLifetime(listener) {}
    }

    static func drip(_ count: Int) -> [ScriptedServer.Step] {
        (0..<count).flatMap { _ in [ScriptedServer.Step.send("d"), .pause(milliseconds: 20)] }
    }

    @Test(
        "The total time-out ends a body, head or 1xx that keeps within the other limits",
        arguments: [
            ("HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n", SternaError.Phase.read),
            ("HTTP/1.1 200 OK\r\n\r\n", .read), ("HTTP/1.1 200 OK\r\nX: ", .read),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffff\r\n", .read), ("", .wait),
        ])
    func total(start: String, phase: SternaError.Phase) async throws {
        let error = try await Wire.refusal(
            .timedOut, phase, script: [.send(start)] + (start.isEmpty ? [] : Self.drip(3_000)),
            settings: { $0.timeouts.total = .milliseconds(1_500) })
        expectEqual(error?.description.contains("total time-out"), true)
    }

    @Test("The total time-out while connecting, in the TLS handshake, and while sending")
    func totalElsewhere() async throws {
        let full = try RawListener(isFull: true)
        let silent = try RawListener(isFull: false)
        let total = Wire.short
        await runsOut(.connect, try Wire.session("http://127.0.0.1:\(full.port)") { $0.timeouts.total = total })
        await runsOut(.tls, try Wire.session("https://127.0.0.1:\(silent.port)") { $0.timeouts.total = total })
        await runsOut(.write, try Wire.session("http://127.0.0.1:\(silent.port)") { $0.timeouts.total = total }) {
            try await $0.post("row", body: .bytes(Bytes(repeating: 1, count: 32 << 20)))
        }
        withExtendedLifetime((full, silent)) {}
    }

    @Test("The total time-out while other requests hold the connections")
    func queued() async throws {
        try await ScriptedServer.withServer(connections: [[.receiveHead]]) { server in
            let time = TestClock()
            let engine = PoolSupport.engine {
                $0.maximumConnectionsPerOrigin = 1
                $0.clock = time.clock
            }
            let api = try Wire.session(server.url, engine: engine)
            let first = Task { try await api.get("first") }
            #expect(await server.waitForReceived(10, connection: 0, within: 60))
            let hasty = api.with { $0.timeouts.total = Wire.short }
            let error = await Wire.failure(.timedOut, .queue) {
                try await Wire.pass(Wire.short, on: time) { try await hasty.get("row") }
            }
            expectEqual(error?.requestSent, false)
            expectEqual(server.acceptedConnections, 1)
            first.cancel()
            _ = await first.result
        }
    }

    @Test("Redirects do not restart the total time-out")
    func redirects() async throws {
        let time = TestClock()
        var options = Wire.options
        options.clock = time.clock
        try await TestServer.withServer { server in
            server.route("GET", "/on/{n}") { request in
                await time.advance(by: .milliseconds(100))
                return .redirect(to: "/on/\((Int(request.parameters["n"] ?? "") ?? 0) + 1)")
            }
            let api = try Wire.session(server.url, engine: Engine(options: options)) {
                $0.timeouts.total = .milliseconds(450)
            }
            await Wire.failure(.timedOut, .wait) { try await api.get("on/1") }
            expectEqual(server.requestCount, 5)
        }
    }

    @Test("A slow reader does not time out the server")
    func slowReader() async throws {
        try await TestServer.withServer { server in
            let api = try Wire.session(server.url) { $0.timeouts.betweenBytes = Wire.short }
            try await api.withResponse(to: .get("bytes/30000000?seed=1")) { response in
                var count = 0
                var pauses = 0
                for try await chunk in response.body {
                    count += chunk.readableBytes
                    if pauses < 2, count > 1 << 20 {
                        pauses += 1
                        try await Task.sleep(for: .milliseconds(500))
                    }
                }
                expectEqual(count, 30_000_000)
            }
        }
    }

    @Test("A slow source of a body does not time out the server")
    func slowSource() async throws {
        try await TestServer.withServer { server in
            let time = TestClock()
            let api = try Wire.session(server.url, engine: engine(time)) {
                $0.timeouts.betweenBytes = Wire.short
                $0.timeouts.firstByte = Wire.short
            }
            let left = Counter()
            let producer = BodyProducer(length: nil, isReplayable: false) {
                {
                    await time.advance(by: .milliseconds(400))
                    return left.add() > 2 ? nil : Bytes(string: "piece ")
                }
            }
            let reply = try await api.post("post", body: Body(segments: [.producer(producer)]))
            #expect(try await reply.text().contains("piece piece "))
        }
    }
}
