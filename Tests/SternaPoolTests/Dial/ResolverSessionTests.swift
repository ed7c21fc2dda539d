import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// A resolver of one's own, through a session.
@Suite("Replaceable resolvers", .timeLimit(.minutes(5)))
struct ResolverSessionTests {
    private struct Mishap: Error {}

    private func session(
        _ server: TestServer, _ resolver: GivenResolver, host: String = "bird.test",
        _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> Session {
        try DialScene.session("http://\(host):\(server.port)", DialScene.engine(resolver), configure)
    }

    @Test("It resolves names, in lower case, and not addresses")
    func used() async throws {
        try await TestServer.withServer { server in
            let resolver = GivenResolver(["127.0.0.1"])
            let api = try session(server, resolver, host: "BIRD.Test")
            try await expectEqual(api.get("get").status, 200)
            expectEqual(resolver.asked, ["bird.test"])
            expectEqual(server.requests().first?.headers["Host"], "bird.test:\(server.port)")
            #expect(try await api.get("http://127.0.0.1:\(server.port)/get").status == 200)
            expectEqual(resolver.asked.count, 1)
        }
    }

    @Test(
        "Addresses are kept for their time to live, or else for the engine's",
        arguments: [
            (nil, Duration.seconds(60), 1), (nil, .zero, 3), (.zero, .seconds(60), 3), (.seconds(60), .zero, 1),
        ] as [(Duration?, Duration, Int)])
    func kept(timeToLive: Duration?, lifetime: Duration, lookups: Int) async throws {
        try await TestServer.withServer { server in
            let resolver = GivenResolver(["127.0.0.1"], timeToLive: timeToLive)
            let engine = DialScene.engine(resolver) { $0.resolvedLifetime = lifetime }
            let api = try DialScene.session("http://bird.test:\(server.port)", engine)
            for _ in 0..<3 {
                try await expectEqual(api.get("get").status, 200)
                try await DialScene.closeIdle(engine, server)
            }
            expectEqual(resolver.asked.count, lookups)
            expectEqual(server.totalConnections, 3)
        }
    }

    @Test("Addresses that have expired are resolved anew")
    func expired() async throws {
        try await TestServer.withServer { server in
            let resolver = GivenResolver(["127.0.0.1"], timeToLive: .milliseconds(100))
            let engine = DialScene.engine(resolver)
            let api = try DialScene.session("http://bird.test:\(server.port)", engine)
            let isAskedAgain = try await eventually {
                try await expectEqual(api.get("get").status, 200)
                try await DialScene.closeIdle(engine, server)
                return resolver.asked.count > 1
            }
            #expect(isAskedAgain)
        }
    }

    @Test("Fifty requests at once share one look-up")
    func shared() async throws {
        try await TestServer.withServer { server in
            let gate = Counter()
            let resolver = GivenResolver { _, _ in
                _ = await eventually { gate.value > 0 }
                return ResolvedHost([IPAddress(v4: 0x7F00_0001)])
            }
            let engine = DialScene.engine(resolver)
            let api = try DialScene.session("http://bird.test:\(server.port)", engine)
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<50 { group.addTask { try await api.get("get").status } }
                let areWaiting = await eventually {
                    await engine.statistics().origins.reduce(0) { $0 + $1.waiting } == 50
                }
                #expect(areWaiting)
                gate.add()
                for try await status in group { expectEqual(status, 200) }
            }
            expectEqual(resolver.asked, ["bird.test"])
        }
    }

    @Test("Its error becomes the cause of hostNotFound, and is not kept in the cache")
    func errors() async throws {
        try await TestServer.withServer { server in
            let resolver = GivenResolver { number, _ in
                guard number > 1 else { throw Mishap() }
                return ResolvedHost([IPAddress(v4: 0x7F00_0001)])
            }
            let api = try session(server, resolver)
            let error = await Wire.failure(.hostNotFound, .resolve) { try await api.get("get") }
            #expect(error?.underlying is Mishap)
            expectEqual(error?.detail.contains("bird.test"), true)
            expectEqual(error?.requestSent, false)
            try await expectEqual(api.get("get").status, 200)
        }
    }

