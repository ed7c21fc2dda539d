import NIOCore
import NIOHTTP2
import SternaCore
import Synchronization

/// A tunnel as a channel, whose bytes a stream carries.
///
/// A stream's own channel carries frames, and ends the process when TLS asks it for an option of sockets.
// Invariant: the stored `var`s but `pipelineOrNil`, set before the channel is shared, are touched on the event loop only.
final class TunnelChannel: Channel, ChannelCore, @unchecked Sendable {
    private let base: any Channel
    private weak var stream: TunnelStream?
    private let closed: EventLoopPromise<Void>
    private var pipelineOrNil: ChannelPipeline?
    private var readsByItself = true
    private let hasEnded = Atomic(false)

    static func make(over base: any Channel, of stream: TunnelStream) -> TunnelChannel {
        let channel = TunnelChannel(base, stream)
        channel.pipelineOrNil = ChannelPipeline(channel: channel)
        return channel
    }

    private init(_ base: any Channel, _ stream: TunnelStream) {
        self.base = base
        self.stream = stream
        closed = base.eventLoop.makePromise()
    }

    var allocator: ByteBufferAllocator { base.allocator }
    var eventLoop: any EventLoop { base.eventLoop }
    var closeFuture: EventLoopFuture<Void> { closed.futureResult }
    var pipeline: ChannelPipeline { pipelineOrNil ?? base.pipeline }
    var localAddress: SocketAddress? { base.localAddress }
    var remoteAddress: SocketAddress? { base.remoteAddress }
    var parent: (any Channel)? { base.parent }
    var isWritable: Bool { base.isWritable }
    var isActive: Bool { !isOver && base.isActive }
    private var isOver: Bool { hasEnded.load(ordering: .relaxed) }
    var _channelCore: any ChannelCore { self }
    var syncOptions: (any NIOSynchronousChannelOptions)? { Options(channel: self) }

    // MARK: Inbound

    /// Becomes active, once its handlers are in place.
    func activate() {
        assert(eventLoop.inEventLoop)
        guard !isOver else { return }
        pipeline.syncOperations.fireChannelActive()
        if readsByItself { pipeline.syncOperations.read() }
    }

    func received(_ bytes: Bytes) {
        if !isOver { pipeline.syncOperations.fireChannelRead(NIOAny(bytes)) }
    }

    func readComplete() {
        guard !isOver else { return }
        pipeline.syncOperations.fireChannelReadComplete()
        if readsByItself, !isOver { pipeline.syncOperations.read() }
    }

    func writabilityChanged() {
        if !isOver { pipeline.syncOperations.fireChannelWritabilityChanged() }
    }

    /// Ends the channel with its stream.
    func end() {
        assert(eventLoop.inEventLoop)
        guard !isOver else { return }
        hasEnded.store(true, ordering: .relaxed)
        pipeline.syncOperations.fireChannelInactive()
        // Handlers that react to this may remove themselves from the pipeline first.
        eventLoop.execute {
            self.removeHandlers(pipeline: self.pipeline)
            self.closed.succeed(())
        }
    }

    // MARK: Outbound

    func write0(_ data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard let stream, !isOver else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        stream.send(unwrapData(data, as: Bytes.self), promise)
    }

    func flush0() { stream?.flush() }
    func read0() { stream?.read() }

    func close0(error: any Error, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        // Proxies would leave a half-closed tunnel open for as long as they like.
        guard mode == .all else {
            promise?.fail(ChannelError.operationUnsupported)
            return
        }
        guard !isOver else {
            promise?.fail(ChannelError.alreadyClosed)
            return
        }
        if let promise { closed.futureResult.cascade(to: promise) }
        base.close(promise: nil)
    }

    func localAddress0() throws -> SocketAddress { try known(localAddress) }
    func remoteAddress0() throws -> SocketAddress { try known(remoteAddress) }

    private func known(_ address: SocketAddress?) throws -> SocketAddress {
        guard let address else { throw ChannelError.unknownLocalAddress }
        return address
    }

    func register0(promise: EventLoopPromise<Void>?) { promise?.fail(ChannelError.operationUnsupported) }
    func registerAlreadyConfigured0(promise: EventLoopPromise<Void>?) {
        promise?.fail(ChannelError.operationUnsupported)
    }
    func bind0(to: SocketAddress, promise: EventLoopPromise<Void>?) { promise?.fail(ChannelError.operationUnsupported) }
    func connect0(to: SocketAddress, promise: EventLoopPromise<Void>?) {
        promise?.fail(ChannelError.operationUnsupported)
    }
    func triggerUserOutboundEvent0(_ event: Any, promise: EventLoopPromise<Void>?) {
        promise?.fail(ChannelError.operationUnsupported)
    }
    func channelRead0(_ data: NIOAny) {}
    func errorCaught0(error: any Error) {}

    // MARK: Options

    func setOption<Option: ChannelOption>(_ option: Option, value: Option.Value) -> EventLoopFuture<Void> {
        eventLoop.submit { try self.set(option, value) }
    }

    func getOption<Option: ChannelOption>(_ option: Option) -> EventLoopFuture<Option.Value> {
        eventLoop.submit { try self.get(option) }
    }

    // The stream's windows decide how much is read at once, and how much is written.
    fileprivate func set<Option: ChannelOption>(_ option: Option, _ value: Option.Value) throws {
        guard option is ChannelOptions.Types.AutoReadOption, let value = value as? Bool else { return }
        let begins = value && !readsByItself
        readsByItself = value
        if begins { pipeline.syncOperations.read() }
    }

    fileprivate func get<Option: ChannelOption>(_ option: Option) throws -> Option.Value {
        let value: Any
        switch option {
        case is ChannelOptions.Types.AutoReadOption: value = readsByItself
        case is ChannelOptions.Types.AllowRemoteHalfClosureOption: value = false
        case is ChannelOptions.Types.BufferedWritableBytesOption: value = stream?.unwrittenBytes ?? 0
        default: throw ChannelError.operationUnsupported
        }
        guard let value = value as? Option.Value else { throw ChannelError.operationUnsupported }
        return value
    }

    private struct Options: NIOSynchronousChannelOptions {
        let channel: TunnelChannel

        func setOption<Option: ChannelOption>(_ option: Option, value: Option.Value) throws {
            try channel.set(option, value)
        }

        func getOption<Option: ChannelOption>(_ option: Option) throws -> Option.Value { try channel.get(option) }
    }
}
