import NIOPosix
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Dials that this side gives up say nothing of the server: who waits behind them does not fail with them.
@Suite("Pool: dials that are cancelled", .timeLimit(.minutes(5)))
struct CancelledDialTests {
    /// As many as would have the server pass for one that is gone, and one more.
    private static let cancelled = 4

    private func expectCancelled(_ task: Task<Int, any Error>, location: SourceLocation = #_sourceLocation) async {
        let error = await #expect(throws: SternaError.self, sourceLocation: location) { try await task.value }
        expectEqual(error?.kind, .cancelled, "\(error as Any)", sourceLocation: location)
    }

    /// Requests one behind the other, each with a dial of its own, are cancelled as soon as they are dialled for; the last one
    /// is then dialled for, and waits on.
    private func giveUp(
        _ url: String, http2: HTTP2Mode? = nil, isDialling: @escaping @Sendable (_ number: Int) async -> Bool
    ) async throws {
        try await PoolSupport.withLoops { group in
            let engine = PoolSupport.engine(group: group) { if http2 != nil { $0.maximumConnectionsPerOrigin = 1 } }
            let last = try PoolSupport.session(url, engine) {
                if let http2 { $0.network.http2 = http2 }
                $0.timeouts.tls = .seconds(50)
            }
            // No two have the same time-outs, so that none takes over another one's dial.
            let others = (0..<Self.cancelled).map { number in
                last.with { $0.timeouts.tls = .seconds(1_000 + number) }
            }
            let sessions = others + [last]
            let tasks = await PoolSupport.queue(sessions.count, engine) { number in
                try await sessions[number].get("row").status
            }
            for number in 0..<Self.cancelled {
                let hasBegun = await isDialling(number)
                #expect(hasBegun, "request \(number)")
                await PoolSupport.expect(engine, "request \(number) is dialled for") {
                    $0.dials == number + 1 && $0.dialling == 1
                }
                tasks[number].cancel()
                await expectCancelled(tasks[number])
            }
            let hasBegun = await isDialling(Self.cancelled)
            #expect(hasBegun, "the last one")
            await PoolSupport.expect(engine, "the last one is dialled for, and waits") {
                $0.dials == Self.cancelled + 1 && $0.dialling == 1 && $0.waiting == 1
            }
            tasks[Self.cancelled].cancel()
            await expectCancelled(tasks[Self.cancelled])
            await PoolSupport.expectNothing(engine)
        }
    }

    @Test("Cancelling during the handshake", arguments: [false, true])
    func tls(mayBeHTTP2: Bool) async throws {
        // It takes connections and what comes on them, and says nothing.
        try await ScriptedServer.withServer(connections: []) { server in
            try await giveUp("https://127.0.0.1:\(server.port)", http2: mayBeHTTP2 ? nil : .off) { number in
                await server.waitForReceived(1, connection: number, within: 60)
            }
        }
    }

    @Test("Cancelling while connecting")
    func connect() async throws {
        let listener = try RawListener(isFull: true)
        try await giveUp("http://127.0.0.1:\(listener.port)", http2: .off) { _ in true }
        withExtendedLifetime(listener) {}
    }
}
