import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// An upload that nobody takes is waited for as long as it was said, not twice as long.
@Suite("Time-outs of writing over sockets", .serialized, .timeLimit(.minutes(5)))
struct WriteTimeoutSocketTests {
    private static let limit = Duration.seconds(4)

    private func runsOut(
        _ api: Session, _ body: Body, location: SourceLocation = #_sourceLocation
    ) async {
        let start = ContinuousClock.now
        let error = await Wire.failure(.timedOut, .write, location: location) {
            try await api.post("row", body: body)
        }
        let time = ContinuousClock.now - start
        #expect(time >= Self.limit - .milliseconds(50), sourceLocation: location)
        #expect(time < .seconds(7), sourceLocation: location)
        expectEqual(error?.requestSent, true, sourceLocation: location)
    }

    @Test("A server that never reads times out", arguments: [false, true])
    func unread(isStream: Bool) async throws {
        let listener = try RawListener(isFull: false)
        let api = try Wire.session("http://127.0.0.1:\(listener.port)") { $0.timeouts.write = Self.limit }
        let block = Bytes(repeating: 7, count: 1 << 20)
        let body: Body =
            isStream
            ? Body(segments: [
                .producer(BodyProducer(length: nil, isReplayable: false) { { block } })
            ]) : Body(segments: Array(repeating: .bytes(block), count: 64))
        await runsOut(api, body)
        withExtendedLifetime(listener) {}
    }

    @Test("An HTTP/2 stream whose window stays closed times out")
    func closedWindow() async throws {
        let time = TestClock()
        try await FramePeer.withPeer { connection in
            try await connection.greet(settings: [(WireFrame.Setting.initialWindowSize, 0)])
            let stream = try await connection.request().stream
            let code = try await connection.resetCode(of: stream)
            expectEqual(code, .cancel)
            try await connection.servePaths()
        } body: { peer in
            let patient = try HTTP2Scene.session(peer, PoolSupport.engine { $0.clock = time.clock })
            try await patient.get("first")
            let api = patient.with { $0.timeouts.write = Self.limit }
            let start = time.now
            let error = await Wire.failure(.timedOut, .write) {
                try await Wire.pass(Self.limit, on: time) {
                    try await api.post("row", body: .bytes(Wire.pattern(100_000)))
                }
            }
            #expect(time.now - start < .seconds(7))
            expectEqual(error?.requestSent, true)
        }
    }
}
