import NIOCore
import NIOPosix
import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Reads a body of sevens, and pauses behind each read for as long as what it brought is worth; answers at the end.
private final class SlowReader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let length: Int
    private let most: Int
    private var taken = 0

    /// - Parameter most: where it stops reading.
    init(length: Int, most: Int) {
        self.length = length
        self.most = most
    }

    func channelActive(context: ChannelHandlerContext) { context.read() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = Self.unwrapInboundIn(data)
        // The head has none.
        for byte in bytes.readableBytesView where byte == 7 { taken += 1 }
        guard taken < length else {
            let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
            context.channel.writeAndFlush(ByteBuffer(string: answer), promise: nil)
            return
        }
        guard taken < most else { return }
        // What lies in the system's buffers in the end has left this library.
        let isNearEnd = taken >= length - 256 << 10
        let pause = TimeAmount.nanoseconds(isNearEnd ? 0 : Int64(bytes.readableBytes) * 4_000)
        context.eventLoop.assumeIsolated().scheduleTask(in: pause) { context.read() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// The end of an upload that the network takes slowly is not waited for as the answer.
///
/// Over Unix domain sockets, whose buffers hold little: those of the loopback may hold all of it.
@Suite("Time-outs after an upload over sockets", .serialized, .timeLimit(.minutes(5)))
struct UploadTailSocketTests {
    private static let length = 2 << 20
    private static let limit = Duration.seconds(3)

    /// A server that reads 256 KiB a second, up to a number of bytes.
    private func withServer(most: Int, _ work: (_ path: String) async throws -> Void) async throws {
        let path = UnixRelay.freePath()
        let result: Result<Void, any Error>
        do {
            // The connections are closed with the event loop.
            try await PoolSupport.withLoops { group in
                _ = try await ServerBootstrap(group: group)
                    .childChannelOption(.autoRead, value: false)
                    .childChannelOption(.maxMessagesPerRead, value: 1 as UInt)
                    .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 64 << 10))
                    .childChannelInitializer { channel in
                        channel.eventLoop.makeCompletedFuture {
                            let reader = SlowReader(length: Self.length, most: most)
                            try channel.pipeline.syncOperations.addHandler(reader)
                        }
                    }
                    .bind(unixDomainSocketPath: path).get()
                try await work(path)
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        try? FileManager.default.removeItem(atPath: path)
        try result.get()
    }

    private func session(_ path: String, _ configure: (inout SessionSettings) -> Void = { _ in }) throws -> Session {
        try Wire.session("http://api.test") {
            $0.network.unixSocket = path
            $0.timeouts.firstByte = Self.limit
            configure(&$0)
        }
    }

    private var body: Body { .bytes(Bytes(repeating: 7, count: Self.length)) }

    @Test("The end of an upload may take longer than the response")
    func slow() async throws {
        try await withServer(most: .max) { path in
            let api = try session(path)
            let start = ContinuousClock.now
            let status = try await api.post("row", body: body).status
            expectEqual(status, 200)
            // The last piece, of half the body, took longer than the limit alone.
            #expect(ContinuousClock.now - start > Self.limit * 2)
        }
    }

    @Test("A server that stops reading times out", arguments: [1 << 19, 5 << 18])
    func stops(most: Int) async throws {
        try await withServer(most: most) { path in
            let api = try session(path) { $0.timeouts.write = Self.limit }
            let start = ContinuousClock.now
            let error = await #expect(throws: SternaError.self) { try await api.post("row", body: body) }
            expectEqual(error?.kind, .timedOut, "\(error as Any)")
            expectEqual(error?.requestSent, true)
            #expect(ContinuousClock.now - start < Wire.soon)
        }
    }
}
