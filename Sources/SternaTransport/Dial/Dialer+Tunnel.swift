import NIOCore
import SternaCore
import SternaSecurity

/// Reaching the server through a proxy.
extension Dialer {
    /// Has the proxy reach the server, where there is one that does not forward requests itself.
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
            dial.tell { $0.proxyConnected($1, proxy: proxy.description, answer: answer) }
        }
    }

    // What goes wrong with the proxy's own TLS is the proxy's, whatever it is.
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

    /// Has the proxy reach the server on a connection of its own; gives its answer to CONNECT.
    func negotiate(
        _ proxy: Proxy, _ dial: Dial, _ channel: any Channel, within limit: StepLimit
    ) -> EventLoopFuture<Response?> {
        let promise = channel.eventLoop.makePromise(of: Response?.self)
        do {
            guard channel.isActive else {
                throw SternaError(.proxyFailed, phase: .proxy, "The proxy \(proxy) closed the connection at once.")
            }
            let negotiation: TunnelHandler.Negotiation
            if proxy.kind == .socks5 {
                negotiation = .socks(
                    try SOCKS5Handshake(
                        host: dial.endpoint.host, port: dial.endpoint.origin.port, username: proxy.username,
                        password: proxy.password))
            } else {
                negotiation = .connect(
                    ConnectHandshake(
                        through: proxy, to: dial.endpoint, limits: options.limits))
            }
            let handler = TunnelHandler(negotiation, proxy: proxy, limit: limit, promise: promise)
            try channel.addBeforeConnection(handler)
        } catch {
            promise.fail(error)
        }
        return promise.futureResult
    }
}

extension Channel {
    /// Adds a handler next to the connection's, which is last where there is one; called on the event loop.
    func addBeforeConnection(_ handler: any ChannelHandler & Sendable) throws {
        let pipeline = pipeline.syncOperations
        if let connection = try? pipeline.handler(type: HTTP1Connection.self) {
            try pipeline.addHandler(handler, position: .before(connection))
        } else {
            try pipeline.addHandler(handler, position: .last)
        }
    }
}
