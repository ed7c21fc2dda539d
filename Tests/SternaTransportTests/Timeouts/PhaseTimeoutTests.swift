import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// One short time-out after the other among long ones: each strikes in its own phase, in time, and metrics say where.
@Suite("Time-outs by phase", .serialized, .timeLimit(.minutes(5)))
struct PhaseTimeoutTests {
    enum Limit: CaseIterable {
        case queue, resolve, connect, proxy, tls, write, firstByte, betweenBytes, totalOnADrip, throughput

        var phase: SternaError.Phase {
            switch self {
            case .queue: .queue
            case .resolve: .resolve
            case .connect: .connect
            case .proxy: .proxy
            case .tls: .tls
            case .write: .write
            case .firstByte: .wait
            case .betweenBytes, .totalOnADrip, .throughput: .read
            }
        }

        func set(_ timeouts: inout Timeouts) {
            switch self {
            case .queue: timeouts.queue = Wire.short
            case .resolve: timeouts.resolve = Wire.short
            case .connect: timeouts.connect = Wire.short
            case .proxy: timeouts.proxy = Wire.short
            case .tls: timeouts.tls = Wire.short
            case .write: timeouts.write = Wire.short
            case .firstByte: timeouts.firstByte = Wire.short
            case .betweenBytes: timeouts.betweenBytes = Wire.short
            case .totalOnADrip: timeouts.total = .milliseconds(1_000)
            case .throughput: timeouts.minimumThroughput = .init(bytesPerSecond: 10_000, over: .seconds(1))
            }
        }

        var least: Duration { self == .totalOnADrip || self == .throughput ? .milliseconds(950) : .milliseconds(140) }

        /// The span of the phase, as far as it had come.
        func span(_ attempt: AttemptMetrics) -> AttemptMetrics.Span? {
            switch self {
            case .queue: attempt.queue
            case .resolve: attempt.resolve
            case .connect: attempt.connect
            case .proxy: attempt.proxying
            case .tls: attempt.tls
            default: nil
            }
        }
    }

    private func engine(_ limit: Limit) -> Engine {
        DialScene.engine(
            GivenResolver { _, _ in
                if limit == .resolve { try await Task.sleep(for: .seconds(3_600)) }
                return ResolvedHost([IPAddress(v4: 0x7F00_0001)])
            }
        ) { $0.maximumConnectionsPerOrigin = 1 }
    }

    /// Where the request goes, and what must live as long as it.
    private func target(_ limit: Limit, drip: ScriptedServer) throws -> (url: String, proxy: String?, RawListener?) {
        switch limit {
        case .resolve, .queue, .firstByte, .betweenBytes, .totalOnADrip, .throughput: return (drip.url, nil, nil)
        case .connect:
            let listener = try RawListener(isFull: true)
            return ("http://a.test:\(listener.port)", nil, listener)
        case .tls:
            let listener = try RawListener(isFull: false)
            return ("https://a.test:\(listener.port)", nil, listener)
        case .write:
            let listener = try RawListener(isFull: false)
            return ("http://a.test:\(listener.port)", nil, listener)
        case .proxy:
            let listener = try RawListener(isFull: false)
            return ("https://a.test", "http://127.0.0.1:\(listener.port)", listener)
        }
    }

    private func script(_ limit: Limit) -> [ScriptedServer.Step] {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n"
        return switch limit {
        case .betweenBytes: [.receiveHead, .send(head)]
        case .totalOnADrip, .throughput: [.receiveHead, .send(head)] + TimeoutDrip.steps(3_000)
        default: [.receiveHead]
        }
    }

    @Test("Each time-out fails in its phase", arguments: Limit.allCases)
    func each(limit: Limit) async throws {
        try await ScriptedServer.withServer(connections: [script(limit)]) { server in
            let (url, proxy, listener) = try target(limit, drip: server)
            let proxies: ProxySettings = try proxy.map { .proxy(try Proxy($0)) } ?? .none
            let base = limit == .resolve ? "http://a.test:\(server.port)" : url
            let patient = try Wire.session(base, engine: engine(limit)) {
                $0.network.proxies = proxies
                $0.events.collectsMetrics = true
            }
            let first = limit == .queue ? Task { try await patient.get("first") } : nil
            if limit == .queue { #expect(await server.waitForReceived(10, connection: 0, within: 60)) }
            let api = patient.with { limit.set(&$0.timeouts) }
            let start = ContinuousClock.now
            let error = await Wire.failure(.timedOut, limit.phase) {
                let body: Body? = limit == .write ? .bytes(Bytes(repeating: 1, count: 32 << 20)) : nil
                _ = try await api.request(limit == .write ? .post : .get, "row", body: body)
            }
            #expect(ContinuousClock.now - start >= limit.least)
            expectEqual(error?.requestSent, (limit.phase == .write || limit.phase == .wait || limit.phase == .read))
            let metrics = try #require(error?.metrics)
            expectEqual(metrics.attempts.map(\.failure), [.timedOut])
            MetricsCheck.expectOrder(metrics)
            if [.queue, .resolve, .connect, .proxy, .tls].contains(limit) {
                let span = try #require(metrics.attempts.first.flatMap(limit.span))
                #expect(span.duration >= .milliseconds(140))
            }
            first?.cancel()
            _ = await first?.result
            withExtendedLifetime(listener) {}
        }
    }

    @Test("A body that is not taken fails by the minimum throughput, before the write time-out")
    func slowUpload() async throws {
        let listener = try RawListener(isFull: false)
        let api = try DialScene.session("http://127.0.0.1:\(listener.port)") {
            $0.timeouts.minimumThroughput = .init(bytesPerSecond: 10_000, over: .seconds(1))
        }
        let error = await Wire.failure(.timedOut, .write, within: .seconds(15)) {
            try await api.post("row", body: .bytes(Bytes(repeating: 1, count: 64 << 20)))
        }
        expectEqual(error?.detail.contains("10000 bytes per second"), true)
        withExtendedLifetime(listener) {}
    }
}

/// A byte every 20 ms.
enum TimeoutDrip {
    static func steps(_ count: Int) -> [ScriptedServer.Step] {
        (0..<count).flatMap { _ in [ScriptedServer.Step.send("d"), .pause(milliseconds: 20)] }
    }
}
