import NIOCore
import NIOPosix
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

/// Callers that run on the event loop are woken where their answer was read.
@Suite("Engine: callers on an event loop", .timeLimit(.minutes(5)))
struct EventLoopCallerTests {
    /// Runs work on the only event loop of an engine of its own.
    private static func onLoop(
        secure: Bool, _ work: @Sendable (Session, Engine) async throws -> Void
    ) async throws {
        let authority = secure ? try CertificateAuthority() : nil
        let tls = try authority?.issue(hosts: ["localhost"])
        try await TestServer.withServer(.init(tls: tls)) { server in
            let engine = Engine(options: Wire.options, group: MultiThreadedEventLoopGroup.singleton.next())
            let api = try PoolSupport.session(server.url, engine, authority: authority) {
                $0.timeout = .seconds(100)
                $0.network.http2 = .off
            }
            try await engine.onEventLoop { try await work(api, engine) }
            await engine.shutDown()
        }
    }

    @Test("Sequential requests use one connection", arguments: [false, true])
    func inTurn(secure: Bool) async throws {
        try await Self.onLoop(secure: secure) { api, engine in
            for number in 0..<200 {
                let path = number % 50 == 0 ? "bytes/300000" : "1k"
                let count = try await api.get(path).body.count
                expectEqual(count, (number % 50 == 0 ? 300_000 : 1_024))
                #expect(engine.currentShard != nil)
            }
            await expectEqual(engine.statistics().dials, 1)
        }
    }

    @Test("Concurrent requests each continue on their own", arguments: [false, true])
    func together(secure: Bool) async throws {
        try await Self.onLoop(secure: secure) { api, _ in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        for _ in 0..<20 { try await api.get("1k") }
                        return 20
                    }
                }
                let count = try await group.reduce(0, +)
                expectEqual(count, 400)
            }
        }
    }

    @Test("A body is read piece by piece, or discarded, and the next request is sent", arguments: [false, true])
    func pieces(secure: Bool) async throws {
        try await Self.onLoop(secure: secure) { api, _ in
            for round in 0..<10 {
                let count = try await api.withResponse(to: .get("bytes/3000000")) { response in
                    var count = 0
                    for try await piece in response.body {
                        count += piece.count
                        if round % 2 == 1 { break }
                    }
                    return count
                }
                #expect(round % 2 == 1 ? count > 0 : count == 3_000_000)
                try await api.get("1k")
            }
        }
    }

    @Test("A resumed caller may shut the engine down, or cancel other requests", arguments: [false, true])
    func ending(secure: Bool) async throws {
        try await Self.onLoop(secure: secure) { api, engine in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await api.get("delay/30") }
                try await api.get("1k")
                group.cancelAll()
                try await api.get("1k")
                engine.closeIdleConnections()
                try await api.get("1k")
                await #expect(throws: SternaError.self) { try await group.waitForAll() }
            }
            try await api.get("1k")
            await engine.shutDown()
            await #expect(throws: SternaError.self) { try await api.get("1k") }
        }
    }
}
