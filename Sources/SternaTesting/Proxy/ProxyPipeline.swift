import NIOCore
import NIOHTTP2
import NIOSSL

/// Adds the handlers for the client's protocol to a new connection to a proxy.
struct ProxyPipeline: Sendable {
    private let core: ProxyCore
    private let context: NIOSSLContext?
    private let offersHTTP2: Bool

    init(_ core: ProxyCore) throws {
        self.core = core
        guard case .https(let bundle) = core.options.kind else {
            context = nil
            offersHTTP2 = false
            return
        }
        var settings = ServerTLSSettings()
        if core.options.http2 { settings.applicationProtocols.insert("h2", at: 0) }
        context = try settings.makeContext(bundle)
        offersHTTP2 = core.options.http2
    }

    func configure(_ channel: any Channel) throws {
        let anchor = ConnectionAnchor()
        let handle = ConnectionAnchor.Handle(
            anchor: NIOLoopBound(anchor, eventLoop: channel.eventLoop), channel: channel)
        guard let number = core.opened(handle) else {
            channel.close(promise: nil)
            return
        }
        let core = self.core
        channel.closeFuture.whenComplete { _ in core.closed(number) }
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(anchor)
        if let context { try pipeline.addHandler(NIOSSLServerHandler(context: context)) }
        // A connection that closes at once does not wait for the handshake.
        guard offersHTTP2, core.fault(of: number) != .closesAtOnce else {
            return try pipeline.addHandler(ProxyHandler(core: core, number: number, anchor: anchor))
        }
        let chooser = ServerProtocolChooser(sign: .alpn, idleTimeout: nil) { isHTTP2 in
            if isHTTP2 {
                try addHTTP2(to: pipeline, number, anchor, channel.eventLoop)
            } else {
                try pipeline.addHandler(ProxyHandler(core: core, number: number, anchor: anchor))
            }
        }
        try pipeline.addHandler(chooser)
    }

    private func addHTTP2(
        to pipeline: ChannelPipeline.SynchronousOperations, _ number: Int, _ anchor: ConnectionAnchor,
        _ loop: any EventLoop
    ) throws {
        let wire = HTTP2Wire()
        let streams = ProxyStreamsHandler(core: core, number: number, anchor: anchor, wire: wire)
        let bound = NIOLoopBound(streams, eventLoop: loop)
        try pipeline.addHandler(wire)
        try pipeline.addHandler(
            NIOHTTP2Handler(
                mode: .server, eventLoop: loop, connectionConfiguration: connectionConfiguration,
                streamConfiguration: streamConfiguration
            ) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ProxyStreamHandler(bound.value))
                }
            })
        try pipeline.addHandler(streams)
        core.speaksHTTP2(number, bound)
    }

    private var connectionConfiguration: NIOHTTP2Handler.ConnectionConfiguration {
        var configuration = ServerHTTP2Settings().connectionConfiguration
        configuration.initialSettings.removeAll { $0.parameter == .maxConcurrentStreams }
        if let count = core.options.maximumStreams {
            configuration.initialSettings.append(
                HTTP2Setting(parameter: .maxConcurrentStreams, value: min(max(0, count), 0x7FFF_FFFF)))
        }
        if let window = core.options.window {
            configuration.initialSettings.append(
                HTTP2Setting(parameter: .initialWindowSize, value: min(max(0, window), 0x7FFF_FFFF)))
        }
        // The length in a response to CONNECT is ignored (RFC 9110, 9.3.6).
        configuration.contentLengthValidation = .disabled
        return configuration
    }

    private var streamConfiguration: NIOHTTP2Handler.StreamConfiguration {
        var configuration = ServerHTTP2Settings().streamConfiguration
        // NIO updates the window as the stream is read, which stops when the destination is slow.
        configuration.targetWindowSize = min(max(0, core.options.window ?? 65_535), 0x7FFF_FFFF)
        return configuration
    }
}
