import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// What a request took that was sent and failed: the part that was under way has lasted until then.
@Suite("Metrics of phases that fail", .serialized, .timeLimit(.minutes(5)))
struct FailedPhaseTests {
    private static let opened = ["queue", "resolve", "connect"]

    /// A time-out that must strike, on a test's clock.
    private static let limit = Duration.milliseconds(400)

    /// The only attempt of a request that fails: by the time-out on a test's clock, else on the system's.
    ///
    /// - Parameter isThere: returns when time may pass.
    private func failed(
        _ url: String, _ path: String, _ kind: SternaError.Kind, _ phase: SternaError.Phase, isHTTP2: Bool = false,
        location: SourceLocation = #_sourceLocation, body: Body? = nil,
        _ configure: (inout SessionSettings) -> Void = { _ in }, when isThere: () async throws -> Void = {}
    ) async throws -> AttemptMetrics {
        let time = kind == .timedOut ? TestClock() : nil
        let engine = PoolSupport.engine { $0.clock = time?.clock ?? .system }
        let api = try DialScene.session(url, engine) {
            $0.events.collectsMetrics = true
            if isHTTP2 { $0.network.http2 = .priorKnowledge }
            configure(&$0)
        }
        let method: Request.Method = body == nil ? .get : .post
        let request = Task { _ = try await api.request(method, path, body: body) }
        try await isThere()
        let error = await Wire.failure(kind, phase, location: location) {
            guard let time else { return try await request.value }
            // The event loop has noted all that happened before time passes.
            await time.waitForTimer(within: Self.limit)
            await engine.settle()
            try await Wire.pass(Self.limit, on: time, location: location) { try await request.value }
        }
        return try only(error, kind, location: location)
    }

    private func only(
        _ error: SternaError?, _ kind: SternaError.Kind, location: SourceLocation = #_sourceLocation
    ) throws -> AttemptMetrics {
        let metrics = try #require(error?.metrics, sourceLocation: location)
        MetricsCheck.expectOrder(metrics, location: location)
        expectEqual(metrics.attempts.map(\.failure), [kind], sourceLocation: location)
        return try #require(metrics.attempts.first, sourceLocation: location)
    }

    private func withServer(isHTTP2: Bool, _ work: (TestServer) async throws -> Void) async throws {
        try await TestServer.withServer(.init(http2: isHTTP2 ? .byPriorKnowledge : [])) { server in
            try await work(server)
        }
    }

    // MARK: Waiting

    @Test("Waiting for the first byte until the time-out", arguments: [false, true])
    func firstByte(isHTTP2: Bool) async throws {
        try await withServer(isHTTP2: isHTTP2) { server in
            let attempt = try await failed(server.url, "fault/never", .timedOut, .wait, isHTTP2: isHTTP2) {
                $0.timeouts.firstByte = Self.limit
            }
            expectEqual(MetricsCheck.names(attempt), Self.opened + ["write", "wait"])
            let wait = try #require(attempt.wait)
            #expect(wait.duration >= Self.limit)
            expectNil(attempt.status)
        }
    }

    @Test("Waiting until the total time-out", arguments: [false, true])
    func total(isHTTP2: Bool) async throws {
        try await withServer(isHTTP2: isHTTP2) { server in
            let attempt = try await failed(server.url, "fault/never", .timedOut, .wait, isHTTP2: isHTTP2) {
                $0.timeouts.total = Self.limit
            } when: {
                try await server.waitForRequests(1, within: 60)
            }
            expectEqual(MetricsCheck.names(attempt), Self.opened + ["write", "wait"])
        }
    }

    @Test("Waiting for a server that closes without a response")
    func closed() async throws {
        let script: [ScriptedServer.Step] = [.receiveHead, .pause(milliseconds: 400), .close]
        try await ScriptedServer.withServer(connections: [script]) { server in
            let attempt = try await failed(server.url, "row", .connectionClosed, .wait)
            expectEqual(MetricsCheck.names(attempt), Self.opened + ["write", "wait"])
            let wait = try #require(attempt.wait)
            #expect(wait.duration >= .milliseconds(100))
        }
    }

    @Test("Waiting until it is cancelled")
    func cancelled() async throws {
        try await ScriptedServer.withServer(connections: [[.receiveHead, .hang]]) { server in
            let api = try DialScene.session(server.url) { $0.events.collectsMetrics = true }
            let task = Task { try await api.get("row").status }
            #expect(await server.waitForReceived(10, connection: 0, within: 60))
            task.cancel()
            let error = await Wire.failure(.cancelled, .wait) { _ = try await task.value }
            let attempt = try only(error, .cancelled)
            expectEqual(MetricsCheck.names(attempt), Self.opened + ["write", "wait"])
        }
    }

