import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// One connection may be enough for all who wait for it, as long as it does not keep them.
@Suite("Pool: the first connection to a server that may speak HTTP/2", .timeLimit(.minutes(5)))
struct FirstDialTests {
    /// Ten requests to a server that takes no connection; says when all wait.
    private func waiting(
        scheme: String, http2: HTTP2Mode, patience: Duration, dials: Int, location: SourceLocation = #_sourceLocation
    ) async throws {
        let listener = try RawListener(isFull: true)
        try await PoolSupport.withLoops { group in
            let engine = PoolSupport.engine(group: group) { $0.firstDialPatience = patience }
            let api = try PoolSupport.session("\(scheme)://127.0.0.1:\(listener.port)", engine) {
                $0.network.http2 = http2
            }
            let tasks = (0..<10).map { _ in Task { try await api.get("row").status } }
            await PoolSupport.expect(engine, "all wait", location: location) {
                $0.waiting == 10 && $0.dialling >= dials
            }
            for _ in 0..<20 {
                await expectEqual(engine.statistics().dials, dials, sourceLocation: location)
            }
            for task in tasks { task.cancel() }
            for task in tasks {
                let error = await #expect(throws: SternaError.self, sourceLocation: location) { try await task.value }
                expectEqual(error?.kind, .cancelled, sourceLocation: location)
            }
            await PoolSupport.expectNothing(engine)
        }
        withExtendedLifetime(listener) {}
    }

    @Test("All requests wait for the first connection")
    func together() async throws {
        try await waiting(scheme: "https", http2: .negotiated, patience: PoolSupport.ages, dials: 1)
    }

    @Test("If it takes too long, each request gets its own connection")
    func impatient() async throws {
        try await waiting(scheme: "https", http2: .negotiated, patience: .milliseconds(50), dials: 10)
    }

    @Test("A server known to speak HTTP/2 gets one connection, however long it takes")
    func known() async throws {
        try await waiting(scheme: "http", http2: .priorKnowledge, patience: .zero, dials: 1)
    }

    @Test("Without HTTP/2 requests do not wait for it", arguments: ["http", "https"])
    func off(scheme: String) async throws {
        try await waiting(scheme: scheme, http2: .off, patience: PoolSupport.ages, dials: 10)
    }
}
