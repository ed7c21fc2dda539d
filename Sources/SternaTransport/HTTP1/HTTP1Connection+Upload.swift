import HTTPTypes
import NIOCore
import SternaCore

/// A request's body in HTTP/1's framing (RFC 9112, 6 and 7).
extension HTTP1Connection {
    /// Writes the head and a small body in one piece.
    func writeWhole(_ bytes: Bytes, behind head: Bytes, to context: ChannelHandlerContext) {
        var message = head
        message.writeImmutableBuffer(bytes)
        guard hasUploadObserver else {
            throughput.sent += bytes.readableBytes
            context.writeAndFlush(wrapOutboundOut(message), promise: nil)
            return
        }
        let promise = shard.loop.makePromise(of: Void.self)
        let (count, number) = (bytes.readableBytes, exchangeCount)
        promise.futureResult.assumeIsolated().whenSuccess { [weak self] in
            self?.bodyAdvanced(by: count, ofExchange: number)
        }
        context.writeAndFlush(wrapOutboundOut(message), promise: promise)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { writer?.advance() }
        context.fireChannelWritabilityChanged()
    }

    func writeFramed(_ piece: BodyPiece, _ promise: EventLoopPromise<Void>) {
        guard let context else { return promise.fail(ChannelError.ioOnClosedChannel) }
        if isChunked {
            var line = Bytes()
            line.writeString(String(piece.count, radix: 16))
            line.writeStaticString("\r\n")
            throughput.sent += line.readableBytes + 2
            context.write(wrapOutboundOut(line), promise: nil)
        }
        switch piece {
        case .bytes(let bytes): context.write(NIOAny(bytes), promise: promise)
        case .region(let region): context.write(NIOAny(region), promise: promise)
        }
        if isChunked { context.write(NIOAny(Bytes(staticString: "\r\n")), promise: nil) }
    }

    func writeEnd(_ trailers: HTTPFields?) throws(SternaError) {
        guard isChunked else { return }
        let end = try Self.lastChunk(trailers ?? [:])
        throughput.sent += end.readableBytes
        context?.write(wrapOutboundOut(end), promise: nil)
    }

    static func lastChunk(_ trailers: HTTPFields) throws(SternaError) -> Bytes {
        try TrailerFields.check(trailers)
        var lines = Bytes(staticString: "0\r\n")
        for field in trailers { lines.writeString("\(field.name.rawName): \(field.value)\r\n") }
        lines.writeStaticString("\r\n")
        return lines
    }
}
