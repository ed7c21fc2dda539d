import NIOCore
import NIOEmbedded
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

/// When a connection is too old, too worn or idle for too long, on a clock of the test's own.
@Suite("Pool: age of connections", .timeLimit(.minutes(5)))
struct ConnectionAgeTests {
    /// One request that is answered at once, with fields of the test's.
    private func ask(_ fake: FakeConnection, _ fields: String = "") async throws {
        let task = try await fake.start()
        try await fake.receive("HTTP/1.1 200 OK\r\n\(fields)Content-Length: 2\r\n\r\nok")
        try await expectEqual(task.value.status, 200)
    }

    /// How many permits are out, which a connection that is gone must not keep.
    private func open(_ fake: FakeConnection) -> Int { fake.endpoint.permits.open(of: fake.endpoint) }

    @Test("The idle time-out may be set", arguments: [2, 7, 600] as [Int64])
    func idle(seconds: Int64) async throws {
        var options = Wire.options
        options.idleTimeout = .seconds(seconds)
        let fake = try await FakeConnection(options: options)
        try await ask(fake)
        await fake.advance(seconds - 1)
        #expect(fake.isOpen)
        try await ask(fake)
        await fake.advance(seconds - 1)
        #expect(fake.isOpen)
        expectEqual(open(fake), 1)
        await fake.advance(1)
        #expect(!fake.isOpen)
        expectEqual(open(fake), 0)
    }

    @Test(
        "The server's Keep-Alive time is observed, less a second",
        arguments: [
            ("Keep-Alive: timeout=5\r\n", 4), ("Keep-Alive: timeout=5, max=100\r\n", 4),
            ("keep-alive: max=3, TIMEOUT=10\r\n", 9), ("Keep-Alive: timeout=2\r\n", 1),
            // More than this side's own time is none the more, and no number is none.
            ("Keep-Alive: timeout=1000\r\n", 50), ("Keep-Alive: timeout=99999999999999999999\r\n", 50),
            ("Keep-Alive: timeout=x\r\n", 50), ("Keep-Alive: timeout=-3\r\n", 50), ("Keep-Alive: max=1\r\n", 50),
        ] as [(String, Int64)])
    func patience(fields: String, seconds: Int64) async throws {
        let fake = try await FakeConnection()
        try await ask(fake, fields)
        await fake.advance(seconds - 1)
        #expect(fake.isOpen)
        await fake.advance(1)
        #expect(!fake.isOpen)
        expectEqual(open(fake), 0)
    }

    @Test("A Keep-Alive of a second or less ends the connection", arguments: ["1", "0"])
    func noPatience(text: String) async throws {
        let fake = try await FakeConnection()
        try await ask(fake, "Keep-Alive: timeout=\(text)\r\n")
        await fake.loop.advanceTime(by: .nanoseconds(1))
        #expect(!fake.isOpen)
        expectEqual(open(fake), 0)
    }

    @Test("The last Keep-Alive applies to later responses without one")
    func patienceStays() async throws {
        let fake = try await FakeConnection()
        try await ask(fake, "Keep-Alive: timeout=20\r\n")
        await fake.advance(10)
        try await ask(fake)
        await fake.advance(18)
        #expect(fake.isOpen)
        await fake.advance(1)
        #expect(!fake.isOpen)
    }

    @Test("An idle connection closes at its maximum age, however often it was used")
    func age() async throws {
        var options = Wire.options
        options.maximumAge = .seconds(100)
        let fake = try await FakeConnection(options: options)
        for _ in 0..<4 {
            await fake.advance(24)
            try await ask(fake)
        }
        await fake.advance(3)
        #expect(fake.isOpen)
        await fake.advance(1)
        #expect(!fake.isOpen)
        expectEqual(open(fake), 0)
    }

    @Test("A connection in use is not ended by its age, and closes after the response")
    func ageInUse() async throws {
        var options = Wire.options
        options.maximumAge = .seconds(30)
        let fake = try await FakeConnection(options: options)
        let task = try await fake.start()
        await fake.advance(45)
        #expect(fake.isOpen)
        try await fake.receive("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        try await expectEqual(task.value.status, 200)
        #expect(!fake.isOpen)
        expectEqual(open(fake), 0)
    }

    @Test("The maximum number of uses is observed", arguments: [(1, 5, 5), (3, 10, 4), (10, 10, 1), (4, 9, 3)])
    func uses(maximum: Int, requests: Int, connections: Int) async throws {
        try await TestServer.withServer { server in
            let engine = PoolSupport.engine { $0.maximumUses = maximum }
            let api = try PoolSupport.session(server.url, engine)
            for _ in 0..<requests { try await expectEqual(api.get("1k").status, 200) }
            expectEqual(server.totalConnections, connections)
            await expectEqual(engine.statistics().reuses, requests - connections)
            await PoolSupport.expectNothing(engine)
        }
    }

    @Test("With a limit of one, a used-up connection makes room for waiting requests")
    func usesUnderLimit() async throws {
        try await TestServer.withServer { server in
            let engine = PoolSupport.engine {
                $0.maximumUses = 2
                $0.maximumConnectionsPerOrigin = 1
            }
            let api = try PoolSupport.session(server.url, engine)
            try await withThrowingTaskGroup(of: Int.self) { tasks in
                for _ in 0..<40 { tasks.addTask { try await api.get("1k").status } }
                for try await status in tasks { expectEqual(status, 200) }
            }
            #expect(server.totalConnections >= 20)
            expectEqual(server.requestCount, 40)
        }
    }

    @Test("Idle connections close on time, and the next request opens another")
    func idleSocket() async throws {
        try await TestServer.withServer { server in
            let time = TestClock()
            let engine = PoolSupport.engine {
                $0.idleTimeout = .milliseconds(50)
                $0.clock = time.clock
            }
            let api = try PoolSupport.session(server.url, engine)
            for round in 1...3 {
                try await expectEqual(api.get("1k").status, 200)
                let isClosed = await eventually {
                    await time.advance(by: .milliseconds(50))
                    return server.openConnections == 0
                }
                #expect(isClosed)
                expectEqual(server.totalConnections, round)
            }
            await PoolSupport.expect(engine, "nothing is open") { $0.origins.isEmpty }
        }
    }

    @Test("An old connection closes on time, and the next request opens another")
    func ageSocket() async throws {
        try await TestServer.withServer { server in
            let time = TestClock()
            let engine = PoolSupport.engine {
                $0.maximumAge = .milliseconds(50)
                $0.clock = time.clock
            }
            let api = try PoolSupport.session(server.url, engine)
            for round in 1...3 {
                try await expectEqual(api.get("1k").status, 200)
                let isClosed = await eventually {
                    await time.advance(by: .milliseconds(50))
                    return server.openConnections == 0
                }
                #expect(isClosed)
                expectEqual(server.totalConnections, round)
            }
        }
    }
}
