import NIOCore
import NIOHTTP2
import NIOSSL
import SternaCore
import SternaSecurity

/// Opens tunnels that share a connection to the proxy.
extension Dialer {
    /// The maximum number of requests for one tunnel if streams are refused, reset or lost without a response.
    private static let mostTries = 3

    /// Reaches the server through a stream of a shared connection if the proxy speaks HTTP/2, otherwise through a separate
    /// connection.
    func reach(
        _ dial: Dial, by key: ProxyConnections.Key, tries: Int = 0, waitingUntil patience: NIODeadline? = nil
    ) -> EventLoopFuture<any Channel> {
        let (shard, registry) = (dial.shard, dial.shard.proxyConnections)
        guard !dial.isCancelled else {
            return shard.loop.makeFailedFuture(SternaError.cancelled(phase: dial.phase))
        }
        if let connection = registry.usable(key) {
            let limit = StepLimit(dial.timeouts.proxy, by: options.clock)
            return ask(connection, dial, within: limit, tries: tries)
        }
        // A dial that has waited for the connect timeout stops waiting and connects by itself.
        let patience = patience ?? options.clock.now + dial.timeouts.amounts.connect
        if registry.isDialling(key), patience > options.clock.now {
            return waitForDial(dial, key, until: patience).flatMap {
                self.reach(dial, by: key, tries: tries, waitingUntil: patience)
            }
        }
        dial.timeline.forgetConnection()
        let lead = registry.lead(key)
        let limits = options.limits
        return connect(dial, timeouts: dial.timeouts) { channel in
            try channel.pipeline.syncOperations.addHandler(
                HTTP1Connection(endpoint: dial.endpoint, shard: shard, limits: limits))
        }.flatMapErrorThrowing { error in
            registry.ended(lead, Self.isForAll(error, dial))
            throw error
        }.flatMap { channel in
            dial.phase = .proxy
            let limit = StepLimit(dial.timeouts.proxy, by: shard.clock)
            return self.agree(on: key, dial, channel, within: limit, tries: tries, lead)
        }
    }

    // The leading dial may have shorter limits than the waiting dials, may be cancelled, or may have another target.
    private static func isForAll(_ error: any Error, _ dial: Dial) -> SternaError? {
        guard !dial.isCancelled, let error = error as? SternaError else { return nil }
        return [.cancelled, .timedOut, .addressRefused].contains(error.kind) ? nil : error
    }

    private func agree(
        on key: ProxyConnections.Key, _ dial: Dial, _ channel: any Channel, within limit: StepLimit, tries: Int,
        _ lead: ProxyConnections.Lead?
    ) -> EventLoopFuture<any Channel> {
        let (shard, registry) = (dial.shard, dial.shard.proxyConnections)
        let rotation = key.policy.rotatingIdentity?.current
        return securely(
            key.proxy, dial.endpoint, channel, within: limit, offering: registry.applicationProtocols(key)
        ).flatMapErrorThrowing { error in
            channel.close(promise: nil)
            registry.ended(lead, Self.isForAll(error, dial))
            throw error
        }.flatMap { secured -> EventLoopFuture<any Channel> in
            registry.chose(key, http2: secured?.protocol == "h2")
            if secured?.protocol != "h2" { dial.endpoint.tunnelShards.spread(key) }
            guard secured?.protocol == "h2" else {
                // The following steps concern only this dial.
                registry.ended(lead)
                return self.negotiate(key.proxy, dial, channel, within: limit).map {
                    self.reached(dial, key, channel, $0)
                }
                .flatMapError { error in
                    channel.close(promise: nil)
                    guard error is TunnelHandler.ConnectionSpent, !dial.isCancelled else {
                        return shard.loop.makeFailedFuture(error)
                    }
                    return self.reach(dial, by: key, tries: tries)
                }
            }
            do {
                let connection = try self.share(channel, key, rotation, dial)
                connection.onReady { registry.ended(lead) }
                return self.ask(connection, dial, within: limit, tries: tries)
            } catch {
                channel.close(promise: nil)
                registry.ended(lead)
                return channel.eventLoop.makeFailedFuture(error)
            }
        }
    }

    /// Turns a channel on which the proxy speaks HTTP/2 into a connection that tunnels share.
    private func share(
        _ channel: any Channel, _ key: ProxyConnections.Key, _ rotation: ClientIdentity?, _ dial: Dial
    ) throws -> ProxyConnection {
        let pipeline = channel.pipeline.syncOperations
        let http1 = try pipeline.handler(type: HTTP1Connection.self)
        let watch = GoAwayWatch()
        // Only the client opens tunnels.
        let multiplexer = HTTP2StreamMultiplexer(
            mode: .client, channel: channel, targetWindowSize: ProxyConnection.tunnelWindow,
            outboundBufferSizeHighWatermark: 128 << 10, outboundBufferSizeLowWatermark: 64 << 10,
            inboundStreamInitializer: { $0.eventLoop.makeFailedFuture(ChannelError.operationUnsupported) })
        let connection = ProxyConnection(
            key, rotation: rotation, in: dial.shard.proxyConnections, watch: watch, multiplexer: multiplexer,
            idleTimeout: dial.shard.idleTimeout, life: ConnectionLife(options, from: options.clock.now),
            clock: options.clock)
        let gatherer = WriteGatherer(isTLS: true)
        try pipeline.addHandler(connection, position: .before(http1))
        try pipeline.addHandler(gatherer, position: .before(connection))
        try pipeline.addHandler(multiplexer, position: .after(gatherer))
        try pipeline.addHandler(TunnelFrameFilter(), position: .after(gatherer))
        let meter = FrameMeter(options.limits, by: options.clock)
        watch.meter = meter
        try add(frames(watch), window: ProxyConnection.initialWindow, behind: gatherer, meter, to: pipeline)
        pipeline.removeHandler(http1, promise: nil)
        connection.tlsContext = try? pipeline.context(handlerType: NIOSSLClientHandler.self)
        connection.openWindow()
        dial.shard.proxyConnections.add(connection)
        dial.letGo()
        return connection
    }

