import HTTPTypes
import NIOCore
import NIOEmbedded
import SternaCore
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

/// A network that takes what comes before the first flush, and nothing more until it is told to.
final class FullNetwork: ChannelOutboundHandler, Sendable {
    typealias OutboundIn = ByteBuffer

    private let isOpen = Mutex(true)

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // Who writes is to stop here, or it would hand over all that it has.
        if !isOpen.withLock({ $0 }) { (context.channel as? NIOAsyncTestingChannel)?.isWritable = false }
        context.write(data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        let wasOpen = isOpen.withLock { isOpen in
            let wasOpen = isOpen
            isOpen = false
            return wasOpen
        }
        if wasOpen { context.flush() }
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        // Nobody else would keep the promises of what is left.
        context.flush()
        context.close(mode: mode, promise: promise)
    }

    /// Takes what is there, up to the next flush.
    func takeMore(on channel: NIOAsyncTestingChannel) {
        isOpen.withLock { $0 = true }
        channel.isWritable = true
        channel.flush()
        channel.pipeline.fireChannelWritabilityChanged()
    }
}

/// The time for writing to the second, on a clock of the test's own: 100 s.
@Suite("Time-outs of writing on a fake clock", .timeLimit(.minutes(5)))
struct WriteTimeoutTests {
    private func upload(over fake: FakeConnection) async throws -> Task<Response, any Error> {
        let block = Bytes(repeating: 7, count: 1 << 20)
        return try await fake.start {
            $0.method = .post
            $0.body = Body(segments: Array(repeating: .bytes(block), count: 8))
            $0.timeouts.write = .seconds(100)
            // No other limit is to end it, nor to be a reason to look at it.
            $0.timeouts.firstByte = .seconds(10_000)
            $0.timeouts.betweenBytes = .seconds(10_000)
        }
    }

    private func expectTimeout(
        _ fake: FakeConnection, _ task: Task<Response, any Error>, location: SourceLocation = #_sourceLocation
    ) async {
        #expect(!fake.isOpen, sourceLocation: location)
        // Where it goes on too long, it is to end all the same.
        await fake.advance(1_000)
        let error = await FakeConnection.error(task)
        expectEqual(error?.kind, .timedOut, sourceLocation: location)
        expectEqual(error?.phase, .write, sourceLocation: location)
        expectEqual(error?.requestSent, true, sourceLocation: location)
    }

    @Test("Bytes in the buffer from the beginning do not count as taken at a later check")
    func standstill() async throws {
        let fake = try await FakeConnection(beneath: FullNetwork())
        let task = try await upload(over: fake)
        await fake.advance(99)
        #expect(fake.isOpen)
        await fake.advance(31)
        await expectTimeout(fake, task)
    }

    @Test("Each time that bytes are taken the limit restarts", arguments: [1, 3])
    func taken(times: Int) async throws {
        let network = FullNetwork()
        let fake = try await FakeConnection(beneath: network)
        let task = try await upload(over: fake)
        for _ in 0..<times {
            await fake.advance(90)
            #expect(fake.isOpen)
            try await fake.loop.executeInContext { network.takeMore(on: fake.channel) }
        }
        await fake.advance(99)
        #expect(fake.isOpen)
        await fake.advance(31)
        await expectTimeout(fake, task)
    }
}
