import NIOCore
import NIOHTTP2
import NIOSSL
import SternaCore
import SternaSecurity

/// The result of a dial.
enum OpenedConnection {
    case http1(HTTP1Connection)
    case http2(HTTP2Connection)
    /// A connection of another origin, which also serves this one.
    case shared(HTTP2Connection)
}

/// Sets up the protocol of a new channel.
extension Dialer {
    /// Returns the connection's handler, on a channel that was created with an HTTP/1 handler at its end.
    ///
    /// - Parameter secured: the result of the TLS handshake.
    func connection(
        on channel: any Channel, for dial: Dial, speaking secured: Secured?
    ) throws -> OpenedConnection {
        let (chosen, version, chain) = (secured?.protocol, secured?.version, secured?.chain ?? [])
        let pipeline = channel.pipeline.syncOperations
        let http1 = try pipeline.handler(type: HTTP1Connection.self)
        // With a TLS proxy there may be two TLS handlers; the first is next to the socket.
        let tlsContext = try? pipeline.context(handlerType: NIOSSLClientHandler.self)
        guard chosen == "h2" || !dial.endpoint.isTLS && dial.endpoint.offersHTTP2 else {
            http1.tlsContext = tlsContext
            http1.rotation = dial.rotation
            return .http1(http1)
        }
        if let version, version < .tls12 {
            channel.close(promise: nil)
            throw SternaError(
                .tlsFailed, phase: .tls,
                "The server chose HTTP/2 over \(version.name), which is too old for HTTP/2 (RFC 9113, 9.2).")
        }
        let watch = GoAwayWatch()
        let gatherer = WriteGatherer(isTLS: tlsContext != nil)
        let meter = FrameMeter(options.limits, by: options.clock)
        let connection = HTTP2Connection(
            endpoint: dial.endpoint, shard: dial.shard, watch: watch, gatherer: gatherer, meter: meter)
        connection.tlsContext = tlsContext
        connection.rotation = dial.rotation
        try channel.syncOptions?.setOption(.writeBufferWaterMark, value: HTTP2Connection.watermark)
        try pipeline.addHandler(connection, position: .before(http1))
        try pipeline.addHandler(gatherer, position: .before(connection))
        try add(frames(watch), window: ReceiveWindow.initial, behind: gatherer, meter, to: pipeline)
        pipeline.removeHandler(http1, promise: nil)
        connection.openWindow()
        if let address = dial.timeline.address {
            sharedConnections.add(connection, at: address, port: dialledPort(of: dial.endpoint), chain: chain)
        }
        return .http2(connection)
    }

    /// Adds NIO's HTTP/2 handler, after the handler that counts frames.
    ///
    /// - Parameter window: how many bytes the peer may send on a stream before it receives a window update.
    func add(
        _ frames: NIOHTTP2Handler, window: Int, behind gatherer: WriteGatherer, _ meter: FrameMeter,
        to pipeline: ChannelPipeline.SynchronousOperations
    ) throws {
        let announcement = HeaderListAnnouncement(options.limits, window: window)
        try pipeline.addHandlers([announcement, meter], position: .after(gatherer))
        try pipeline.addHandler(frames, position: .after(meter))
        // The peer acknowledges these settings; the meter acknowledges the library's first ones.
        let context = try pipeline.context(handler: frames)
        let frame = HTTP2Frame(streamID: .rootStream, payload: .settings(.settings(announcement.later)))
        frames.write(context: context, data: NIOAny(frame), promise: nil)
    }

    /// Returns NIO's HTTP/2 handler with limits for a client: within 10 seconds the peer may reset 10,000 streams, cause 200 stream
    /// errors, and send 2,000 control frames.
    func frames(_ watch: GoAwayWatch) -> NIOHTTP2Handler {
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings = [
            HTTP2Setting(parameter: .maxHeaderListSize, value: HeaderListAnnouncement.unlimited)
        ]
        // Each stream validates these itself.
        connection.headerBlockValidation = .disabled
        connection.contentLengthValidation = .disabled
        connection.maximumSequentialEmptyDataFrames = .max
        connection.maximumSequentialContinuationFrames = 16 + options.limits.headBytes >> 14
        connection.maximumRecentlyResetStreams = 1_024
        connection.maximumConnectionGlitches = .max
        connection.controlFrameRateLimit.maximumCount = 2_000
        connection.controlFrameRateLimit.windowLength = .seconds(10)
        var stream = NIOHTTP2Handler.StreamConfiguration()
        // A short window would let a slow flood continue forever.
        stream.streamResetFrameRateLimit.maximumCount = 10_000
        stream.streamResetFrameRateLimit.windowLength = .seconds(10)
        stream.streamErrorRateLimit.maximumCount = 200
        stream.streamErrorRateLimit.windowLength = .seconds(10)
        return NIOHTTP2Handler(
            mode: .client, frameDelegate: watch, connectionConfiguration: connection, streamConfiguration: stream)
    }
}
