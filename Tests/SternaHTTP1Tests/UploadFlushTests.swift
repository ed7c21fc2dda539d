import HTTPTypes
import NIOCore
import SternaCore
import Synchronization
import Testing

@testable import SternaTransport
@testable import SternaWireTestSupport

/// Counts what is written between two flushes, as a TLS handler would hold it.
final class FlushMeter: ChannelOutboundHandler, Sendable {
    typealias OutboundIn = ByteBuffer

    private let counts = Mutex((unflushed: 0, most: 0, total: 0))

    var most: Int { counts.withLock { $0.most } }
    var total: Int { counts.withLock { $0.total } }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let count = Self.unwrapOutboundIn(data).readableBytes
        counts.withLock { counts in
            counts.unflushed += count
            counts.total += count
            counts.most = max(counts.most, counts.unflushed)
        }
        context.write(data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        counts.withLock { $0.unflushed = 0 }
        context.flush()
    }
}

@Suite("Flushes of request bodies", .timeLimit(.minutes(5)))
struct UploadFlushTests {
    @Test(
        "Bytes are flushed piece by piece, since a TLS handler holds them until then",
        arguments: [1 << 10, 1 << 20, 64 << 20])
    func bytes(segment: Int) async throws {
        let total = 64 << 20
        let meter = FlushMeter()
        let fake = try await FakeConnection("https://example.test/", beneath: meter)
        let block = Bytes(repeating: 1, count: segment)
        let count = min(total / segment, 4_096)
        let task = try await fake.start {
            $0.method = .put
            $0.body = Body(segments: Array(repeating: .bytes(block), count: count))
        }
        try await fake.receive("HTTP/1.1 204 No Content\r\n\r\n")
        _ = try await task.value
        #expect(meter.total > segment * count)
        #expect(meter.most <= 2 << 20)
    }
}
