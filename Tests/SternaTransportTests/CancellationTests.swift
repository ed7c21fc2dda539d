import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

@Suite("Cancellation", .timeLimit(.minutes(5)))
struct CancellationTests {
    /// Cancels a request once a condition holds; it must fail as cancelled at once.
    @discardableResult
    private func cancelled(
        _ phase: SternaError.Phase?, when condition: () async throws -> Bool,
        location: SourceLocation = #_sourceLocation,
        _ work: @escaping @Sendable () async throws -> Void
    ) async throws -> SternaError? {
        let task = Task { try await work() }
        #expect(try await condition(), sourceLocation: location)
        let start = ContinuousClock.now
        task.cancel()
        let error = await #expect(throws: SternaError.self, sourceLocation: location) { try await task.value }
        #expect(ContinuousClock.now - start < .seconds(100), sourceLocation: location)
        expectEqual(error?.kind, .cancelled, "\(error.map { "\($0)" } ?? "")", sourceLocation: location)
        if let phase { expectEqual(error?.phase, phase, sourceLocation: location) }
        return error
    }

    @Test("Cancelling while waiting for the response", arguments: [false, true])
    func waiting(secure: Bool) async throws {
        let authority = try CertificateAuthority()
        let options = TestServer.Options(tls: secure ? try authority.issue(hosts: ["localhost"]) : nil)
        try await TestServer.withServer(options) { server in
            let api = try Wire.session(server.url, authority: authority)
            let error = try await cancelled(
                .wait,
                when: {
                    try await server.waitForRequests(1, within: 60)
                    return true
                }
            ) {
                try await api.get("delay/30")
            }
            expectEqual(error?.requestSent, true)
            expectEqual(error?.url?.hasSuffix("/delay/30"), true)
            try await server.waitForOpenConnections(0, within: 60)
        }
    }

    @Test("Cancelling amid a body that is collected", arguments: [4, 300_000])
    func collecting(count: Int) async throws {
        let part = "HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n" + String(repeating: "c", count: count)
        try await ScriptedServer.withServer(connections: [[.receiveHead, .send(part), .hang]]) { server in
            let api = try Wire.session(server.url)
            try await cancelled(nil, when: { await server.waitForReceived(30, connection: 0, within: 60) }) {
                try await api.get("row")
            }
            #expect(try await server.waitForClose(connection: 0, within: 60))
        }
    }

    @Test("Cancelling amid a body that is streamed")
    func streaming() async throws {
        let part = "HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\nhalf"
        try await ScriptedServer.withServer(connections: [[.receiveHead, .send(part), .hang]]) { server in
            let api = try Wire.session(server.url)
            let arrived = Counter()
            try await cancelled(.read, when: { await eventually { arrived.value == 4 } }) {
                try await api.withResponse(to: .get("row")) { response in
                    for try await chunk in response.body { arrived.add(chunk.readableBytes) }
                }
            }
            #expect(try await server.waitForClose(connection: 0, within: 60))
        }
    }

    @Test("Cancelling while the request's body is sent", arguments: [false, true])
    func sending(isStream: Bool) async throws {
        let listener = try RawListener(isFull: false)
        let api = try Wire.session("http://127.0.0.1:\(listener.port)")
        let sent = Counter()
        let body: Body =
            isStream
            ? Body(segments: [
                .producer(
                    BodyProducer(length: nil, isReplayable: false) {
                        {
                            sent.add()
                            return Bytes(repeating: 1, count: 64 << 10)
                        }
                    })
            ]) : .bytes(Bytes(repeating: 1, count: 64 << 20))
        try await cancelled(.write, when: { await eventually { sent.value > 0 } }) {
            try await api.post("row", body: body) { $0.uploadProgress = { _ in sent.add() } }
        }
        withExtendedLifetime(listener) {}
    }

