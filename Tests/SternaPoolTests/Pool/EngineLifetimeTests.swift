import NIOCore
import NIOPosix
import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

/// What is kept, and what goes away.
@Suite("Engine: release", .timeLimit(.minutes(5)))
struct EngineLifetimeTests {
    @Test("An engine that is never shut down is released with its last session", arguments: [0, 1, 80])
    func engine(sessions count: Int) async throws {
        try await TestServer.withServer { server in
            try await PoolSupport.withLoops { group in
                weak var weakEngine: Engine?
                do {
                    let engine = PoolSupport.engine(group: group)
                    weakEngine = engine
                    let sessions = try (0..<count).map { number in
                        try PoolSupport.session(server.url, engine) {
                            $0.trust.policy.tls.serverName = "n\(number).test"
                        }
                    }
                    for api in sessions.prefix(2) {
                        let status = try await api.get("1k").status
                        expectEqual(status, 200)
                    }
                    engine.closeIdleConnections()
                }
                let isGone = await eventually { weakEngine == nil }
                #expect(isGone)
            }
        }
    }

    @Test(
        "The connections of a released engine close, long before their idle limit",
        arguments: [HTTP2Mode.off, .priorKnowledge])
    func connections(http2: HTTP2Mode) async throws {
        try await TestServer.withServer(TestServer.Options(http2: .byPriorKnowledge)) { server in
            for _ in 0..<20 {
                let engine = PoolSupport.engine { $0.idleTimeout = .seconds(3_600) }
                let api = try PoolSupport.session(server.url, engine) { $0.network.http2 = http2 }
                async let first = api.get("1k").status
                async let second = api.get("bytes/300000").status
                let statuses = try await [first, second]
                expectEqual(statuses, [200, 200])
            }
            try await server.waitForOpenConnections(0)
            #expect(server.totalConnections >= 20)
        }
    }

    @Test(
        "A released engine leaves no timer on its event loops, even for requests with long limits",
        arguments: [HTTP2Mode.off, .priorKnowledge])
    func timers(http2: HTTP2Mode) async throws {
        let time = TestClock()
        try await TestServer.withServer(TestServer.Options(http2: .byPriorKnowledge)) { server in
            do {
                let engine = PoolSupport.engine { $0.clock = time.clock }
                let api = try PoolSupport.session(server.url, engine) { $0.network.http2 = http2 }
                let status = try await api.get("1k").status
                expectEqual(status, 200)
            }
            let areGone = await eventually { time.timerCount == 0 }
            #expect(areGone, "\(time.timerCount)")
        }
    }

    @Test("An engine may be released after its event loops were shut down")
    func loopsFirst() async {
        await #expect(processExitsWith: .success) {
            // SwiftNIO ends the process for what it only prints otherwise.
            setenv("SWIFTNIO_STRICT", "1", 1)
            let isGone = try await TestServer.withServer { server in
                weak var weakEngine: Engine?
                do {
                    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
                    let engine = PoolSupport.engine(group: group)
                    weakEngine = engine
                    let status = try await PoolSupport.session(server.url, engine).get("1k").status
                    expectEqual(status, 200)
                    try await group.shutdownGracefully()
                }
                return await eventually { weakEngine == nil }
            }
            exit(isGone ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }

    @Test("Repeatedly created sessions reuse the connections of earlier ones")
    func again() async throws {
        try await TestServer.withServer { server in
            let engine = PoolSupport.engine()
            for _ in 0..<3 {
                let status = try await PoolSupport.session(server.url, engine).get("1k").status
                expectEqual(status, 200)
            }
            expectEqual(server.totalConnections, 1)
        }
    }

    @Test("An endpoint in use is not created twice, however many others there are")
    func holder() throws {
        let engine = PoolSupport.engine()
        let transport = engine.transport()
        let url = try HTTPURL("http://held.test/")
        // It is not the first one, which is stored elsewhere, nor the last.
        _ = try transport.endpoint(for: try HTTPURL("http://first.test/"))
        let held = try transport.endpoint(for: url)
        weak var unused: Endpoint?
        do { unused = try transport.endpoint(for: try HTTPURL("http://unused.test/")) }
        for number in 0..<1_100 { _ = try transport.endpoint(for: try HTTPURL("http://n\(number).test/")) }
        expectNil(unused)
        let again = try transport.endpoint(for: url)
        #expect(again === held)
    }

    @Test("A warm-up of a negative number of connections opens none")
    func warmUp() async throws {
        try await TestServer.withServer { server in
            let engine = PoolSupport.engine()
            let api = try PoolSupport.session(server.url, engine)
            try await expectEqual(api.get("1k").status, 200)
            try await api.warmUp("1k", connections: .min)
            await expectEqual(engine.statistics().openConnections, 1)
        }
    }
}
