import NIOCore
import NIOHTTP2
import SternaCore

/// What comes from the peer, frame by frame.
extension HTTP2Connection {
    func received(_ frame: HTTP2Frame) {
        switch frame.payload {
        case .headers(let section): streams[frame.streamID]?.received(section.headers, isEnd: section.endStream)
        case .data(let piece):
            if case .byteBuffer(let bytes) = piece.data {
                probe(piece.data.readableBytes)
                streams[frame.streamID]?.received(bytes, isEnd: piece.endStream)
            }
        case .rstStream(let code): wasReset(frame.streamID, code)
        case .settings(.settings(let settings)): received(settings)
        case .goAway(let last, let code, let reason): received(goAway: last, code, reason)
        case .ping(let data, true): answered(data)
        case .windowUpdate: pumpLater()
        default: break
        }
    }

    private func received(_ settings: HTTP2Settings) {
        let change = peer.take(settings)
        if change != 0 {
            for stream in streams.values {
                stream.sendWindow += change
                if change > 0, stream.canSend { turns.add(stream.id) }
            }
        }
        shard.streamsChanged(on: self)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard !isClosing else { return }
        if let event = event as? NIOHTTP2WindowUpdatedEvent {
            changed(event)
        } else if let event = event as? StreamClosedEvent {
            // What the peer has reset, or what it does not handle any more, has been dealt with; so this side has, for a
            // reason that comes next.
            if event.reason != nil, let stream = streams[event.streamID] { faulty = stream }
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    private func changed(_ event: NIOHTTP2WindowUpdatedEvent) {
        guard event.streamID == .rootStream else {
            guard let stream = streams[event.streamID] else { return }
            if let left = event.outboundWindowSize { sent(stream, isLeft: left) }
            if let left = event.inboundWindowSize { stream.windowIsLeft(left) }
            return
        }
        if let left = event.outboundWindowSize { sendWindow = left }
        if let left = event.inboundWindowSize, left <= Self.connectionWindow / 2, canCredit {
            allow(Self.connectionWindow - left, on: .rootStream)
        }
    }

    private func sent(_ stream: HTTP2Stream, isLeft left: Int) {
        stream.sendWindow = left
        if left > 0, stream.canSend { turns.add(stream.id) }
    }

    // Where all streams have ended after GOAWAY, the library takes no more of these.
    private var canCredit: Bool { !isClosing && !(isRetired && streams.isEmpty) }

    /// What all streams together may have on their way. Nothing is held back by it: how much is stored is for each stream's own
    /// window to say.
    static let connectionWindow = 16 << 20

    /// Lets the peer send more.
    func allow(_ more: Int, on id: HTTP2StreamID) {
        guard let context, canCredit else { return }
        context.write(
            wrapOutboundOut(HTTP2Frame(streamID: id, payload: .windowUpdate(windowSizeIncrement: more))), promise: nil)
        flushSoon()
    }

    // MARK: PING

    private static let probeData: UInt64 = 0x5445_524E_0000_0001
    private static let healthData: UInt64 = 0x5445_524E_0000_0002
    private static let resetData: UInt64 = 0x5445_524E_0000_0003

    private func ping(_ data: UInt64) {
        guard let context, !isClosing else { return }
        let frame = HTTP2Frame(streamID: .rootStream, payload: .ping(HTTP2PingData(withInteger: data), ack: false))
        context.write(wrapOutboundOut(frame), promise: nil)
        flushSoon()
    }

    private func probe(_ bytes: Int) {
        if tuner.received(bytes, at: shard.now) { ping(Self.probeData) }
    }

    /// Has the peer say that it has worked through what was reset.
    func countReset() {
        resetCount += 1
        if resetCount == 1 { ping(Self.resetData) }
    }

    private func answered(_ data: HTTP2PingData) {
        switch data.integer {
        case Self.probeData: tuner.answered()
        case Self.resetData:
            resetCount = 0
            shard.streamsChanged(on: self)
        default: break
        }
    }

    /// Asks the peer for a sign of life where it is due, or gives the connection up; returns when to look again.
    func lookAtHealth(at now: NIODeadline) -> NIODeadline {
        guard !streams.isEmpty, !isClosing else { return .distantFuture }
        switch health.look(at: now) {
        case .wait(let moment): return moment
        case .ping(let moment):
            ping(Self.healthData)
            return moment
        case .dead:
            fail(
                SternaError(
                    .connectionClosed, phase: .wait,
                    "The server sent nothing for long and did not answer a PING either; the connection was given up."))
            return .distantFuture
        }
    }
}
