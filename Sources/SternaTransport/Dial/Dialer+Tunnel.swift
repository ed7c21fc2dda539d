import NIOCore
import SternaCore
import SternaSecurity

/// Reaches the server through a proxy.
extension Dialer {
    /// Connects a channel to the endpoint, through its proxy if it has one.
    func reach(
        _ dial: Dial, _ initialize: @escaping @Sendable (any Channel) throws -> Void
    ) -> EventLoopFuture<any Channel> {
        connect(dial, timeouts: dial.timeouts, initialize).flatMap { channel in
            self.tunnel(dial, over: channel).map { channel }
        }.flatMapError { error in
            guard error is TunnelHandler.ConnectionSpent, !dial.isCancelled else {
                return dial.shard.loop.makeFailedFuture(error)
            }
            dial.timeline.forgetConnection()
            return self.reach(dial, initialize)
        }
    }

    /// Has the proxy connect to the server, unless the proxy forwards requests itself or there is none.
    func tunnel(_ dial: Dial, over channel: any Channel) -> EventLoopFuture<Void> {
        let endpoint = dial.endpoint
        guard case .proxy(let proxy) = endpoint.route else { return channel.eventLoop.makeSucceededVoidFuture() }
        dial.phase = .proxy
        let limit = StepLimit(dial.timeouts.proxy, by: options.clock)
        return securely(proxy, endpoint, channel, within: limit, offering: ["http/1.1"]).flatMap { _ in
            endpoint.forwarding == nil
                ? self.negotiate(proxy, dial, channel, within: limit) : channel.eventLoop.makeSucceededFuture(nil)
        }.flatMapErrorThrowing { error in
            channel.close(promise: nil)
            throw error
        }.map { answer in
            dial.timeline.proxied = dial.shard.clock.now
            dial.post(.proxyConnected(proxy: proxy.description, response: answer))
        }
    }

    // Any failure of the proxy's own TLS handshake is an error of the proxy.
    func securely(
        _ proxy: Proxy, _ endpoint: Endpoint, _ channel: any Channel, within limit: StepLimit,
        offering protocols: [String]
    ) -> EventLoopFuture<Secured?> {
        guard proxy.kind == .https else { return channel.eventLoop.makeSucceededFuture(nil) }
        let policy = endpoint.proxyPolicy
        return secure(channel, TLSPeer(proxy: proxy, policy: policy, offering: protocols), within: limit) { chain in
            await policy.decide(chain: chain, host: proxy.host, port: proxy.port)
        }.map { $0 }.flatMapErrorThrowing { error in
            guard var error = error as? SternaError else { throw error }
            error.phase = .proxy
            throw error
        }
    }

    /// Has the proxy connect to the server on a separate connection; returns the proxy's response to CONNECT.
    ///
    /// Fails with `ConnectionSpent` if the proxy must be asked again on another connection.
    func negotiate(
        _ proxy: Proxy, _ dial: Dial, _ channel: any Channel, within limit: StepLimit
    ) -> EventLoopFuture<Response?> {
        let loop = channel.eventLoop
        let handler = TunnelHandler(proxy: proxy, limit: limit)
        do {
            guard channel.isActive else {
                throw SternaError(.proxyFailed, phase: .proxy, "The proxy \(proxy) closed the connection at once.")
            }
            guard proxy.kind == .socks5 else {
                try channel.addBeforeConnection(handler)
                return ask(proxy, dial, handler, within: limit)
            }
            let handshake = try SOCKS5Handshake(
                host: dial.endpoint.host, port: dial.endpoint.origin.port, username: proxy.username,
                password: proxy.password)
            try channel.addBeforeConnection(handler)
            return handler.ask(.socks(handshake), within: limit, on: loop)
        } catch {
            return loop.makeFailedFuture(error)
        }
    }

    /// Requests a tunnel, and repeats the request if the proxy challenges it and credentials are available. The time that user code
    /// takes to provide them does not count against the limit.
    private func ask(
        _ proxy: Proxy, _ dial: Dial, _ handler: TunnelHandler, within limit: StepLimit
    ) -> EventLoopFuture<Response?> {
        let loop = dial.shard.loop
        let time = limit.left
        return authorization(for: dial, proxy).flatMap { authorization in
            let limit = limit.again(time)
            let handshake = ConnectHandshake(
                through: proxy, to: dial.endpoint, authorization: authorization, limits: self.options.limits,
                answers: dial.endpoint.proxyAuthentication.map { $0.hasAuthenticator ? .all : .digest } ?? .none)
            return handler.ask(.connect(handshake), within: limit, on: loop).map { answer in
                self.accepted(dial)
                return answer
            }.flatMapError { error in
                guard let refusal = self.challenge(error, to: dial) else { return loop.makeFailedFuture(error) }
                let time = limit.left
                if !handler.takesAnother { handler.close() }
                return self.answer(refusal, dial, proxy).flatMap {
                    guard handler.takesAnother else {
                        return loop.makeFailedFuture(TunnelHandler.ConnectionSpent())
                    }
                    return self.ask(proxy, dial, handler, within: limit.again(time))
                }
            }
        }
    }
}

extension Channel {
    /// Adds a handler before the connection's handler, which is last if present; called on the event loop.
    func addBeforeConnection(_ handler: any ChannelHandler & Sendable) throws {
        let pipeline = pipeline.syncOperations
        if let connection = try? pipeline.handler(type: HTTP1Connection.self) {
            try pipeline.addHandler(handler, position: .before(connection))
        } else {
            try pipeline.addHandler(handler, position: .last)
        }
    }
}
