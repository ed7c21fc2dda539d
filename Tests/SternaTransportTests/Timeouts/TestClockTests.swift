import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// A test's clock reaches every limit of an engine: each strikes after minutes that nobody waits for.
@Suite("Limits on a test's clock", .serialized, .timeLimit(.minutes(5)))
struct TestClockTests {
    enum Limit: CaseIterable {
        case queue, resolve, connect, proxy, tls, write, firstByte, betweenBytes, total, deadline, throughput

        var phase: SternaError.Phase {
            switch self {
            case .queue: .queue
            case .resolve: .resolve
            case .connect: .connect
            case .proxy: .proxy
            case .tls: .tls
            case .write: .write
            case .firstByte, .total, .deadline: .wait
            case .betweenBytes, .throughput: .read
            }
        }

        func set(_ settings: inout RequestSettings, _ time: TestClock) {
            let long = Duration.seconds(600)
            switch self {
            case .queue: settings.timeouts.queue = long
            case .resolve: settings.timeouts.resolve = long
            case .connect: settings.timeouts.connect = long
            case .proxy: settings.timeouts.proxy = long
            case .tls: settings.timeouts.tls = long
            case .write: settings.timeouts.write = long
            case .firstByte: settings.timeouts.firstByte = long
            case .betweenBytes: settings.timeouts.betweenBytes = long
            case .total: settings.timeouts.total = long
            case .deadline: settings.deadline = time.deadline + long
            case .throughput: settings.timeouts.minimumThroughput = .init(bytesPerSecond: 1_000_000, over: long)
            }
        }
    }

    private static func script(_ limit: Limit) -> [ScriptedServer.Step] {
        switch limit {
        case .betweenBytes, .throughput: [.receiveHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\nx")]
        default: [.receiveHead]
        }
    }

    private func engine(_ limit: Limit, _ time: TestClock) -> Engine {
        DialScene.engine(
            GivenResolver { _, _ in
                if limit == .resolve { try await Task.sleep(for: .seconds(3_600)) }
                return ResolvedHost([IPAddress(v4: 0x7F00_0001)])
            }
        ) {
            $0.maximumConnectionsPerOrigin = 1
            $0.clock = time.clock
        }
    }

    @Test("Each limit expires at its moment, not before", arguments: Limit.allCases)
    func each(limit: Limit) async throws {
        let time = TestClock()
        try await ScriptedServer.withServer(connections: [Self.script(limit)]) { server in
            let listener: RawListener? =
                switch limit {
                case .connect: try RawListener(isFull: true)
                case .tls, .write, .proxy: try RawListener(isFull: false)
                default: nil
                }
            let port = listener?.port ?? server.port
            let scheme = limit == .tls || limit == .proxy ? "https" : "http"
            let proxies: ProxySettings = limit == .proxy ? .proxy(try Proxy("http://127.0.0.1:\(port)")) : .none
            let api = try Session(baseURL: "\(scheme)://a.test:\(port)") {
                $0.network.engine = engine(limit, time)
                $0.retry = .none
                $0.network.proxies = proxies
                $0.timeout = .seconds(86_400)
                $0.timeouts.queue = .seconds(86_400)
                $0.timeouts.proxy = .seconds(86_400)
            }
            let first = limit == .queue ? Task { try await api.get("first") } : nil
            if limit == .queue { #expect(await server.waitForReceived(10, connection: 0, within: 60)) }
            let body: Body? = limit == .write ? .bytes(Bytes(repeating: 1, count: 32 << 20)) : nil
            let isOver = Counter()
            let request = Task {
                defer { isOver.add() }
                try await api.request(limit == .write ? .post : .get, "row", body: body) { limit.set(&$0, time) }
            }
            await time.waitForTimer(within: .seconds(601))
            // The request is there before time moves.
            if [.firstByte, .total, .deadline, .betweenBytes, .throughput].contains(limit) {
                #expect(await server.waitForReceived(10, connection: 0, within: 60))
            }
            await time.advance(by: .seconds(590))
            expectEqual(isOver.value, 0)
            // Bytes that arrive late begin some limits anew, on a busy machine.
            while isOver.value == 0 {
                await time.advance(by: .seconds(15))
                try await Task.sleep(for: .milliseconds(5))
            }
            await Wire.failure(.timedOut, limit.phase) { _ = try await request.value }
            first?.cancel()
            _ = await first?.result
        }
    }

    @Test("An idle connection closes at its moment")
    func idle() async throws {
        let time = TestClock()
        try await TestServer.withServer { server in
            let engine = PoolSupport.engine {
                $0.clock = time.clock
                $0.idleTimeout = .seconds(50)
            }
            let api = try Session(baseURL: server.url) { $0.network.engine = engine }
            try await api.get("1k")
            await time.waitForTimer(within: .seconds(51))
            await time.advance(by: .seconds(49))
            await expectEqual(engine.statistics().openConnections, 1)
            await time.advance(by: .seconds(2))
            let isClosed = await eventually { await engine.statistics().openConnections == 0 }
            #expect(isClosed)
        }
    }

    @Test("A pause of a call stops its limit, however long it is")
    func pause() async throws {
        let time = TestClock()
        try await TestServer.withServer { server in
            let (gate, catcher) = (Gate(), CallCatcher())
            server.hold(gate)
            let api = try PoolSupport.session(server.url, PoolSupport.engine { $0.clock = time.clock }) {
                $0.network.proxies = .none
                $0.networkInterceptors = [catcher]
            }
            let request = Task { try await api.get("held/1") { $0.timeouts.total = .seconds(10) }.status }
            let isThere = await eventually { server.requestCount == 1 }
            try #require(isThere)
            let call = try #require(catcher.call)
            await time.advance(by: .seconds(9))
            call.pause()
            await time.advance(by: .seconds(86_400))
            call.resume()
            expectEqual(call.deadline.instant - time.now, .seconds(1))
            gate.open()
            let status = try await request.value
            expectEqual(status, 200)
        }
    }
}