    private func ask(
        _ connection: ProxyConnection, _ dial: Dial, within limit: StepLimit, tries: Int
    ) -> EventLoopFuture<any Channel> {
        let (endpoint, key, loop) = (dial.endpoint, connection.key, dial.shard.loop)
        let limits = options.limits
        dial.phase = .proxy
        if dial.timeline.connected == nil || tries > 0 {
            dial.timeline.connected = dial.shard.clock.now
            dial.timeline.remoteAddress = connection.remoteAddress?.numericText
            dial.timeline.localAddress = connection.localAddress?.numericText
        }
        do throws(SternaError) {
            try judgeTarget(endpoint)
        } catch {
            return loop.makeFailedFuture(error)
        }
        let time = limit.left
        return authorization(for: dial, key.proxy).flatMap { authorization -> EventLoopFuture<any Channel> in
            // The connection may have closed or filled up while the credentials were created.
            if endpoint.proxyAuthentication != nil, !connection.hasRoom, tries + 1 < Self.mostTries {
                return self.reach(dial, by: key, tries: tries + 1)
            }
            let handshake = ConnectHandshake(
                through: key.proxy, to: endpoint, authorization: authorization, limits: limits)
            guard handshake.fitsInFrame else {
                return loop.makeFailedFuture(
                    SternaError(
                        .limitExceeded, phase: .proxy,
                        "The server's name, or the proxy's credentials, are too long for the proxy \(key.proxy) over HTTP/2."
                    ))
            }
            return self.open(connection, handshake, dial, within: limit.again(time), tries: tries)
        }
    }

    private func open(
        _ connection: ProxyConnection, _ handshake: ConnectHandshake, _ dial: Dial, within limit: StepLimit, tries: Int
    ) -> EventLoopFuture<any Channel> {
        let (endpoint, shard, key) = (dial.endpoint, dial.shard, connection.key)
        let (loop, limits) = (shard.loop, options.limits)
        let stream = TunnelStream(handshake, limits: limits, limit: limit, promise: loop.makePromise())
        return connection.open(stream, dial.track).flatMapThrowing { channel in
            try channel.pipeline.syncOperations.addHandler(
                HTTP1Connection(endpoint: endpoint, shard: shard, limits: limits))
            channel.activate()
            return self.reached(dial, key, channel, stream.answer)
        }.flatMapError { error in
            if let refusal = self.challenge(error, to: dial) {
                return self.answer(refusal, dial, key.proxy).flatMap { self.reach(dial, by: key, tries: tries) }
            }
            if let error = error as? TunnelStream.Unanswered {
                return self.askAgain(error, on: connection, dial, tries: tries)
            }
            // A proxy that is silent for one tunnel would be silent for others.
            if (error as? SternaError)?.kind == .timedOut, !dial.isCancelled { connection.retire() }
            return loop.makeFailedFuture(error)
        }
    }

    // Retries a tunnel that the proxy has not processed, or may have missed because it was about to close the connection.
    private func askAgain(
        _ error: TunnelStream.Unanswered, on connection: ProxyConnection, _ dial: Dial, tries: Int
    ) -> EventLoopFuture<any Channel> {
        let key = connection.key
        guard !dial.isCancelled else {
            return dial.shard.loop.makeFailedFuture(SternaError.cancelled(phase: .proxy))
        }
        let code = (error.cause as? NIOHTTP2Errors.StreamClosed)?.errorCode
        let isRefused = code == .refusedStream || code == .http11Required || connection.hasGoneAway
        if code == .http11Required { dial.shard.proxyConnections.requiresHTTP1(key) }
        if code == nil || isRefused { connection.retire() }
        if tries + 1 < Self.mostTries, isRefused || code == nil && connection.tunnelCount > 1 {
            return reach(dial, by: key, tries: tries + 1)
        }
        let why = code.map { "reset the stream (\($0.name))" } ?? "closed the connection"
        return dial.shard.loop.makeFailedFuture(
            SternaError(
                .proxyFailed, phase: .proxy, "The proxy \(key.proxy) \(why) before it reached the server."))
    }

    private func reached(
        _ dial: Dial, _ key: ProxyConnections.Key, _ channel: any Channel, _ answer: Response?
    ) -> any Channel {
        accepted(dial)
        dial.timeline.proxied = dial.shard.clock.now
        dial.post(.proxyConnected(proxy: key.proxy.description, response: answer))
        return channel
    }

    private func waitForDial(
        _ dial: Dial, _ key: ProxyConnections.Key, until patience: NIODeadline
    ) -> EventLoopFuture<Void> {
        let loop = dial.shard.loop
        let promise = loop.makePromise(of: Void.self)
        dial.phase = .connect
        dial.shard.proxyConnections.wait(for: key, promise)
        let timer = options.clock.schedule(at: patience, on: loop) { promise.succeed(()) }
        dial.whenCancelled { promise.fail(SternaError.cancelled(phase: .connect)) }
        return promise.futureResult.always { _ in
            timer.cancel()
            dial.whenCancelled(nil)
        }
    }
}
