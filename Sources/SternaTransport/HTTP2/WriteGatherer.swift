import NIOCore
import SternaCore

/// Joins the small pieces of frames until they are flushed: each write costs TLS a record, and the network an entry in its
/// list.
// Invariant: touched on the channel's event loop only.
final class WriteGatherer: ChannelOutboundHandler, @unchecked Sendable {
    typealias OutboundIn = Bytes
    typealias OutboundOut = Bytes

    /// The content of one TLS record (RFC 8446, 5.1).
    static let recordBytes = 16 << 10

    /// The content of a frame that fits into one record with its head.
    static let frameBytes = recordBytes - 9

    /// The size above which a piece is not copied, without TLS.
    private static let largeBytes = 2 << 10

    private let isTLS: Bool
    private var gathered = Bytes()

    /// The number of bytes written in all.
    private(set) var total = 0
    private var promises: [EventLoopPromise<Void>] = []

    init(isTLS: Bool) { self.isTLS = isTLS }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let bytes = unwrapOutboundIn(data)
        let count = bytes.readableBytes
        total += count
        if count > (isTLS ? Self.recordBytes : Self.largeBytes) {
            release(context)
            context.write(data, promise: promise)
            return
        }
        if gathered.readableBytes + count > Self.recordBytes { release(context) }
        gathered.writeImmutableBuffer(bytes)
        if let promise { promises.append(promise) }
    }

    func flush(context: ChannelHandlerContext) {
        release(context)
        context.flush()
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        release(context)
        context.close(mode: mode, promise: promise)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        for promise in promises { promise.fail(ChannelError.ioOnClosedChannel) }
        promises = []
    }

    private func release(_ context: ChannelHandlerContext) {
        guard gathered.readableBytes > 0 || !promises.isEmpty else { return }
        let (bytes, promises) = (gathered, promises)
        gathered = Bytes()
        self.promises = []
        guard let first = promises.first else { return context.write(wrapOutboundOut(bytes), promise: nil) }
        if promises.count > 1 {
            let others = promises.dropFirst()
            first.futureResult.whenComplete { result in for other in others { other.completeWith(result) } }
        }
        context.write(wrapOutboundOut(bytes), promise: first)
    }
}
