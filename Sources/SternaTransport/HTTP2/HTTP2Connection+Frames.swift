import NIOCore
import NIOHTTP2
import SternaCore
import Synchronization

/// Frames from the peer.
extension HTTP2Connection {
    func received(_ frame: HTTP2Frame) {
        switch frame.payload {
        case .headers(let section):
            if resets.count > 0 { hasProcessedResets(before: frame.streamID) }
            stream(frame.streamID)?.received(section.headers, isEnd: section.endStream)
        case .data(let piece):
            if case .byteBuffer(let bytes) = piece.data {
                let stream = stream(frame.streamID)
                guard count(piece, of: stream) else { return }
                stream?.received(bytes, isEnd: piece.endStream)
            }
        case .rstStream(let code): wasReset(frame.streamID, code)
        case .settings(.settings(let settings)): received(settings)
        case .goAway(let last, let code, let reason): received(goAway: last, code, reason)
        case .ping(let data, true): answered(data)
        case .windowUpdate(let increment): windowOpened(frame.streamID, by: increment)
        case .pushPromise(let promise): refuse(promise.pushedStreamID)
        default: break
        }
    }

    // Frames of one stream often follow one another.
    private func stream(_ id: HTTP2StreamID) -> HTTP2Stream? {
        if let lastStream, lastStream.id == id, lastStream.isListed { return lastStream }
        lastStream = streams[id]
        return lastStream
    }

    // A well-behaved peer sends few frames without content.
    private func count(_ piece: HTTP2Frame.FramePayload.Data, of stream: HTTP2Stream?) -> Bool {
        let bytes = piece.data.readableBytes
        if bytes > 0 || piece.endStream {
            emptyCount = 0
            let now = Int64(clamping: lastRead.uptimeNanoseconds)
            if tuner.received(bytes, at: now, mayProbe: stream?.hasLargeBody == true) { owesProbe = true }
            return true
        }
        emptyCount += 1
        guard emptyCount > 1_000 else { return true }
        fail(
            SternaError(
                .limitExceeded, phase: .read,
                "The server sent more than 1000 frames without content; the connection was closed."),
            .enhanceYourCalm)
        return false
    }

    // The library checks only the windows of streams that this side has not ended (RFC 9113, 6.9).
    private func windowOpened(_ id: HTTP2StreamID, by increment: Int) {
        guard id != .rootStream, let stream = streams[id], stream.hasSentEnd else { return pumpLater() }
        stream.windowOpened(by: increment)
    }

    /// Resets a stream that has already ended, if it existed.
    func resetEnded(_ id: HTTP2StreamID, _ code: HTTP2Code) {
        guard let context, !isClosing, !isOpen(id) else { return }
        context.write(wrapOutboundOut(HTTP2Frame(streamID: id, payload: .rstStream(code))), promise: nil)
        flushSoon()
    }

    /// Returns whether a stream is in the table.
    func isOpen(_ id: HTTP2StreamID) -> Bool {
        if let lastStream, lastStream.id == id { return lastStream.isListed }
        return streams[id] != nil
    }

    private static let serverPushes = SternaError(
        .malformedResponse, phase: .read,
        "The server broke HTTP/2 (it enabled server push, which only clients may); the connection was closed.")

    // A push that was sent before the peer knew that pushes are disabled.
    private func refuse(_ promised: HTTP2StreamID) {
        guard let context else { return }
        context.write(wrapOutboundOut(HTTP2Frame(streamID: promised, payload: .rstStream(.cancel))), promise: nil)
        flushSoon()
    }

    private func received(_ settings: HTTP2Settings) {
        if settings.contains(where: { $0.parameter == .enablePush && $0.value != 0 }) {
            return fail(Self.serverPushes, .protocolError)
        }
        let change = peer.take(settings)
        endpoint.knownStreams.store(max(1, peer.maximumStreams), ordering: .relaxed)
        if change != 0 {
            for stream in streams.values {
                stream.sendWindow += change
                if stream.canSend { sendQueue.add(stream.id) }
            }
        }
        if !awaitingSettings.isEmpty { startAwaiting() }
        shard.streamsChanged(on: self)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // Events during the writing of fields carry no new information.
        guard !isClosing, sending == nil else { return }
        // A failed cast costs as much as a successful one; comparing types costs next to nothing.
        if type(of: event) == NIOHTTP2WindowUpdatedEvent.self {
            if let event = event as? NIOHTTP2WindowUpdatedEvent { changed(event) }
        } else if let event = event as? StreamClosedEvent {
            // Streams that the peer has reset, or no longer handles, have left the table. So the library has reset this one, and
            // reports the reason next.
            if event.reason != nil, let stream = stream(event.streamID) { isFaulty(stream) }
        }
    }

