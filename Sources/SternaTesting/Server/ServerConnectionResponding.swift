import NIOCore
import NIOHTTP1

extension ServerConnectionHandler {
    /// Runs the request's route and writes its response.
    func dispatch(_ request: ServerRequest, identifier: Int, context: ChannelHandlerContext) {
        switch core.respond(to: request) {
        case .ready(let response):
            respond(response, identifier)
        case .pending(let work):
            let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
            let loop = context.eventLoop
            exchange?.task = Task {
                let response = await work()
                loop.execute { bound.value.respond(response, identifier) }
            }
        }
    }

    /// Writes a response unless its exchange has already ended.
    private func respond(_ routed: ServerResponse, _ identifier: Int) {
        guard let exchange, exchange.identifier == identifier, !exchange.responseStarted, let context else { return }
        exchange.responseStarted = true
        var response = routed
        if let upgrade = routed.upgrade {
            let request = exchange.request
            let offer = ServerUpgrade.Offer(
                method: request.method, headers: request.headers, version: request.version,
                hasBody: exchange.pipe != nil, isConnect: false)
            switch upgrade.answer(offer) {
            case .accepted(let headers, let run): return switchProtocol(headers, context: context, run)
            case .refused(let refusal): response = refusal
            }
        }
        if case .raw(let play) = response.body { return takeOver(exchange, context: context, play) }
        let closes = response.headers.hasToken("close", in: "Connection")
        if closes || !canDiscardRest(of: exchange) { exchange.keepAlive = false }
        let status = (200...599).contains(response.status) ? response.status : 500
        let bodyless = status == 204 || status == 304
        var buffer = context.channel.allocator.buffer(capacity: 512)
        switch response.body.written {
        case .empty, .raw, .content:
            writeHead(response, status, bodyless ? .none : .length(0), exchange, to: &buffer)
            finish(writing: buffer, exchange, context: context)
        case .bytes(let bytes):
            writeHead(response, status, bodyless ? .none : .length(bytes.count), exchange, to: &buffer)
            if !bodyless && exchange.head.method != .HEAD { buffer.writeBytes(bytes) }
            finish(writing: buffer, exchange, context: context)
        case .stream(let length, let write):
            var framing = length.map { ResponseHead.Framing.length($0) } ?? .chunked
            if length == nil && exchange.isHTTP10 {
                framing = .untilClose
                exchange.keepAlive = false
            }
            writeHead(response, status, bodyless ? .none : framing, exchange, to: &buffer)
            if bodyless || exchange.head.method == .HEAD {
                finish(writing: buffer, exchange, context: context)
            } else {
                context.writeAndFlush(Self.wrapOutboundOut(buffer), promise: nil)
                stream(write, length: length, trailers: response.trailers, exchange, context: context)
            }
        }
    }

    /// Writes an interim response, unless the exchange's final one has begun.
    func inform(_ status: Int, _ headers: ServerHeaders, _ identifier: Int, _ promise: EventLoopPromise<Void>) {
        guard let exchange, exchange.identifier == identifier, !exchange.responseStarted, let context else {
            return promise.fail(ChannelError.ioOnClosedChannel)
        }
        var text = "HTTP/1.1 \(status) \(status == 104 ? "Upload Resumption Supported" : "Interim")\r\n"
        for field in headers {
            text += "\(ResponseHead.cleaned(field.name)): \(ResponseHead.cleaned(field.value))\r\n"
        }
        context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer(string: text + "\r\n")), promise: promise)
    }

    private func writeHead(
        _ response: ServerResponse, _ status: Int, _ framing: ResponseHead.Framing, _ exchange: ServerExchange,
        to buffer: inout ByteBuffer
    ) {
        ResponseHead(
            status: status, reason: response.reason, headers: response.headers, framing: framing,
            keepAlive: exchange.keepAlive, isHTTP10: exchange.isHTTP10
        ).write(to: &buffer)
    }

    private func canDiscardRest(of exchange: ServerExchange) -> Bool {
        if exchange.requestEnded { return true }
        if exchange.expectsContinue { return false }
        guard let declared = exchange.declaredLength else { return true }
        return declared - exchange.received <= Self.discardLimit
    }

    private func stream(
        _ write: @escaping @Sendable (ServerBodyWriter) async throws -> Void, length: Int?, trailers: ServerHeaders,
        _ exchange: ServerExchange, context: ChannelHandlerContext
    ) {
        let chunked = length == nil && !exchange.isHTTP10
        let writer = ServerBodyWriter(.channel(context.channel, anchor, isChunked: chunked), length: length)
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        let loop = context.eventLoop
        let identifier = exchange.identifier
        let work: @Sendable () async -> Void = {
            let isComplete = await Self.ran(write, writer)
            loop.execute {
                let handler = bound.value
                guard let exchange = handler.exchange, exchange.identifier == identifier, let context = handler.context
                else { return }
                // A partial body must not look like a complete one, so the connection ends with it.
                guard isComplete else { return context.close(promise: nil) }
                var buffer = ByteBuffer()
                if chunked { Self.writeLastChunk(trailers, to: &buffer) }
                handler.finish(writing: buffer, exchange, context: context)
            }
        }
        exchange.task = Task(operation: work)
    }

    /// Runs a body's writer; returns whether the whole body was written.
    private static func ran(
        _ write: @Sendable (ServerBodyWriter) async throws -> Void, _ writer: ServerBodyWriter
    ) async -> Bool {
        do { try await write(writer) } catch { return false }
        return writer.isComplete
    }

    private static func writeLastChunk(_ trailers: ServerHeaders, to buffer: inout ByteBuffer) {
        buffer.writeStaticString("0\r\n")
        for field in trailers {
            buffer.writeString("\(ResponseHead.cleaned(field.name)): \(ResponseHead.cleaned(field.value))\r\n")
        }
        buffer.writeStaticString("\r\n")
    }

    /// Writes the response's last bytes; the exchange ends once a slow client has accepted them.
    private func finish(writing buffer: ByteBuffer, _ exchange: ServerExchange, context: ChannelHandlerContext) {
        if exchange.keepAlive && context.channel.isWritable && buffer.readableBytes < 64 << 10 {
            context.writeAndFlush(Self.wrapOutboundOut(buffer), promise: nil)
            return responseEnded(exchange, context: context)
        }
        let promise = context.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        let identifier = exchange.identifier
        promise.futureResult.whenSuccess {
            let handler = bound.value
            guard let exchange = handler.exchange, exchange.identifier == identifier, let context = handler.context
            else { return }
            handler.responseEnded(exchange, context: context)
        }
        context.writeAndFlush(Self.wrapOutboundOut(buffer), promise: promise)
    }

    private func responseEnded(_ exchange: ServerExchange, context: ChannelHandlerContext) {
        exchange.responseEnded = true
        if exchange.requestEnded {
            if exchange.keepAlive { nextRequest() } else { context.close(promise: nil) }
        } else if !exchange.keepAlive {
            linger()
        } else {
            exchange.discarding = true
            exchange.pipe?.fail()
            resumeReading()
        }
    }

    private func takeOver(
        _ exchange: ServerExchange, context: ChannelHandlerContext,
        _ play: @escaping @Sendable (ServerRawConnection) async throws -> Void
    ) {
        exchange.keepAlive = false
        exchange.discarding = true
        let raw = ServerRawConnection(channel: context.channel, anchor: anchor)
        resumeReading()
        exchange.task = Task {
            try? await play(raw)
            await raw.close()
        }
    }
}
