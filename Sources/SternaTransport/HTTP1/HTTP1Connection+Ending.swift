import HTTPTypes
import NIOCore
import SternaCore
import SternaSecurity
import Synchronization

/// Ends exchanges and the connection.
extension HTTP1Connection {
    func finish(_ trailers: HTTPFields?) {
        guard let exchange, let head else { return }
        let hasSentAll = held == nil && writer?.hasHandedAll != false && isDrained(exchange.request)
        let isReusable = parser.isPersistent && !closesBehind && !parser.hasLeftover && !isClosing && hasSentAll
        if parser.isHeadRequest, parser.hasLeftover { endpoint.headConduct.withLock { $0.sentContent() } }
        let body = collected
        let pipe = pipe
        if exchange.recorder != nil { noteEnd(exchange) }
        detach()
        // The connection is released before the caller wakes, so that the caller's next request finds it.
        if isReusable {
            if readsAreLarge { useLargeReads(false) }
            if parser.isHeadRequest { releaseAfterHead() } else { shard.release(self) }
        } else if hasSentAll, !endpoint.isPermitWanted {
            close()
        } else {
            abort()
        }
        if let pipe {
            exchange.end(pipe, .success(trailers))
        } else {
            let body = ResponseBody(body ?? Bytes(), trailers: trailers)
            shard.reply(to: exchange, head.response(from: exchange.request.url, body: body))
        }
    }

    // A response may arrive before the end of the body has left; the next request would have to wait for it.
    private func isDrained(_ request: Request) -> Bool {
        request.body == nil || context?.channel.unwrittenBytes ?? 0 == 0
    }

    func detach() {
        shard.loop.assertInEventLoop()
        if let exchange {
            shard.remove(exchange)
            exchange.codec = nil
            if !exchange.isPending { exchange.call?.end(exchange) }
        }
        exchange = nil
        head = nil
        collected = nil
        pipe = nil
        writer?.stop()
        writer = nil
        held = nil
        if drain != nil { endDrain() }
        continueTimer?.cancel()
        continueTimer = nil
        if readIsHeld {
            readIsHeld = false
            context?.read()
        }
    }

    /// Ends the exchange with an error and closes the connection.
    func end(with error: SternaError) {
        let exchange = exchange
        let pipe = pipe
        let head = head
        if exchange?.recorder != nil { noteFailure() }
        detach()
        abort()
        guard let exchange else { return }
        var error = exchange.complete(error)
        error.response = head?.response(from: exchange.request.url, body: ResponseBody())
        if head == nil, exchangeCount == 1 { error.isOfFirstResponse = true }
        if let pipe { exchange.end(pipe, .failure(error)) } else { exchange.fail(error) }
    }

    /// Closes the connection for good.
    func close() {
        shard.loop.assertInEventLoop()
        guard !isClosing else { return }
        state.beginClosing()
        endRest()
        context?.close(promise: nil)
    }

    // An orderly TLS close would first write the remaining bytes, and then read for up to half a second what the peer still sends.
    func abort(evenIfClosing: Bool = false) {
        shard.loop.assertInEventLoop()
        guard !isClosing || evenIfClosing else { return }
        state.beginClosing()
        endRest()
        (tlsContext ?? context)?.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The end of the connection follows and shows whether the response is complete.
        if TLSFault.isUncleanEnd(error), !endpoint.policy.tls.requiresCloseNotify { return }
        if !lost(because: error) { close() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if let event = parser.finish(), case .end(let trailers) = event, exchange != nil {
            state.beginClosing()
            finish(trailers)
        } else {
            _ = lost(because: nil)
        }
        channelIsGone()
        context.fireChannelInactive()
    }

    /// Handles the loss of the connection during an exchange: resends the request if that is safe, otherwise fails it.
    private func lost(because cause: (any Error)?) -> Bool {
        guard let exchange, !isClosing else { return false }
        let sinceResponse = exchangeCount > 1 ? shard.clock.now - previousEnd : nil
        if !parser.hasReceived, exchangeCount > 1 || hasStoodIdle, exchange.mayRepeat(sinceResponse: sinceResponse) {
            detach()
            close()
            shard.resubmit(exchange, because: .staleConnection)
            return true
        }
        fail(
            TLSFault.late(parser.hasReceived ? nil : cause, host: endpoint.host)
                ?? TLSFault.broken(cause, host: endpoint.host)
                ?? LostConnection.error(
                    cause, hasHead: head != nil, hasReceived: parser.hasReceived, isWriting: writer != nil)
        )
        return true
    }
}
