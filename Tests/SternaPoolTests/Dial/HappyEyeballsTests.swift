import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// A host with several addresses, over sockets (RFC 8305).
@Suite("Happy eyeballs", .serialized, .timeLimit(.minutes(5)))
struct HappyEyeballsTests {
    /// Well under the time for connecting, which is `Wire.patience`.
    private static let quick: Duration = .seconds(10)

    private func session(
        _ port: Int, _ addresses: [String], attemptDelay: Duration = .milliseconds(50)
    ) throws -> Session {
        let engine = DialScene.engine(GivenResolver(addresses)) { $0.attemptDelay = attemptDelay }
        return try DialScene.session("http://many.test:\(port)", engine) { $0.events.collectsMetrics = true }
    }

    @Test("If the first address accepts, no other one is connected to")
    func first() async throws {
        try await DialScene.withTwins { one, two in
            // On a busy machine an answer takes longer than the head start of the other tests.
            let api = try session(one.port, ["127.0.0.1", "127.0.0.2"], attemptDelay: .seconds(120))
            let reply = try await api.get("get")
            expectEqual(reply.status, 200)
            expectEqual(one.totalConnections, 1)
            expectEqual(two.totalConnections, 0)
        }
    }

    @Test("An address that refuses costs next to nothing")
    func refusing() async throws {
        let closed = try ClosedPort()
        try await TestServer.withServer(.init(host: "127.0.0.2", port: closed.port)) { server in
            let start = ContinuousClock.now
            let reply = try await session(server.port, ["127.0.0.1", "127.0.0.2"]).get("get")
            expectEqual(reply.status, 200)
            expectEqual(reply.response.metrics?.attempts.first?.remoteAddress, "127.0.0.2:\(server.port)")
            #expect(ContinuousClock.now - start < Self.quick)
        }
        withExtendedLifetime(closed) {}
    }

    @Test("A silent address costs its head start", arguments: [["127.0.0.1"], ["127.0.0.1", "127.0.0.3"]])
    func silent(dead: [String]) async throws {
        let listener = try RawListener(isFull: true)
        try await TestServer.withServer(.init(host: "127.0.0.2", port: listener.port)) { server in
            let start = ContinuousClock.now
            let reply = try await session(server.port, dead + ["127.0.0.2"]).get("get")
            expectEqual(reply.status, 200)
            let duration = ContinuousClock.now - start
            #expect(duration >= .milliseconds(45))
            #expect(duration < Self.quick)
            expectEqual(server.totalConnections, 1)
        }
        withExtendedLifetime(listener) {}
    }

    @Test("If no address accepts, the error names each")
    func none() async throws {
        let closed = try ClosedPort()
        let addresses = ["127.0.0.1", "127.0.0.2", "127.0.0.3"]
        let api = try session(closed.port, addresses)
        let error = await Wire.failure(.connectionFailed, .connect, within: Self.quick) { try await api.get("get") }
        for address in addresses { expectEqual(error?.detail.contains("\(address): "), true) }
        expectEqual(error?.detail.contains("many.test on port \(closed.port)"), true)
        expectEqual(error?.requestSent, false)
        withExtendedLifetime(closed) {}
    }

    @Test("A refusing and a silent address time out together")
    func deadAndSilent() async throws {
        let listener = try RawListener(isFull: true)
        let time = TestClock()
        let engine = DialScene.engine(GivenResolver(["127.0.0.2", "127.0.0.1"])) {
            $0.attemptDelay = .milliseconds(50)
            $0.clock = time.clock
        }
        let api = try DialScene.session("http://many.test:\(listener.port)", engine) {
            $0.timeouts.connect = Wire.short
        }
        await Wire.failure(.timedOut, .connect) {
            try await Wire.pass(Wire.short, on: time) { try await api.get("get") }
        }
        withExtendedLifetime(listener) {}
    }

    @Test("Cancelling closes all attempts")
    func cancelled() async throws {
        let listener = try RawListener(isFull: true)
        let resolver = GivenResolver(["127.0.0.1"])
        let engine = DialScene.engine(resolver)
        let api = try DialScene.session("http://many.test:\(listener.port)", engine)
        let task = Task { try await api.get("get") }
        #expect(await eventually { await engine.statistics().openConnections == 1 && !resolver.asked.isEmpty })
        task.cancel()
        let error = await #expect(throws: SternaError.self) { _ = try await task.value }
        expectEqual(error?.kind, .cancelled)
        #expect(error?.phase == .connect || error?.phase == .resolve)
        #expect(await eventually { await engine.statistics().openConnections == 0 })
        withExtendedLifetime(listener) {}
    }

    static func hasIPv6() async -> Bool {
        guard let server = try? await TestServer.start(.init(host: "::1")) else { return false }
        try? await server.stop()
        return true
    }

    @Test(
        "Only one address family", .enabled("needs ::1") { await hasIPv6() },
        arguments: [AddressFamilies.ipv4, .ipv6])
    func families(families: AddressFamilies) async throws {
        try await TestServer.withServer { four in
            try await TestServer.withServer(.init(host: "::1", port: four.port)) { six in
                let engine = DialScene.engine(GivenResolver(["127.0.0.1", "::1"])) { $0.addressFamilies = families }
                let api = try DialScene.session("http://many.test:\(four.port)", engine)
                try await expectEqual(api.get("get").status, 200)
                expectEqual(four.totalConnections, (families == .ipv4 ? 1 : 0))
                expectEqual(six.totalConnections, (families == .ipv6 ? 1 : 0))
                let local = DialScene.engine { $0.addressFamilies = families }
                #expect(
                    try await DialScene.session("http://localhost:\(four.port)", local).get("get").status == 200)
                let wrong = families == .ipv4 ? "[::1]" : "127.0.0.1"
                let other = try DialScene.session("http://\(wrong):\(four.port)", engine)
                await Wire.failure(.hostNotFound, .resolve) { try await other.get("get") }
            }
        }
    }

    @Test("Families alternate, so a dead one does not delay the other")
    func interleaved() async throws {
        let listener = try RawListener(isFull: true)
        // Nobody listens at ::1 there; whether it refuses or is not there at all, the others come next.
        try await TestServer.withServer(.init(host: "127.0.0.2", port: listener.port)) { server in
            let start = ContinuousClock.now
            let api = try session(server.port, ["127.0.0.1", "127.0.0.2", "::1"])
            try await expectEqual(api.get("get").status, 200)
            #expect(ContinuousClock.now - start < Self.quick)
        }
        withExtendedLifetime(listener) {}
    }
}
