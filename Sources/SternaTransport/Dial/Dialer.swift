import NIOCore
import NIOPosix
import NIOSSL
import SternaCore
import SternaSecurity

/// Opens connections: finds the address, connects, and does the TLS handshake.
final class Dialer: Sendable {
    private let limits: Limits
    private let overrides: [String: [String]]
    private let contexts = TLSContexts()

    init(limits: Limits, overrides: [String: [String]] = [:]) {
        self.limits = limits
        self.overrides = overrides
    }

    /// Opens a connection on the shard's event loop; fails with a `SternaError` within the time-outs.
    func dial(_ dial: Dial, to endpoint: Endpoint, on shard: Shard) -> EventLoopFuture<HTTP1Connection> {
        let timeouts = dial.exchange.request.timeouts
        let limits = limits
        let bootstrap = ClientBootstrap(group: shard.loop)
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .connectTimeout(timeouts.amounts.connect)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    dial.track(channel)
                    let connection = HTTP1Connection(endpoint: endpoint, shard: shard, limits: limits)
                    try channel.pipeline.syncOperations.addHandler(connection)
                }
            }
        return connect(bootstrap, to: endpoint, timeout: timeouts.connect).flatMap { channel in
            let rotation = endpoint.policy.rotatingIdentity?.current
            guard endpoint.isTLS else { return channel.eventLoop.makeSucceededFuture((channel, rotation)) }
            endpoint.pools[shard.index].dialPhase = .tls
            let policy = endpoint.policy
            let (host, port) = (endpoint.host, endpoint.origin.port)
            return self.secure(channel, endpoint, timeout: timeouts.tls) { chain in
                await policy.decide(chain: chain, host: host, port: port)
            }.map { (channel, rotation) }
        }.flatMapThrowing { (channel: any Channel, rotation: ClientIdentity?) in
            let pipeline = channel.pipeline.syncOperations
            let connection = try pipeline.handler(type: HTTP1Connection.self)
            connection.rotation = rotation
            if endpoint.isTLS { connection.tlsContext = try pipeline.context(handlerType: NIOSSLClientHandler.self) }
            return connection
        }
    }

    /// Connects to the first address that answers.
    func connect(
        _ bootstrap: ClientBootstrap, to endpoint: Endpoint, timeout: Duration
    ) -> EventLoopFuture<any Channel> {
        let (host, port) = (endpoint.host, endpoint.origin.port)
        let connected: EventLoopFuture<any Channel>
        if let addresses = overrides["\(host.lowercased()):\(port)"], !addresses.isEmpty {
            connected = connect(bootstrap, to: addresses[...], port: port)
        } else if endpoint.hostIsAddress, let address = try? SocketAddress(ipAddress: host, port: port) {
            connected = bootstrap.connect(to: address)
        } else {
            connected = bootstrap.connect(host: host, port: port)
        }
        return connected.flatMapErrorThrowing { error in
            throw DialFailure.error(error, host: host, port: port, timeout: timeout)
        }
    }

    private func connect(
        _ bootstrap: ClientBootstrap, to addresses: ArraySlice<String>, port: Int
    ) -> EventLoopFuture<any Channel> {
        let first = bootstrap.connect(host: addresses.first ?? "", port: port)
        guard addresses.count > 1 else { return first }
        return first.assumeIsolated().flatMapError { _ in
            self.connect(bootstrap, to: addresses.dropFirst(), port: port)
        }.nonisolated()
    }

    /// Does the TLS handshake on a channel.
    ///
    /// - Parameters:
    ///   - showsIdentity: whether a server that asks for a certificate is shown one.
    ///   - verify: given the certificates that the server presented, in DER.
    func secure(
        _ channel: any Channel, _ endpoint: Endpoint, timeout: Duration, showsIdentity: Bool = true,
        verify: @escaping @Sendable ([[UInt8]]) async -> TrustVerdict
    ) -> EventLoopFuture<Void> {
        let policy = endpoint.policy
        guard showsIdentity, policy.challengeHandler != nil else {
            return shakeHands(channel, endpoint, showsIdentity ? policy.currentIdentity : nil, timeout, verify)
        }
        let (host, port) = (endpoint.host, endpoint.origin.port)
        let loop = channel.eventLoop
        let chosen = loop.makePromise(of: ClientIdentity?.self)
        let asking = Task { try await policy.decideIdentity(host: host, port: port) }
        chosen.completeWithTask { try await asking.value }
        // Whoever is asked may never answer, and the server may go away meanwhile; the first end of a promise counts.
        let timer = loop.scheduleTask(in: TimeAmount(clamping: timeout)) {
            chosen.fail(Handshake.timedOut(host, timeout))
        }
        channel.closeFuture.whenComplete { _ in chosen.fail(TLSFault.handshake(nil, host: host)) }
        chosen.futureResult.whenComplete { _ in
            timer.cancel()
            asking.cancel()
        }
        return chosen.futureResult.flatMapError { error in
            channel.close().flatMapThrowing { throw error }.flatMapErrorThrowing { _ in throw error }
        }.flatMap { self.shakeHands(channel, endpoint, $0, timeout, verify) }
    }

    private func shakeHands(
        _ channel: any Channel, _ endpoint: Endpoint, _ identity: ClientIdentity?, _ timeout: Duration,
        _ verify: @escaping @Sendable ([[UInt8]]) async -> TrustVerdict
    ) -> EventLoopFuture<Void> {
        let handshake = Handshake(host: endpoint.host, timeout: timeout, promise: channel.eventLoop.makePromise())
        begin(handshake, on: channel, endpoint, identity, verify)
        return finish(handshake, on: channel)
    }

    private func begin(
        _ handshake: Handshake, on channel: any Channel, _ endpoint: Endpoint, _ identity: ClientIdentity?,
        _ verify: @escaping @Sendable ([[UInt8]]) async -> TrustVerdict
    ) {
        let loop = channel.eventLoop
        guard channel.isActive else { return handshake.fail(nil) }
        do {
            let handler = try NIOSSLClientHandler(
                context: try contexts.context(endpoint.policy.tls, identity), serverHostname: endpoint.serverName,
                customVerificationCallback: { certificates, promise in
                    handshake.isJudging = true
                    Task {
                        let chain = certificates.map { (try? $0.toDERBytes()) ?? [] }
                        let verdict = await verify(chain)
                        loop.execute {
                            handshake.isJudging = false
                            handshake.rejection = verdict.failure
                            promise.succeed(verdict.isAccepted ? .certificateVerified : .failed)
                        }
                    }
                })
            try channel.pipeline.syncOperations.addHandler(handshake, position: .first)
            try channel.pipeline.syncOperations.addHandler(handler, position: .first)
        } catch {
            handshake.fail(error)
        }
    }

    private func finish(_ handshake: Handshake, on channel: any Channel) -> EventLoopFuture<Void> {
        handshake.promise.futureResult.flatMapError { error in
            channel.close().flatMapThrowing { throw error }.flatMapErrorThrowing { _ in throw error }
        }
    }
}
