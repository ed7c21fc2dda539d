import NIOCore
import NIOPosix
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

/// The end of the grace holds for all event loops of an engine: also for the one that had nothing to do when it began.
@Suite("Engine: shutdown over several event loops", .timeLimit(.minutes(5)))
struct ShutdownLoopsTests {
    private func areShutDown(_ engine: Engine) async throws -> Bool {
        for shard in engine.shards {
            let isShutDown = try await shard.loop.submit { shard.isShutDown }.get()
            guard isShutDown else { return false }
        }
        return true
    }

    /// A request is led to a path that is never answered, while the engine shuts down as patiently as can be; then its grace
    /// comes to an end.
    private func followed(before: Int, loops: Int) async throws {
        let (first, second, order) = (Gate(), Gate(), PoolOrder())
        try await TestServer.withServer { server in
            server.hold(second, nil, order)
            server.route("GET", "/away") { _ in
                order.add("away")
                await first.pass()
                return .redirect(to: "/held/on")
            }
            try await PoolSupport.withLoops(loops) { group in
                let engine = PoolSupport.engine(group: group)
                let api = try PoolSupport.session(server.url, engine) { $0.network.proxies = .none }
                // They are on the event loops in turn, as long as no connection stands idle.
                for _ in 0..<before {
                    let status = try await api.get("1k").status
                    expectEqual(status, 200)
                    await PoolSupport.expectNothing(engine)
                }
                let (requestEnded, shutdownsEnded) = (Counter(), Counter())
                let request = Task {
                    defer { requestEnded.add() }
                    return try await api.get("away").status
                }
                let hasBegun = await eventually { order.names == ["away"] }
                #expect(hasBegun)
                let patient = Task {
                    await engine.shutDown(within: PoolSupport.ages)
                    shutdownsEnded.add()
                }
                let areAllShutDown = try await eventually { try await areShutDown(engine) }
                #expect(areAllShutDown)
                first.open()
                let isFollowed = await eventually { order.names == ["away", "on"] }
                #expect(isFollowed)
                expectEqual(requestEnded.value, 0)
                let hasty = Task {
                    await engine.shutDown(within: .milliseconds(500))
                    shutdownsEnded.add()
                }
                let haveEnded = await eventually(within: .seconds(15)) {
                    requestEnded.value == 1 && shutdownsEnded.value == 2
                }
                #expect(haveEnded, "requests: \(requestEnded.value), shutdowns: \(shutdownsEnded.value)")
                // Where it has not ended, it would have an answer now.
                second.open()
                let error = await #expect(throws: SternaError.self) { try await request.value }
                expectEqual(error?.kind, .shutDown, "\(error as Any)")
                await patient.value
                await hasty.value
            }
        }
    }

    @Test("A redirect followed during the grace period ends with it, on any event loop", arguments: [2, 3])
    func redirects(loops: Int) async throws {
        for before in 0..<6 { try await followed(before: before % loops, loops: loops) }
    }
}
