import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// A server that says 1xx and then nothing has not begun to answer.
@Suite("Time-outs behind interim responses", .timeLimit(.minutes(5)))
struct InterimTimeoutTests {
    private static let limit = Duration.seconds(1)

    /// Long before the time between bytes, which is the one of `Wire`.
    private static let soon = Duration.seconds(15)

    @Test("Over HTTP/1", arguments: [false, true])
    func silence(secure: Bool) async throws {
        let told = Counter()
        let start = ContinuousClock.now
        let error = try await Wire.refusal(
            .timedOut, .wait, secure: secure, script: [.send("HTTP/1.1 103 Early Hints\r\n\r\n")],
            settings: { $0.timeouts.firstByte = Self.limit }
        ) { api in
            _ = try await api.get("row") { $0.onInformational = { _ in told.add() } }
        }
        let time = ContinuousClock.now - start
        #expect(time >= Self.limit)
        #expect(time < Self.soon)
        expectEqual(told.value, 1)
        expectEqual(error?.requestSent, true)
        expectEqual(error?.status, 0)
    }

    @Test("Over HTTP/2", arguments: [false, true])
    func silentStream(secure: Bool) async throws {
        let told = Counter()
        try await FrameScene.withSession(secure: secure) { connection in
            try await connection.handshake()
            let stream = try await connection.request().stream
            try await connection.send(.headers(stream, HeaderBlock.encode([(":status", "103")])))
            let code = try await connection.resetCode(of: stream)
            expectEqual(code, .cancel)
            let next = try await connection.request().stream
            try await connection.respond(next, text: "next")
        } body: { api, peer in
            let hasty = api.with { $0.timeouts.firstByte = Self.limit }
            let start = ContinuousClock.now
            await Wire.failure(.timedOut, .wait, within: Self.soon) {
                _ = try await hasty.get("row") { $0.onInformational = { _ in told.add() } }
            }
            #expect(ContinuousClock.now - start >= Self.limit)
            expectEqual(told.value, 1)
            try await api.expect("next", at: "next")
            expectEqual(peer.connectionCount, 1)
        }
    }
}
