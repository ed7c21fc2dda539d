import HTTPTypes
import NIOCore
import NIOEmbedded
import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

/// The end of a body that was handed over and that the network has not taken, on a clock of the test's own: the first byte of
/// the answer has 100 s.
@Suite("Time-outs after an upload on a fake clock", .timeLimit(.minutes(5)))
struct UploadTailTests {
    /// A body of two pieces, of which the second one stays in the channel.
    private func upload(over fake: FakeConnection) async throws -> Task<Response, any Error> {
        try await fake.start {
            $0.method = .post
            $0.body = Body.bytes(Bytes(repeating: 7, count: 2 << 20))
            $0.timeouts.firstByte = .seconds(100)
            // No other limit is to end it, nor to be a reason to look at it.
            $0.timeouts.write = .seconds(10_000)
            $0.timeouts.betweenBytes = .seconds(10_000)
        }
    }

    private func expectTimeout(
        _ fake: FakeConnection, _ task: Task<Response, any Error>, location: SourceLocation = #_sourceLocation
    ) async -> SternaError? {
        #expect(!fake.isOpen, sourceLocation: location)
        // Where it goes on too long, it is to end all the same.
        await fake.advance(1_000)
        let error = await FakeConnection.error(task)
        expectEqual(error?.kind, .timedOut, sourceLocation: location)
        expectEqual(error?.requestSent, true, sourceLocation: location)
        return error
    }

    @Test("Bytes that the network takes late do not count as waiting for the response")
    func late() async throws {
        let network = FullNetwork()
        let fake = try await FakeConnection(beneath: network)
        let task = try await upload(over: fake)
        await fake.advance(90)
        #expect(fake.isOpen)
        try await fake.loop.executeInContext { network.takeMore(on: fake.channel) }
        await fake.advance(90)
        #expect(fake.isOpen)
        try await fake.receive("HTTP/1.1 204 No Content\r\n\r\n")
        let response = try await task.value
        expectEqual(response.status.code, 204)
    }

    @Test("After the upload the response has its own time, and no more")
    func unanswered() async throws {
        let network = FullNetwork()
        let fake = try await FakeConnection(beneath: network)
        let task = try await upload(over: fake)
        await fake.advance(90)
        try await fake.loop.executeInContext { network.takeMore(on: fake.channel) }
        await fake.advance(99)
        #expect(fake.isOpen)
        await fake.advance(31)
        let error = await expectTimeout(fake, task)
        expectEqual(error?.phase, .wait)
    }

    @Test("A network that takes nothing more times out")
    func standstill() async throws {
        let fake = try await FakeConnection(beneath: FullNetwork())
        let task = try await upload(over: fake)
        await fake.advance(99)
        #expect(fake.isOpen)
        await fake.advance(31)
        _ = await expectTimeout(fake, task)
    }
}
