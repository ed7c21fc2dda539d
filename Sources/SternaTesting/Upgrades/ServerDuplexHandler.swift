import NIOCore
import NIOHTTP1

/// Handles a connection that has switched from HTTP/1 to another protocol: reads only as fast as the route's closure.
final class ServerDuplexHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var context: ChannelHandlerContext?
    private var pipe: ServerBodyPipe?
    private var task: Task<Void, Never>?
    private var wantsBytes = true
    private var heldRead = false
    private var inputHasEnded = false
    private var isFinished = false
    private var hasFailed = false
    /// Whether the closure has ended, so that further bytes are dropped.
    private var lingers = false

    // MARK: Life

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        pipe = nil
    }

    /// Runs a route's closure.
    func begin(_ run: @escaping ServerUpgrade.Run, anchor: ConnectionAnchor.Handle) {
        let loop = anchor.channel.eventLoop
        let bound = NIOLoopBound(self, eventLoop: loop)
        let pipe = ServerBodyPipe(declaredLength: nil) { loop.execute { bound.value.bytesDemanded() } }
        self.pipe = pipe
        let duplex = ServerDuplex(pipe: pipe, output: Output(handler: bound, anchor: anchor))
        task = Task { await duplex.serve(run) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        // After this side has finished, NIO closes the channel at the client's end, without an event for it.
        let isOrderly = isFinished && !hasFailed
        if isOrderly { pipe?.finish() } else { pipe?.fail() }
        // The pipe references this handler.
        pipe = nil
        // A closure that has sent everything may still read what the client sent before its end.
        if !isOrderly { task?.cancel() }
        task = nil
        self.context = nil
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        hasFailed = true
        context.close(promise: nil)
    }

    // MARK: Reading

    func read(context: ChannelHandlerContext) {
        if readsOn { context.read() } else { heldRead = true }
    }

    private var readsOn: Bool { wantsBytes || lingers || inputHasEnded }

    /// Reads from the socket. The read that HTTP's handler held back was lost with it.
    func startReading() {
        heldRead = true
        resumeReading()
    }

    private func resumeReading() {
        guard heldRead, readsOn, let context else { return }
        heldRead = false
        context.read()
    }

    private func bytesDemanded() {
        wantsBytes = true
        resumeReading()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = Self.unwrapInboundIn(data)
        guard !lingers, bytes.readableBytes > 0 else { return }
        wantsBytes = pipe?.offer(bytes) ?? true
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent {
            inputHasEnded = true
            pipe?.finish()
            if lingers { context.close(promise: nil) }
        }
        context.fireUserInboundEventTriggered(event)
    }

    // MARK: Closing

    private func finish(_ promise: EventLoopPromise<Void>) {
        guard let context else { return promise.fail(ChannelError.ioOnClosedChannel) }
        isFinished = true
        // NIO closes the whole channel if the client has ended already, and drops what is not written yet.
        let written = context.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        written.futureResult.whenComplete { _ in
            guard let context = bound.value.context else { return promise.fail(ChannelError.ioOnClosedChannel) }
            context.close(mode: .output, promise: promise)
        }
        context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer()), promise: written)
    }

    /// Drops what the client still sends, so that a reset does not lose bytes on their way to it, and closes at its end.
    private func linger() {
        guard !lingers, let context else { return }
        lingers = true
        pipe?.fail()
        guard !inputHasEnded else { return context.close(promise: nil) }
        let channel = context.channel
        context.eventLoop.scheduleTask(in: ServerConnectionHandler.lingerTime) { channel.close(promise: nil) }
        resumeReading()
    }

    private struct Output: ServerDuplexOutput {
        let handler: NIOLoopBound<ServerDuplexHandler>
        let anchor: ConnectionAnchor.Handle

        var loop: any EventLoop { anchor.channel.eventLoop }

        func put(_ bytes: ByteBuffer) -> EventLoopFuture<Void> { anchor.channel.writeAndFlush(bytes) }

        func finish() -> EventLoopFuture<Void> {
            let promise = loop.makePromise(of: Void.self)
            loop.execute { [handler] in handler.value.finish(promise) }
            return promise.futureResult
        }

        func close() async {
            loop.execute { [handler] in handler.value.linger() }
            try? await anchor.channel.closeFuture.get()
        }

        func reset(_: ServerStreamReset) async { await anchor.reset() }
    }
}

/// Holds back the end of the client's direction while NIO's decoder is removed: a decoder that sees the end drops the bytes that
/// followed the request.
private final class InputEndHolder: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private var hasEnded = false

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent {
            hasEnded = true
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func removeHandler(context: ChannelHandlerContext, removalToken: ChannelHandlerContext.RemovalToken) {
        if hasEnded { context.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
        context.leavePipeline(removalToken: removalToken)
    }
}

extension ServerConnectionHandler {
    /// Sends 101 (Switching Protocols), and leaves the connection to a route's closure.
    ///
    /// NIO's decoder stops after a request with an upgrade, and passes the bytes behind it on when it is removed.
    func switchProtocol(
        _ headers: ServerHeaders, context: ChannelHandlerContext, _ run: @escaping ServerUpgrade.Run
    ) {
        let pipeline = context.pipeline.syncOperations
        let handler = ServerDuplexHandler()
        let holder = InputEndHolder()
        let decoder: ByteToMessageHandler<HTTPRequestDecoder>
        do {
            decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(holder, position: .before(decoder))
            try pipeline.addHandler(handler)
            try context.channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: true)
        } catch {
            return context.close(promise: nil)
        }
        var head = context.channel.allocator.buffer(capacity: 512)
        ResponseHead(
            status: 101, reason: nil, headers: headers, framing: .none, keepAlive: true, isHTTP10: false
        ).write(to: &head)
        context.writeAndFlush(Self.wrapOutboundOut(head), promise: nil)
        exchange = nil
        pipeline.removeHandler(context: context, promise: nil)
        handler.begin(run, anchor: anchor)
        let bound = NIOLoopBound((pipeline, holder, handler), eventLoop: context.eventLoop)
        pipeline.removeHandler(decoder).whenComplete { _ in
            let (pipeline, holder, handler) = bound.value
            pipeline.removeHandler(holder, promise: nil)
            handler.startReading()
        }
    }
}
