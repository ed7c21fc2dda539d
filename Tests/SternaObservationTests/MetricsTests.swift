import Metrics
import MetricsTestKit
import NIOCore
import SternaTesting
import Testing

@testable import Sterna
@testable import SternaCore
@testable import SternaMetrics
@testable import SternaTestSupport
@testable import SternaTransport

/// Metrics of requests and connections.
@Suite("Metrics", .timeLimit(.minutes(5)))
struct MetricsTests {
    private let metrics = TestMetrics()

    private func session(
        _ base: String?, hosts: Int = 100, _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> Session {
        try Session(baseURL: base) {
            $0.network.engine = Engine()
            $0.retry = .none
            $0.responseSerializer = .data
            $0.events.measure(by: metrics, hosts: hosts)
            configure(&$0)
        }
    }

    private func texts(_ dimensions: [(String, String)]) -> [String: String] {
        Dictionary(dimensions) { first, _ in first }
    }

    @Test("A request's duration, its bytes and its wait for a connection")
    func request() async throws {
        try await TestServer.withServer { server in
            let api = try session(server.url)
            try await api.get("get?token=s3cret")
            await api.flushEvents()
            let host = try HTTPURL(server.url).hostWithoutBrackets
            let place = ["server.address": host, "server.port": "\(server.port)"]
            let duration = try #require(metrics.timers(label: "http.client.request.duration").first)
            expectEqual(
                texts(duration.dimensions),
                place.merging([
                    "http.request.method": "GET", "http.response.status_code": "200", "network.protocol.version": "1.1",
                ]) { $1 })
            #expect(duration.values.count == 1 && duration.values.allSatisfy { $0 > 0 })
            let queue = try #require(metrics.timers(label: "http.client.request.time_in_queue").first)
            expectEqual(texts(queue.dimensions), place.merging(["http.request.method": "GET"]) { $1 })
            for label in ["sterna.client.sent_bytes", "sterna.client.received_bytes"] {
                let counter = try #require(metrics.counters(label: label).first)
                expectEqual(texts(counter.dimensions), place)
                #expect(counter.totalValue > 0)
            }
            #expect(metrics.counters(label: "sterna.client.resends").isEmpty)
        }
    }

    @Test("Redirects count as resends; errors have their type; a failed dial has no status")
    func outcomes() async throws {
        try await TestServer.withServer { server in
            let api = try session(server.url)
            try await api.get("redirect/2")
            _ = try? await api.get("status/503")
            await api.flushEvents()
            let resends = metrics.counters(label: "sterna.client.resends", dimensions: [("reason", "redirect")])
            expectEqual(resends.map(\.totalValue), [2])
            let failed = metrics.timers(label: "http.client.request.duration", dimensions: [("error.type", "503")])
            expectEqual(failed.map { texts($0.dimensions)["http.response.status_code"] }, ["503"])
        }
        metrics.reset()
        let closed = try ClosedPort()
        let api = try session("http://127.0.0.1:\(closed.port)")
        _ = try? await api.get("a")
        await api.flushEvents()
        let failed = try #require(metrics.timers(label: "http.client.request.duration").first)
        expectEqual(texts(failed.dimensions)["error.type"], "connectionFailed")
        expectNil(texts(failed.dimensions)["http.response.status_code"])
    }

    @Test("A request whose call ends before its response has a duration and the error of its call")
    func limit() async throws {
        try await TestServer.withServer { server in
            let api = try session(server.url) { $0.limits.collectedBytes = 10 }
            let error = await #expect(throws: SternaError.self) { try await api.get("bytes/5000000") }
            expectEqual(error?.kind, .limitExceeded)
            await api.flushEvents()
            let failed = try #require(metrics.timers(label: "http.client.request.duration").first)
            expectEqual(texts(failed.dimensions)["error.type"], "limitExceeded")
            #expect(failed.values.count == 1 && failed.values.allSatisfy { $0 > 0 })
        }
    }

    @Test("The request of a WebSocket lasts until its head")
    func webSocket() async throws {
        try await TestServer.withServer { server in
            let time = TestClock()
            var options = EngineOptions()
            (options.clock, options.idleTimeout) = (time.clock, .seconds(10_000_000))
            let engine = Engine(options: options)
            let api = try session(server.url) { $0.network.engine = engine }
            try await api.withWebSocket("ws/echo") { _ in await time.advance(by: .milliseconds(10)) }
            await api.flushEvents()
            let duration = try #require(metrics.timers(label: "http.client.request.duration").first)
            expectEqual(texts(duration.dimensions)["http.response.status_code"], "101")
            expectNil(texts(duration.dimensions)["error.type"])
            // The clock stood still until then.
            expectEqual(duration.values, [0])
        }
    }

    @Test("Results of the cache")
    func cache() async throws {
        let api = try session("https://api.example.com") {
            $0.cache.store = .memory(bytes: 1 << 20)
            $0.network.transport = MockTransport { _ in .text("a", headers: ["Cache-Control": "max-age=3600"]) }
        }
        for _ in 0..<3 { try await api.get("a") }
        _ = try? await api.get("b") { $0.cache.policy = .cachedOnly }
        await api.flushEvents()
        for (result, count) in [("miss", 2), ("hit", 2)] as [(String, Int64)] {
            let counters = metrics.counters(label: "sterna.client.cache_lookups", dimensions: [("result", result)])
            expectEqual(counters.map(\.totalValue), [count], "\(result)")
        }
    }

    @Test("Labels have few values: servers up to a limit, known methods, no paths")
    func labels() {
        let servers = ServerLabels(most: 2)
        let named = (0..<5).map { servers.dimensions(host: "host\($0 % 3)", port: 443).map(\.1) }
        expectEqual(named, [["host0", "443"], ["host1", "443"], ["_OTHER"], ["host0", "443"], ["host1", "443"]])
        expectEqual(ServerLabels(most: -1).dimensions(host: "a", port: 1).map(\.1), ["_OTHER"])
        let instruments = Instruments(metrics, servers: servers)
        for number in 0..<Instruments.most + 500 { instruments.count("a", [("b", "\(number)")]) }
        expectEqual(metrics.counters(label: "a").count, Instruments.most + 1)
        expectEqual(metrics.counters(label: "a", dimensions: Instruments.overflow).map(\.totalValue), [500])
        // A gauge that several servers shared would be wrong.
        for number in 0..<2 { instruments.set("c", [("d", "\(number)")], number) }
        expectEqual(metrics.meters(label: "c").count, 2)
    }

    @Test("Long and impossible durations do not trap")
    func durations() {
        expectEqual(Duration.milliseconds(1_500).nanosecondCount, 1_500_000_000)
        expectEqual(Duration.seconds(Int64.max).nanosecondCount, .max)
    }

    @Test("Gauges are set from the engine's figures, at intervals; a server without connections is set to zero")
    func gauges() async throws {
        try await TestServer.withServer { server in
            let time = TestClock()
            var options = EngineOptions()
            (options.clock, options.idleTimeout) = (time.clock, .seconds(10_000_000))
            let engine = Engine(options: options)
            let api = try session(server.url) {
                $0.network.engine = engine
                // Nothing is counted by events, which are lost here.
                $0.events.capacity = 1
            }
            for _ in 0..<5 { try await api.get("get") }
            let (label, idle) = ("http.client.open_connections", [("http.connection.state", "idle")])
            let isSet = await eventually {
                await time.advance(by: .seconds(10))
                return metrics.meters(label: label, dimensions: idle).map(\.lastValue) == [1]
            }
            #expect(isSet)
            expectEqual(metrics.meters(label: "http.client.active_requests").map(\.lastValue), [0])
            engine.closeIdleConnections()
            let isGone = await eventually {
                await time.advance(by: .seconds(10))
                return metrics.meters(label: label, dimensions: idle).map(\.lastValue) == [0]
            }
            #expect(isGone)
        }
    }

    @Test(
        "Gauges are set to zero at the end: of the sessions that measure, or of the engine", arguments: [true, false])
    func end(ofSessions: Bool) async throws {
        var statistics = EngineStatistics()
        var counts = EngineStatistics.OriginCounts(origin: try HTTPURL("https://a.example").origin)
        (counts.open, counts.idle, counts.waiting) = (3, 1, 2)
        (statistics.origins, statistics.activeRequests) = ([counts], 4)
        let report = PoolReport(Instruments(metrics, servers: ServerLabels(most: 1)), engineName: nil)
        report.report(statistics)
        var engine: Engine? = Engine()
        var poller: EnginePoller? = EnginePoller(try #require(engine), report, every: .seconds(10))
        if ofSessions {
            #expect(poller != nil)
            poller = nil
        } else {
            #expect(engine != nil)
            engine = nil
            await expectEqual(poller?.poll(), false)
        }
        for (label, count) in [
            ("http.client.open_connections", 3), ("sterna.client.waiting_requests", 1),
            ("http.client.active_requests", 1),
        ] {
            expectEqual(metrics.meters(label: label).map(\.lastValue), Array(repeating: 0, count: count), "\(label)")
        }
    }

    @Test("The figures of all servers beyond the limit are added")
    func sums() throws {
        var statistics = EngineStatistics()
        for host in ["a", "b", "c"] {
            var counts = EngineStatistics.OriginCounts(origin: try HTTPURL("https://\(host).example").origin)
            (counts.open, counts.idle, counts.waiting) = (3, 1, 2)
            statistics.origins.append(counts)
        }
        let report = PoolReport(Instruments(metrics, servers: ServerLabels(most: 1)), engineName: "main")
        report.report(statistics)
        for (host, active, waiting) in [("a.example", 2.0, 2.0), ("_OTHER", 4, 4)] {
            let dimensions = [("server.address", host), ("sterna.engine", "main")]
            expectEqual(
                metrics.meters(
                    label: "http.client.open_connections",
                    dimensions: dimensions + [("http.connection.state", "active")]
                ).map(\.lastValue), [active])
            expectEqual(
                metrics.meters(label: "sterna.client.waiting_requests", dimensions: dimensions).map(\.lastValue),
                [waiting])
        }
    }

    @Test("Lost events are counted; a factory that does nothing installs nothing; the one in use is the default")
    func factories() throws {
        var events = SessionSettings.Events()
        events.measure(by: NOOPMetricsHandler.instance)
        #expect(events.meter == nil)
        withMetricsFactory(metrics) { events.measure() }
        let observer = try #require(events.meter?.observer)
        observer.receive(SternaEvent(.dropped(7)))
        expectEqual(metrics.counterTotal(label: "sterna.client.dropped_events"), 7)
    }
}