    @Test("Cancelling while a body's source is awaited cancels the source")
    func source() async throws {
        try await TestServer.withServer { server in
            let api = try Wire.session(server.url)
            let asked = Counter()
            let told = Counter()
            let producer = BodyProducer(length: nil, isReplayable: false) {
                {
                    asked.add()
                    do {
                        try await Task.sleep(for: .seconds(60))
                    } catch {
                        told.add()
                        throw error
                    }
                    return nil
                }
            }
            try await cancelled(
                .write,
                when: { await eventually { asked.value == 1 } }
            ) {
                try await api.post("post", body: Body(segments: [.producer(producer)]))
            }
            #expect(await eventually { told.value == 1 })
            try await server.waitForOpenConnections(0, within: 60)
        }
    }

    @Test("Cancelling while connecting")
    func connecting() async throws {
        let listener = try RawListener(isFull: true)
        let time = TestClock()
        let engine = PoolSupport.engine { $0.clock = time.clock }
        let api = try Wire.session("http://127.0.0.1:\(listener.port)", engine: engine) {
            $0.timeouts.connect = .seconds(10)
        }
        let error = try await cancelled(
            .connect,
            when: {
                // The limit is set when the connection is begun.
                await time.waitForTimer(within: .seconds(10))
                return true
            }
        ) {
            try await api.get("row")
        }
        expectEqual(error?.requestSent, false)
        withExtendedLifetime(listener) {}
    }

    @Test("Cancelling in the TLS handshake closes a connection without other waiting requests")
    func handshake() async throws {
        try await ScriptedServer.withServer(connections: [[.receive(atLeast: 1), .hang]]) { server in
            let api = try Wire.session("https://127.0.0.1:\(server.port)")
            try await cancelled(nil, when: { await server.waitForReceived(1, connection: 0, within: 60) }) {
                try await api.get("row")
            }
            #expect(try await server.waitForClose(connection: 0, within: 60))
        }
    }

    @Test("Cancelling before the beginning sends nothing")
    func before() async throws {
        try await TestServer.withServer { server in
            let api = try Wire.session(server.url)
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                try await api.get("1k")
            }
            task.cancel()
            let error = await #expect(throws: SternaError.self) { try await task.value }
            expectEqual(error?.kind, .cancelled)
            expectEqual(server.requestCount, 0)
        }
    }

    @Test("Cancelling after the end has no effect")
    func after() async throws {
        try await TestServer.withServer { server in
            let api = try Wire.session(server.url)
            for _ in 0..<50 {
                let task = Task { try await api.get("1k").status }
                try await expectEqual(task.value, 200)
                task.cancel()
            }
            expectEqual(server.totalConnections, 1)
        }
    }

    @Test(
        "200 cancellations at random moments leave no connection, and the engine works", arguments: [2, 32],
        [false, true])
    func storm(maximum: Int, secure: Bool) async throws {
        let authority = try CertificateAuthority()
        let server = try await TestServer.start(
            TestServer.Options(tls: secure ? try authority.issue(hosts: ["localhost"]) : nil))
        var options = Wire.options
        options.maximumConnectionsPerOrigin = maximum
        let engine = Engine(options: options)
        let api = try Wire.session(server.url, engine: engine, authority: authority)
        let paths = ["1k", "bytes/400000", "delay/0.02", "stream-bytes/90000", "drip?duration=0.05", "get", "gzip"]
        let ended = Counter()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let task = Task {
                        if number % 5 == 0 {
                            try await api.post("post", body: .bytes(Bytes(repeating: 1, count: 300_000)))
                        } else {
                            try await api.get(paths[number % paths.count])
                        }
                    }
                    try? await Task.sleep(for: .microseconds(.random(in: 0...30_000)))
                    task.cancel()
                    let result = await task.result
                    switch result {
                    case .success: ended.add()
                    case .failure(let error as SternaError) where error.kind == .cancelled: ended.add()
                    case .failure(let error): Issue.record("\(error)")
                    }
                }
            }
        }
        expectEqual(ended.value, 200)
        for _ in 0..<(maximum + 2) { try await expectEqual(api.get("1k").status, 200) }
        let isEmpty = await eventually {
            engine.closeIdleConnections()
            return server.openConnections == 0
        }
        #expect(isEmpty, "\(server.openConnections) open")
        try await server.stop()
    }
}
