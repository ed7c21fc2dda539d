import NIOCore

/// Handles an HTTP/2 connection's outgoing bytes below its frames: detects a `GOAWAY` with an error, and lets a route write bytes
/// that are not frames.
final class HTTP2Wire: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    struct Handle: Sendable {
        let wire: NIOLoopBound<HTTP2Wire>
        let eventLoop: any EventLoop
        /// The stream of the request that the bytes respond to.
        let stream: UInt32

        /// Returns once the bytes have been written to the socket.
        func write(_ buffer: ByteBuffer) async throws {
            let promise = eventLoop.makePromise(of: Void.self)
            let wire = self.wire
            eventLoop.execute { wire.value.writePast(buffer, promise: promise) }
            try await promise.futureResult.get()
        }
    }

    private static let goAwayType: UInt8 = 7
    /// The inspected length of a frame, up to the error code of a `GOAWAY`.
    private static let inspectedLength = 9 + 8

    private var context: ChannelHandlerContext?
    private var isTakenOver = false
    /// The frame's first bytes so far.
    private var start: [UInt8] = []
    /// The number of outstanding bytes of the frame's payload.
    private var rest = 0
    private(set) var hasSentError = false

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !isTakenOver else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        let buffer = Self.unwrapOutboundIn(data)
        inspect(buffer)
        context.write(Self.wrapOutboundOut(buffer), promise: promise)
    }

    /// Drops all further output except the route's own bytes.
    func takeOver() {
        isTakenOver = true
    }

    private func writePast(_ buffer: ByteBuffer, promise: EventLoopPromise<Void>) {
        guard let context else {
            promise.fail(ChannelError.ioOnClosedChannel)
            return
        }
        context.writeAndFlush(Self.wrapOutboundOut(buffer), promise: promise)
    }

    private func inspect(_ buffer: ByteBuffer) {
        var bytes = buffer.readableBytesView[...]
        while !bytes.isEmpty {
            if rest > 0 && !(isGoAway && start.count < Self.inspectedLength) {
                let skipped = min(rest, bytes.count)
                bytes = bytes.dropFirst(skipped)
                rest -= skipped
            } else {
                start.append(bytes.removeFirst())
                if start.count > 9 { rest -= 1 }
                if start.count == 9 { rest = Int(start[0]) << 16 | Int(start[1]) << 8 | Int(start[2]) }
                if isGoAway && start.count == Self.inspectedLength && start[13...].contains(where: { $0 != 0 }) {
                    hasSentError = true
                }
            }
            if start.count >= 9 && rest == 0 { start.removeAll(keepingCapacity: true) }
        }
    }

    private var isGoAway: Bool { start.count > 3 && start[3] == Self.goAwayType }
}
