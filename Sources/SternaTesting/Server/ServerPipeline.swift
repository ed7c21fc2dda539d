import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOSSL

/// Adds the handlers for the server's protocols to a new connection.
struct ServerPipeline: Sendable {
    private let core: ServerCore
    private let context: NIOSSLContext?
    /// The client's sign for HTTP/2; `nil` if the server does not support it.
    private let sign: ServerProtocolChooser.Sign?
    private let settings: ServerHTTP2Settings

    init(_ options: TestServer.Options, core: ServerCore) throws {
        self.core = core
        settings = options.http2Settings
        guard let certificate = options.tls else {
            context = nil
            sign = options.http2.contains(.byPriorKnowledge) ? .preface : nil
            return
        }
        var tls = options.tlsSettings
        if options.http2.contains(.byALPN) && !tls.applicationProtocols.contains("h2") {
            tls.applicationProtocols.insert("h2", at: 0)
        }
        context = try tls.makeContext(certificate)
        sign = tls.applicationProtocols.contains("h2") ? .alpn : nil
    }

    func configure(_ channel: any Channel) throws {
        let anchor = ConnectionAnchor()
        let handle = ConnectionAnchor.Handle(
            anchor: NIOLoopBound(anchor, eventLoop: channel.eventLoop), channel: channel)
        guard let number = core.opened(channel, anchor: handle) else {
            channel.close(promise: nil)
            return
        }
        let core = self.core
        channel.closeFuture.whenComplete { _ in core.closed(number) }
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(anchor)
        if let context { try pipeline.addHandler(NIOSSLServerHandler(context: context)) }
        guard let sign else { return try addHTTP1(to: pipeline, number, handle) }
        let chooser = ServerProtocolChooser(sign: sign, idleTimeout: core.idleTimeout) { isHTTP2 in
            if isHTTP2 {
                try addHTTP2(to: pipeline, number, handle)
            } else {
                try addHTTP1(to: pipeline, number, handle)
            }
        }
        try pipeline.addHandler(chooser)
    }

    private func addHTTP1(
        to pipeline: ChannelPipeline.SynchronousOperations, _ number: Int, _ anchor: ConnectionAnchor.Handle
    ) throws {
        // Bytes behind a request that switches protocols belong to the other protocol.
        let decoder = HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes)
        try pipeline.addHandler(ByteToMessageHandler(decoder))
        try pipeline.addHandler(ServerConnectionHandler(core: core, number: number, anchor: anchor))
    }

    private func addHTTP2(
        to pipeline: ChannelPipeline.SynchronousOperations, _ number: Int, _ anchor: ConnectionAnchor.Handle
    ) throws {
        core.speaksHTTP2()
        let loop = anchor.channel.eventLoop
        let wire = HTTP2Wire()
        let connection = HTTP2ConnectionHandler(
            core: core, number: number, anchor: anchor, wire: wire, settings: settings)
        let bound = NIOLoopBound(connection, eventLoop: loop)
        try pipeline.addHandler(wire)
        try pipeline.addHandler(
            NIOHTTP2Handler(
                mode: .server, eventLoop: loop, connectionConfiguration: settings.connectionConfiguration,
                streamConfiguration: settings.streamConfiguration
            ) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(HTTP2StreamHandler(connection: bound.value))
                }
            })
        try pipeline.addHandler(connection)
    }
}

extension Channel {
    /// The local address and port of the connection, in the form of a URL.
    var localAuthority: String {
        let host = localAddress?.ipAddress ?? "localhost"
        return "\(host.contains(":") ? "[\(host)]" : host):\(localAddress?.port ?? 0)"
    }
}
