import NIOCore
import NIOPosix
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Kept connections that turn out to be gone, as the pool has them; what is repeated is in `StaleConnectionTests`.
@Suite("Pool: stale connections", .timeLimit(.minutes(5)))
struct PoolStaleTests {
    static let stale: [ScriptedServer.Step] = [.receiveHead, .answer("first"), .receiveHead, .close]
    static let fresh: [ScriptedServer.Step] = [.receiveHead, .answer("fresh"), .receiveHead, .answer("next")]

    @Test("GET is sent exactly once more", arguments: [1, 128], [1, 2])
    func get(maximum: Int, loops: Int) async throws {
        // The second one is closed in the same way, but it was never used: that is an error of its own.
        for (second, attempt) in [(Self.fresh, nil), ([.receiveHead, .close], 2)] as [([ScriptedServer.Step], Int?)] {
            try await ScriptedServer.withServer(connections: [Self.stale, second, Self.fresh]) { server in
                try await PoolSupport.withLoops(loops) { group in
                    let engine = PoolSupport.engine(group: group) { $0.maximumConnectionsPerOrigin = maximum }
                    let api = try PoolSupport.session(server.url, engine)
                    try await expectEqual(api.get("first").text(), "first")
                    if let attempt {
                        let error = await Wire.failure(.connectionClosed, .wait) { try await api.get("second") }
                        expectEqual(error?.attempt, attempt)
                    } else {
                        try await expectEqual(api.get("second").text(), "fresh")
                        try await expectEqual(api.get("third").text(), "next")
                    }
                    expectEqual(server.acceptedConnections, 2)
                    await expectEqual(engine.statistics().dials, 2)
                    await PoolSupport.expectNothing(engine)
                }
            }
        }
    }

    @Test("POST is not sent again once bytes of it have left", arguments: [1, 128])
    func post(maximum: Int) async throws {
        try await ScriptedServer.withServer(connections: [Self.stale, Self.fresh]) { server in
            let engine = PoolSupport.engine { $0.maximumConnectionsPerOrigin = maximum }
            let api = try PoolSupport.session(server.url, engine)
            try await expectEqual(api.get("first").text(), "first")
            let error = await Wire.failure(.connectionClosed, .wait) { try await api.post("second", body: .text("x")) }
            expectEqual(error?.requestSent, true)
            expectEqual(error?.attempt, 1)
            expectEqual(server.acceptedConnections, 1)
            // The next one has a connection of its own.
            try await expectEqual(api.post("third", body: .text("y")).text(), "fresh")
            let sent = String(decoding: server.received(connection: 1), as: UTF8.self)
            #expect(sent.hasPrefix("POST /third "))
            await PoolSupport.expectNothing(engine)
        }
    }

    @Test(
        "POST is sent on a fresh connection if the old one is known to be closed", arguments: [1, 128], [false, true])
    func known(maximum: Int, abrupt: Bool) async throws {
        let closing: [ScriptedServer.Step] = [.receiveHead, .answer("first"), abrupt ? .reset : .close]
        try await ScriptedServer.withServer(connections: [closing, Self.fresh]) { server in
            let engine = PoolSupport.engine { $0.maximumConnectionsPerOrigin = maximum }
            let api = try PoolSupport.session(server.url, engine)
            try await expectEqual(api.get("first").text(), "first")
            await PoolSupport.expect(engine, "its end was noticed") { $0.origins.isEmpty }
            let reply = try await api.post("second", body: .text("x"))
            try await expectEqual(reply.text(), "fresh")
            expectEqual(server.acceptedConnections, 2)
            #expect(String(decoding: server.received(connection: 1), as: UTF8.self).hasSuffix("\r\n\r\nx"))
        }
    }

    @Test("A request that is sent again goes ahead of those that wait")
    func ahead() async throws {
        let answers: [ScriptedServer.Step] = (0..<4).flatMap { number -> [ScriptedServer.Step] in
            [.receiveHead, .answer("answer \(number)")]
        }
        // The stale one ends when the test has seen that others wait: they are in a line that its end must not lose.
        let script: [ScriptedServer.Step] = [
            .receiveHead, .answer("first"), .receiveHead, .pause(milliseconds: 500), .close,
        ]
        try await ScriptedServer.withServer(connections: [script, answers]) { server in
            try await PoolSupport.withLoops { group in
                let engine = PoolSupport.engine(group: group) { $0.maximumConnectionsPerOrigin = 1 }
                let api = try PoolSupport.session(server.url, engine)
                try await expectEqual(api.get("first").text(), "first")
                let again = Task { try await api.get("again").text() }
                await PoolSupport.expect(engine, "it is under way") { $0.activeRequests == 1 }
                let others = (0..<3).map { number in
                    Task { try await api.get("other/\(number)") { $0.priority = .high }.text() }
                }
                #expect(try await again.value.hasPrefix("answer"))
                for task in others { #expect(try await task.value.hasPrefix("answer")) }
                expectEqual(server.acceptedConnections, 2)
                let sent = String(decoding: server.received(connection: 1), as: UTF8.self)
                #expect(sent.hasPrefix("GET /again "))
            }
        }
    }
}
