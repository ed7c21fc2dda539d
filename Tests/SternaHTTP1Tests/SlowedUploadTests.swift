import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

@Suite("Uploads that are slowed down", .timeLimit(.minutes(5)))
struct SlowedUploadTests {
    @Test("Cancelling during a pause closes the connection at once and reads no more of the source")
    func cancelled() async throws {
        try await ScriptedServer.withServer(connections: [[.receiveHead, .receive(atLeast: 1_000), .waitForClose]]) {
            server in
            let asked = Counter()
            let producer = BodyProducer(length: nil, isReplayable: false) {
                {
                    asked.add()
                    return Bytes(repeating: 0x62, count: 1_000)
                }
            }
            let body = Body(segments: [.producer(producer)]).throttled(packets: 1_000, delay: .seconds(3_600))
            let api = try Wire.session(server.url)
            let task = Task { try await api.post("a", body: body) }
            #expect(await server.waitForReceived(1_100, connection: 0))
            let start = ContinuousClock.now
            task.cancel()
            let error = await #expect(throws: SternaError.self) { try await task.value }
            expectEqual(error?.kind, .cancelled)
            let isClosed = try await server.waitForClose(connection: 0, within: 60)
            #expect(isClosed)
            #expect(ContinuousClock.now - start < Wire.soon)
            expectEqual(asked.value, 1)
            let text = String(decoding: server.received(connection: 0), as: UTF8.self)
            #expect(!text.hasSuffix("0\r\n\r\n"))
        }
    }

    @Test("A source that never delivers is cancelled with the request")
    func silent() async throws {
        try await ScriptedServer.withServer(connections: [[.receiveHead, .waitForClose]]) { server in
            let (stream, continuation) = AsyncStream<Bytes>.makeStream()
            let ends = Counter()
            continuation.onTermination = { reason in
                if case .cancelled = reason { ends.add() }
            }
            let time = TestClock()
            let api = try Wire.session(server.url, engine: PoolSupport.engine { $0.clock = time.clock }) {
                $0.timeouts.total = .milliseconds(300)
            }
            let request = Task { try await api.post("a", body: .stream(stream, length: 5)) }
            #expect(await server.waitForReceived(10, connection: 0, within: 60))
            await time.advance(by: .milliseconds(300))
            await Wire.failure(.timedOut, .write) { _ = try await request.value }
            let isTold = await eventually { ends.value == 1 }
            #expect(isTold)
            let isClosed = try await server.waitForClose(connection: 0, within: 60)
            #expect(isClosed)
        }
    }
}