    // MARK: Reading

    private func expectRead(
        _ attempt: AttemptMetrics, _ least: Duration, location: SourceLocation = #_sourceLocation
    ) throws {
        expectEqual(
            MetricsCheck.names(attempt), Self.opened + ["write", "wait", "read"], sourceLocation: location)
        let read = try #require(attempt.read, sourceLocation: location)
        #expect(read.duration >= least, sourceLocation: location)
        expectEqual(attempt.status, 200, sourceLocation: location)
    }

    @Test("Reading from a server that falls silent in the middle of a body", arguments: [false, true])
    func betweenBytes(isHTTP2: Bool) async throws {
        try await withServer(isHTTP2: isHTTP2) { server in
            let attempt = try await failed(server.url, "fault/stall", .timedOut, .read, isHTTP2: isHTTP2) {
                $0.timeouts.betweenBytes = Self.limit
            }
            try expectRead(attempt, Self.limit)
            #expect(attempt.bytesReceived > 100)
        }
    }

    @Test("Reading a body that is streamed", arguments: [false, true])
    func streamed(isHTTP2: Bool) async throws {
        try await withServer(isHTTP2: isHTTP2) { server in
            let time = TestClock()
            let api = try DialScene.session(server.url, PoolSupport.engine { $0.clock = time.clock }) {
                $0.events.collectsMetrics = true
                if isHTTP2 { $0.network.http2 = .priorKnowledge }
                $0.timeouts.betweenBytes = Self.limit
            }
            let error = await Wire.failure(.timedOut, .read) {
                try await Wire.pass(Self.limit, on: time) {
                    try await api.withResponse(to: .get("fault/stall")) { for try await _ in $0.body {} }
                }
            }
            let attempt = try only(error, .timedOut)
            try expectRead(attempt, Self.limit)
        }
    }

    @Test("Reading from a server that ends in the middle of a body", arguments: [false, true])
    func truncated(isHTTP2: Bool) async throws {
        try await withServer(isHTTP2: isHTTP2) { server in
            let attempt = try await failed(server.url, "fault/close-half", .truncated, .read, isHTTP2: isHTTP2)
            try expectRead(attempt, .zero)
        }
    }

    @Test("Reading from a server that is slow and then closes")
    func slow() async throws {
        let script: [ScriptedServer.Step] = [
            .receiveHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .pause(milliseconds: 400), .close,
        ]
        try await ScriptedServer.withServer(connections: [script]) { server in
            let attempt = try await failed(server.url, "row", .truncated, .read)
            try expectRead(attempt, .milliseconds(100))
        }
    }

    @Test("Reading a head that does not end")
    func head() async throws {
        let script: [ScriptedServer.Step] = [
            .receiveHead, .send("HTTP/1.1 2"), .pause(milliseconds: 400), .close,
        ]
        try await ScriptedServer.withServer(connections: [script]) { server in
            let attempt = try await failed(server.url, "row", .truncated, .read)
            expectEqual(MetricsCheck.names(attempt), Self.opened + ["write", "wait", "read"])
            let read = try #require(attempt.read)
            #expect(read.duration >= .milliseconds(100))
            expectNil(attempt.status)
        }
    }

    // MARK: Writing

    @Test("Writing to a server that takes nothing more")
    func write() async throws {
        let listener = try RawListener(isFull: false)
        let body = Body.bytes(Bytes(repeating: 1, count: 32 << 20))
        let attempt = try await failed("http://127.0.0.1:\(listener.port)", "row", .timedOut, .write, body: body) {
            $0.timeouts.write = Self.limit
        }
        try expectWrite(attempt)
        withExtendedLifetime(listener) {}
    }

    @Test("Writing to a server that opens no window")
    func writeHTTP2() async throws {
        try await withServer(isHTTP2: true) { server in
            // More than the server keeps of a body that nobody reads.
            let body = Body.bytes(Bytes(repeating: 1, count: 8 << 20))
            let attempt = try await failed(server.url, "fault/never", .timedOut, .write, isHTTP2: true, body: body) {
                $0.timeouts.write = Self.limit
            }
            try expectWrite(attempt)
        }
    }

    private func expectWrite(_ attempt: AttemptMetrics, location: SourceLocation = #_sourceLocation) throws {
        expectEqual(MetricsCheck.names(attempt), Self.opened + ["write"], sourceLocation: location)
        let write = try #require(attempt.write, sourceLocation: location)
        #expect(write.duration >= Self.limit, sourceLocation: location)
        #expect(attempt.bytesSent > 0, sourceLocation: location)
    }
}
