import NIOCore
import NIOHPACK
import NIOHTTP2

/// Sends request bodies: no frame exceeds a window, and the streams take turns.
extension HTTP2Connection {
    /// The bytes that are handed on at once, so that a frame is never left between the connection and the network.
    private static let batchBytes = 64 << 10

    /// The length of the head of each frame (RFC 9113, 4.1).
    static let frameHeadBytes = 9

    /// The bytes that may wait for the network before more are handed on.
    private static let waitingBytes = 128 << 10

    /// The water marks of the channel's `isWritable`; the high one is above the number of bytes that ever wait.
    static let watermark = ChannelOptions.Types.WriteBufferWaterMark(low: 64 << 10, high: 512 << 10)

    /// Schedules a stream that has something to send.
    func wantsToSend(_ stream: HTTP2Stream) {
        guard stream.canSend else { return }
        sendQueue.add(stream.id)
        pumpLater()
    }

    /// Resumes sending at the end of this turn of the event loop.
    func pumpLater() {
        if !sendQueue.isEmpty, !isPumping { flushSoon() }
    }

    /// Sends as much as the windows and the network let through.
    func pump() {
        guard !isPumping else { return }
        isPumping = true
        defer { isPumping = false }
        while let context, !isClosing, !sendQueue.isEmpty, sendBatch(context) {}
    }

    // Returns whether there may be more to send.
    private func sendBatch(_ context: ChannelHandlerContext) -> Bool {
        guard context.channel.isWritable else { return false }
        isHeld = context.channel.unwrittenBytes >= Self.waitingBytes
        guard !isHeld else { return false }
        var left = Self.batchBytes
        var fed: [HTTP2Stream] = []
        while left > 0, let id = sendQueue.next() {
            guard let stream = streams[id], stream.canSend else { continue }
            guard let sent = send(of: stream, upTo: left, context) else {
                sendQueue.putBack(id)
                break
            }
            left -= sent
            if stream.canSend { sendQueue.add(id) }
            fed.append(stream)
        }
        guard !fed.isEmpty else { return false }
        flush()
        for stream in fed where stream.hasRoom {
            stream.writer?.advance()
            stream.duplex?.drain()
        }
        return true
    }

    // Sends one frame. Returns nil if a window of the connection or the stream is used up, or if the channel is not writable.
    private func send(of stream: HTTP2Stream, upTo left: Int, _ context: ChannelHandlerContext) -> Int? {
        if stream.pending.isEmpty { return sendEnd(of: stream, context) }
        let limit = min(left, WriteGatherer.frameBytes, sendWindow, stream.sendWindow)
        guard limit > 0, let piece = stream.nextPiece(upTo: limit) else { return nil }
        let count = piece.bytes.readableBytes
        sendWindow -= count
        stream.sendWindow -= count
        meter.budget.sent(count, fillsWindow: count == limit)
        stream.throughput.sent += Self.frameHeadBytes
        let data = HTTP2Frame.FramePayload.Data(data: .byteBuffer(piece.bytes), endStream: piece.isLast)
        let promise = piece.promise ?? shard.loop.makePromise()
        // The channel reports that it is writable again only if it has reported that it is not.
        promise.futureResult.assumeIsolated().whenComplete { [weak self] _ in
            if let self, self.isHeld { self.pumpLater() }
        }
        context.write(wrapOutboundOut(HTTP2Frame(streamID: stream.id, payload: .data(data))), promise: promise)
        if piece.isLast { sentEnd(of: stream) }
        return max(count, 1)
    }

    // Sends only the end. The library must pass an empty frame on at once: it ends the process if the window sinks below zero while
    // an empty frame waits there.
    private func sendEnd(of stream: HTTP2Stream, _ context: ChannelHandlerContext) -> Int? {
        // Windows do not count fields. So a section without any fields ends the body even if the connection's window is used
        // up.
        if let trailers = stream.trailers ?? (sendWindow <= 0 ? HPACKHeaders() : nil) {
            flush()
            guard stream.isOpen else { return nil }
            let section = HTTP2Frame.FramePayload.Headers(headers: trailers, endStream: true)
            sending = stream
            context.write(wrapOutboundOut(HTTP2Frame(streamID: stream.id, payload: .headers(section))), promise: nil)
            sending = nil
        } else {
            guard stream.sendWindow >= 0 else { return nil }
            flush()
            guard stream.isOpen, context.channel.isWritable else { return nil }
            let data = HTTP2Frame.FramePayload.Data(data: .byteBuffer(ByteBuffer()), endStream: true)
            context.write(wrapOutboundOut(HTTP2Frame(streamID: stream.id, payload: .data(data))), promise: nil)
            flush()
        }
        sentEnd(of: stream)
        return 1
    }

    private func sentEnd(of stream: HTTP2Stream) {
        guard stream.isListed else { return }
        stream.requestHalf = .ended
        stream.bodyFinished()
        if stream.duplex != nil, stream.responseHalf == .ended { stream.switchedEnds() }
    }
}