    private func isFaulty(_ stream: HTTP2Stream) {
        if faulty !== stream { endFaulty(nil) }
        faulty = stream
        // If the library had to delay its reset, no error follows it.
        shard.loop.execute { if self.faulty === stream { self.endFaulty(nil) } }
    }

    private func changed(_ event: NIOHTTP2WindowUpdatedEvent) {
        guard event.streamID == .rootStream else {
            guard let stream = stream(event.streamID) else { return }
            if let left = event.outboundWindowSize { sent(stream, isLeft: left) }
            if let left = event.inboundWindowSize { stream.windowIsLeft(left) }
            return
        }
        if let left = event.outboundWindowSize { sendWindow = left }
        if let left = event.inboundWindowSize {
            receiveWindow = left
            credit()
        }
    }

    private func credit() {
        guard receiveWindow <= Self.connectionWindow / 2, canCredit else { return }
        let more = Self.connectionWindow - receiveWindow
        receiveWindow = Self.connectionWindow
        allow(more, on: .rootStream)
    }

    /// A stream's share of the connection's target, in bytes. With larger windows, the first streams would starve the others.
    var streamTarget: Int { max(ReceiveWindow.initial, tuner.target / max(1, streams.count)) }

    /// Sends the window updates that were held back while the network took nothing.
    func creditAll() {
        credit()
        for stream in streams.values { stream.credit() }
    }

    private func sent(_ stream: HTTP2Stream, isLeft left: Int) {
        stream.sendWindow = left
        if stream.canSend { sendQueue.add(stream.id) }
    }

    // Once all streams have ended after GOAWAY, the library takes no more window updates. Updates written while the channel is not
    // writable wait in the library, which continues to report the old window.
    var canCredit: Bool { !isClosing && !(isRetired && streams.isEmpty) && context?.channel.isWritable == true }

    /// The connection's receive window, in bytes. It does not bound memory: each stream's own window limits how much is stored.
    static let connectionWindow = 16 << 20

    /// Lets the peer send more (WINDOW_UPDATE).
    func allow(_ more: Int, on id: HTTP2StreamID) {
        guard let context else { return }
        context.write(
            wrapOutboundOut(HTTP2Frame(streamID: id, payload: .windowUpdate(windowSizeIncrement: more))), promise: nil)
        flushSoon()
    }

    // MARK: PING

    private static let probeData: UInt64 = 0x5445_524E_0000_0001
    private static let healthData: UInt64 = 0x5445_524E_0000_0002
    private static let resetData: UInt64 = 0x5445_524E_0000_0003

    /// Sends a probe if one is due.
    func sendProbe() {
        guard owesProbe else { return }
        owesProbe = false
        ping(Self.probeData)
    }

    private func ping(_ data: UInt64) {
        guard let context, !isClosing else { return }
        let frame = HTTP2Frame(streamID: .rootStream, payload: .ping(HTTP2PingData(withInteger: data), ack: false))
        context.write(wrapOutboundOut(frame), promise: nil)
        flushSoon()
    }

    /// Counts a reset stream. After many, sends a PING, whose acknowledgement shows that the peer has processed the resets.
    func countReset() {
        resets.add(before: Int(nextID ?? .max))
        askAboutResets()
    }

    private func askAboutResets() {
        if resets.asks(below: resetLimit) { ping(Self.resetData) }
    }

    private func hasProcessedResets(before id: HTTP2StreamID) {
        let wereTooMany = resets.count > resetLimit
        resets.answered(on: Int(id))
        if wereTooMany { shard.streamsChanged(on: self) }
    }

    private func answered(_ data: HTTP2PingData) {
        switch data.integer {
        case Self.probeData: tuner.answered(at: Int64(clamping: lastRead.uptimeNanoseconds))
        case Self.resetData:
            resets.answeredPing()
            askAboutResets()
            shard.streamsChanged(on: self)
        default: break
        }
    }

    /// Sends a PING if it is due, or fails the connection if the peer stayed silent after one. Returns when to check again.
    func checkHealth(at now: NIODeadline) -> NIODeadline {
        guard !isUnused, !isClosing else { return .distantFuture }
        switch health.check(at: now) {
        case .wait(let moment): return moment
        case .ping(let moment):
            ping(Self.healthData)
            return moment
        case .dead:
            fail(
                SternaError(
                    .connectionClosed, phase: .wait,
                    "The server was silent and did not answer a PING; the connection was closed."),
                mayRetry: true)
            return .distantFuture
        }
    }
}
