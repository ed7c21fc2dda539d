import NIOCore
import NIOHPACK
import NIOHTTP2

extension HTTP2StreamHandler {
    /// Passes the request to its route and writes the response.
    func answer(_ request: ServerRequest) {
        switch connection.core.respond(to: request) {
        case .ready(let response):
            respond(response)
        case .pending(let work):
            guard let loop = context?.eventLoop else { return }
            let bound = NIOLoopBound(self, eventLoop: loop)
            task = Task {
                let response = await work()
                loop.execute { bound.value.respond(response) }
            }
        }
    }

    /// Writes a response unless the stream has already ended.
    private func respond(_ response: ServerResponse) {
        guard !responseStarted, context != nil else { return }
        responseStarted = true
        if let reset = response.reset { return self.reset(reset) }
        let status = (200...599).contains(response.status) ? response.status : 500
        let isBodyless = status == 204 || status == 304
        let sendsBody = !isBodyless && method != "HEAD"
        func head(_ length: Int?) -> HPACKHeaders {
            HPACKHeaders(status: status, fields: response.headers, length: isBodyless ? nil : length)
        }
        switch response.body.written {
        case .raw(let play):
            takeOver(play)
        case .empty, .content:
            finish(head(0), [])
        case .bytes(let bytes):
            finish(head(bytes.count), sendsBody ? bytes : [])
        case .stream(let length, let write):
            guard sendsBody else { return finish(head(length), []) }
            send(head(length), endStream: false)
            stream(write, length: length, trailers: response.trailers)
        }
    }

    /// Sends an interim response, unless the final one has begun.
    func inform(_ status: Int, _ headers: ServerHeaders, _ promise: EventLoopPromise<Void>) {
        guard !responseStarted, context != nil else { return promise.fail(ChannelError.ioOnClosedChannel) }
        send(HPACKHeaders(status: status, fields: headers, length: nil), endStream: false, promise: promise)
    }

    private func finish(_ head: HPACKHeaders, _ body: [UInt8]) {
        guard let promise = lastPromise() else { return }
        if body.isEmpty {
            send(head, endStream: true, promise: promise)
        } else {
            send(head, endStream: false)
            sendLast(ByteBuffer(bytes: body), promise: promise)
        }
    }

    private func stream(
        _ write: @escaping @Sendable (ServerBodyWriter) async throws -> Void, length: Int?, trailers: ServerHeaders
    ) {
        guard let context else { return }
        let writer = ServerBodyWriter(.channel(context.channel, connection.anchor, isChunked: false), length: length)
        let loop = context.eventLoop
        let bound = NIOLoopBound(self, eventLoop: loop)
        task = Task {
            var fault: ServerStreamReset?
            do {
                try await write(writer)
                // A partial body must not look like a complete one.
                if !writer.isComplete { fault = .internalError }
            } catch {
                fault = error as? ServerStreamReset ?? .internalError
            }
            loop.execute { [fault] in
                let handler = bound.value
                if let fault { return handler.reset(fault) }
                guard let promise = handler.lastPromise() else { return }
                if length != nil || trailers.fields.isEmpty {
                    handler.sendLast(ByteBuffer(), promise: promise)
                } else {
                    handler.send(HPACKHeaders(trailers: trailers), endStream: true, promise: promise)
                }
            }
        }
    }

    /// Returns the promise of the response's last frame: the response ends once a slow client has accepted it.
    private func lastPromise() -> EventLoopPromise<Void>? {
        guard let loop = context?.eventLoop else { return nil }
        let promise = loop.makePromise(of: Void.self)
        let bound = NIOLoopBound(self, eventLoop: loop)
        promise.futureResult.whenComplete { result in
            switch result {
            case .success: bound.value.responseEnded()
            // The client has closed the stream; no response is needed.
            case .failure(is NIOHTTP2Errors.StreamClosed): break
            case .failure: bound.value.reset(.internalError)
            }
        }
        return promise
    }

    private func responseEnded() {
        guard !requestEnded else { return }
        if canDiscardRest {
            discarding = true
            pipe?.fail()
            resumeReading()
        } else {
            reset(.noError)
        }
    }

    private func takeOver(_ play: @escaping @Sendable (ServerRawConnection) async throws -> Void) {
        guard let channel = context?.channel.parent else { return }
        discarding = true
        resumeReading()
        connection.wire.takeOver()
        let wire = HTTP2Wire.Handle(
            wire: NIOLoopBound(connection.wire, eventLoop: channel.eventLoop), eventLoop: channel.eventLoop,
            stream: UInt32(Int(stream)))
        let raw = ServerRawConnection(channel: channel, anchor: connection.anchor, wire: wire)
        task = Task {
            try? await play(raw)
            await raw.close()
        }
    }
}