    @Test("A SternaError is thrown unchanged, and no address is hostNotFound")
    func otherErrors() async throws {
        try await TestServer.withServer { server in
            let refusing = GivenResolver { _, _ in throw SternaError(.connectionFailed, phase: .resolve, "No line.") }
            let error = await Wire.failure(.connectionFailed, .resolve) {
                try await session(server, refusing).get("get")
            }
            expectEqual(error?.detail, "No line.")
            await Wire.failure(.hostNotFound, .resolve) { try await session(server, GivenResolver([])).get("get") }
            expectEqual(server.totalConnections, 0)
        }
    }

    @Test("A resolver that does not return times out, and is cancelled when no caller waits")
    func hanging() async throws {
        try await TestServer.withServer { server in
            let ended = Counter()
            let resolver = GivenResolver { _, _ in
                defer { ended.add() }
                try await Task.sleep(for: .seconds(3_600))
                return ResolvedHost([])
            }
            let time = TestClock()
            let engine = DialScene.engine(resolver) { $0.clock = time.clock }
            let api = try DialScene.session("http://bird.test:\(server.port)", engine) {
                $0.timeouts.resolve = Wire.short
            }
            let error = await Wire.failure(.timedOut, .resolve) {
                try await Wire.pass(Wire.short, on: time) { try await api.get("get") }
            }
            expectEqual(error?.detail.contains("bird.test"), true)
            #expect(await eventually { ended.value == 1 })
        }
    }

    @Test("A caller that is cancelled during a look-up ends at once")
    func cancelled() async throws {
        try await TestServer.withServer { server in
            let ended = Counter()
            let resolver = GivenResolver { _, _ in
                defer { ended.add() }
                try await Task.sleep(for: .seconds(3_600))
                return ResolvedHost([])
            }
            let api = try session(server, resolver)
            let task = Task { try await api.get("get") }
            #expect(await eventually { !resolver.asked.isEmpty })
            task.cancel()
            await Wire.failure(.cancelled, .resolve) { _ = try await task.value }
            #expect(await eventually { ended.value == 1 })
        }
    }

    @Test("A caller that is cancelled does not cancel the look-up of others")
    func oneOfTwo() async throws {
        try await TestServer.withServer { server in
            let gate = Counter()
            let resolver = GivenResolver { _, _ in
                while gate.value == 0 { try await Task.sleep(for: .milliseconds(2)) }
                return ResolvedHost([IPAddress(v4: 0x7F00_0001)])
            }
            let engine = DialScene.engine(resolver)
            let api = try DialScene.session("http://bird.test:\(server.port)", engine)
            let tasks = (0..<2).map { _ in Task { try await api.get("get") } }
            #expect(await eventually { await engine.statistics().activeRequests == 2 && !resolver.asked.isEmpty })
            tasks[0].cancel()
            await Wire.failure(.cancelled, .resolve) { _ = try await tasks[0].value }
            gate.add()
            try await expectEqual(tasks[1].value.status, 200)
            expectEqual(resolver.asked.count, 1)
        }
    }

    @Test(
        "It receives the wanted address families, and other addresses are dropped",
        arguments: [
            (AddressFamilies.ipv4, ["::1", "127.0.0.1"], true), (.ipv4, ["::1"], false), (.ipv6, ["127.0.0.1"], false),
            (.any, ["127.0.0.1"], true),
        ])
    func families(families: AddressFamilies, addresses: [String], isReached: Bool) async throws {
        try await TestServer.withServer { server in
            let seen = Counter()
            let resolver = GivenResolver { _, asked in
                if asked == families { seen.add() }
                return ResolvedHost(addresses.compactMap { IPAddress($0) })
            }
            let engine = DialScene.engine(resolver) { $0.addressFamilies = families }
            let api = try DialScene.session("http://bird.test:\(server.port)", engine)
            if isReached {
                try await expectEqual(api.get("get").status, 200)
            } else {
                await Wire.failure(.hostNotFound, .resolve) { try await api.get("get") }
            }
            expectEqual(seen.value, 1)
            expectEqual(server.totalConnections, (isReached ? 1 : 0))
        }
    }
}
