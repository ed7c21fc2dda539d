import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// A server that says 1xx and then nothing has not begun to answer.
@Suite("Time-outs after interim responses", .timeLimit(.minutes(5)))
struct InterimTimeoutTests {
    private static let limit = Duration.seconds(1)

    /// Long before the time between bytes, which is the one of `Wire`.
    private static let soon = TimeAmount.seconds(15)

    private func engine(_ time: TestClock) -> Engine { PoolSupport.engine { $0.clock = time.clock } }

    /// Sends a request, and lets its time pass when the interim response is there.
    private func ask(_ api: Session, _ time: TestClock, _ told: Counter) async throws {
        let request = Task { _ = try await api.get("row") { $0.onInformational = { _ in told.add() } } }
        #expect(await eventually { told.value == 1 })
        let start = time.now
        defer { #expect(time.now - start < Self.soon) }
        try await Wire.pass(Self.limit, on: time) { try await request.value }
    }

    @Test("Over HTTP/1", arguments: [false, true])
    func silence(secure: Bool) async throws {
        let (told, time) = (Counter(), TestClock())
        let error = try await Wire.refusal(
            .timedOut, .wait, secure: secure, script: [.send("HTTP/1.1 103 Early Hints\r\n\r\n")],
            settings: {
                $0.network.engine = engine(time)
                $0.timeouts.firstByte = Self.limit
            }
        ) { api in
            try await ask(api, time, told)
        }
        expectEqual(told.value, 1)
        expectEqual(error?.requestSent, true)
        expectEqual(error?.status, 0)
    }

    @Test("Over HTTP/2", arguments: [false, true])
    func silentStream(secure: Bool) async throws {
        let (told, time) = (Counter(), TestClock())
        try await FrameScene.withSession(secure: secure, engine: engine(time)) { connection in
            try await connection.handshake()
            let stream = try await connection.request().stream
            try await connection.send(.headers(stream, HeaderBlock.encode([(":status", "103")])))
            let code = try await connection.resetCode(of: stream)
            expectEqual(code, .cancel)
            let next = try await connection.request().stream
            try await connection.respond(next, text: "next")
        } body: { api, peer in
            let hasty = api.with { $0.timeouts.firstByte = Self.limit }
            await Wire.failure(.timedOut, .wait) { try await ask(hasty, time, told) }
            expectEqual(told.value, 1)
            try await api.expect("next", at: "next")
            expectEqual(peer.connectionCount, 1)
        }
    }
}
