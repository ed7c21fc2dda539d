import NIOCore
import NIOPosix
import NIOSSL
import SternaCore
import SternaSecurity
import Synchronization

/// Opens connections: finds the address, connects, and does the TLS handshake.
final class Dialer: Sendable {
    private let limits: Limits
    private let context = Mutex<NIOSSLContext?>(nil)

    init(limits: Limits) { self.limits = limits }

    /// Opens a connection on the shard's event loop; fails with a `SternaError` within the time-outs.
    func dial(_ dial: Dial, to endpoint: Endpoint, on shard: Shard) -> EventLoopFuture<HTTP1Connection> {
        let timeouts = dial.exchange.request.timeouts
        let limits = limits
        let amounts = timeouts.amounts
        let bootstrap = ClientBootstrap(group: shard.loop)
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .connectTimeout(amounts.connect)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    dial.track(channel)
                    let connection = HTTP1Connection(endpoint: endpoint, shard: shard, limits: limits)
                    try channel.pipeline.syncOperations.addHandler(connection)
                }
            }
        let port = endpoint.origin.port
        let connected: EventLoopFuture<any Channel>
        if endpoint.hostIsAddress, let address = try? SocketAddress(ipAddress: endpoint.host, port: port) {
            connected = bootstrap.connect(to: address)
        } else {
            connected = bootstrap.connect(host: endpoint.host, port: port)
        }
        return connected.flatMapErrorThrowing { error in
            throw DialFailure.error(error, host: endpoint.host, port: port, timeout: timeouts.connect)
        }.flatMap { channel in
            guard endpoint.isTLS else { return channel.eventLoop.makeSucceededVoidFuture().map { channel } }
            endpoint.pools[shard.index].dialPhase = .tls
            return self.shakeHands(endpoint, channel, timeout: timeouts.tls).map { channel }
        }.flatMapThrowing { channel in
            let pipeline = channel.pipeline.syncOperations
            let connection = try pipeline.handler(type: HTTP1Connection.self)
            if endpoint.isTLS { connection.tlsContext = try pipeline.context(handlerType: NIOSSLClientHandler.self) }
            return connection
        }
    }

    private func shakeHands(_ endpoint: Endpoint, _ channel: any Channel, timeout: Duration) -> EventLoopFuture<Void> {
        let loop = channel.eventLoop
        let handshake = Handshake(host: endpoint.host, timeout: timeout, promise: loop.makePromise())
        do {
            let policy = endpoint.policy
            let host = endpoint.host
            let handler = try NIOSSLClientHandler(
                context: try sharedContext(), serverHostname: endpoint.serverName,
                customVerificationCallback: { certificates, promise in
                    Task {
                        let chain = certificates.map { (try? $0.toDERBytes()) ?? [] }
                        let verdict = await policy.judge(chain: chain, host: host)
                        loop.execute {
                            if case .rejected(let reason) = verdict { handshake.rejection = reason }
                            promise.succeed(verdict.isAccepted ? .certificateVerified : .failed)
                        }
                    }
                })
            try channel.pipeline.syncOperations.addHandler(handshake, position: .first)
            try channel.pipeline.syncOperations.addHandler(handler, position: .first)
        } catch {
            handshake.fail(error)
        }
        return handshake.promise.futureResult.flatMapError { error in
            channel.close().flatMapThrowing { throw error }.flatMapErrorThrowing { _ in throw error }
        }
    }

    // Hostname and chain are checked by the callback, which replaces the library's own verification; its roots would be
    // loaded for nothing.
    private func sharedContext() throws -> NIOSSLContext {
        try context.withLock { context in
            if let context { return context }
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.certificateVerification = .noHostnameVerification
            configuration.trustRoots = .certificates([])
            configuration.minimumTLSVersion = .tlsv12
            configuration.applicationProtocols = ["http/1.1"]
            let made = try NIOSSLContext(configuration: configuration)
            context = made
            return made
        }
    }
}
