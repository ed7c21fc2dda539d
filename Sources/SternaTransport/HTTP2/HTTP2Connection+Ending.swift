import NIOCore
import NIOHTTP2
import SternaCore
import Synchronization

/// Premature ends of streams and of the connection.
extension HTTP2Connection {
    // MARK: Ended by the peer

    /// Handles a stream that the peer has reset (RFC 9113, 6.4).
    func wasReset(_ id: HTTP2StreamID, _ code: HTTP2Code) {
        guard let stream = streams[id] else { return }
        switch code {
        case .refusedStream: giveBack(stream, because: .refused)
        case .http11Required where !stream.hasHead:
            stream.endpoint.requiresHTTP1.store(true, ordering: .relaxed)
            if stream.endpoint === endpoint { state.retire() } else { leave(stream.endpoint) }
            giveBack(stream, because: .refused)
        default: stream.fail(Self.resetError(code, hasHead: stream.hasHead), nil)
        }
    }

    private static func resetError(_ code: HTTP2Code, hasHead: Bool) -> SternaError {
        hasHead
            ? SternaError(
                .truncated, phase: .read, "The server reset the stream before the end of its response (\(code.name)).")
            : SternaError(
                .connectionClosed, phase: .wait, "The server reset the stream without a response (\(code.name)).")
    }

    /// Handles GOAWAY: the peer takes no new streams, and does not handle those above an identifier (RFC 9113, 6.8).
    func received(goAway last: HTTP2StreamID, _ code: HTTP2Code, _ reason: ByteBuffer?) {
        // First of all, so that requests that are given back do not return to this connection.
        state.retire()
        isLeft = true
        if code == .http11Required { endpoint.requiresHTTP1.store(true, ordering: .relaxed) }
        if code != .noError {
            let text = reason.map { FieldSyntax.printable(String(buffer: $0), limit: 200) } ?? ""
            goodbye = code.name + (text.isEmpty ? "" : ", “\(text)”")
        }
        // The peer still responds to the requests that it has accepted, perhaps after this frame.
        if last != .rootStream, last < HTTP2StreamID(Int(nextID ?? .max)) { servesRequests = true }
        for stream in inOrder where stream.id > last { giveBack(stream, because: .refused) }
        shard.streamsChanged(on: self)
        closeIfDone()
    }

    private var inOrder: [HTTP2Stream] { streams.values.sorted { $0.id < $1.id } }

    /// Sends a request on another connection, since the peer has not processed it. That holds for any method, if the request
    /// can be replayed.
    ///
    /// - Parameter code: the code of a reset, if the peer has not ended the stream.
    func giveBack(_ stream: HTTP2Stream, because reason: AttemptMetrics.Reason, reset code: HTTP2Code? = nil) {
        guard !stream.hasHead else { return stream.fail(Self.resetError(.refusedStream, hasHead: true), code) }
        stream.exchange?.requestSent = false
        // A body that waits for 100 (Continue) has not been read yet.
        let isUntouched = stream.held != nil
        guard let exchange = stream.exchange, exchange.mayReplay || isUntouched && exchange.mayMove else {
            let why =
                stream.exchange?.request.isReplayable == false
                ? "and its body cannot be sent again" : "despite several attempts"
            let detail = goodbye.map { " (\($0))" } ?? ""
            return stream.fail(
                SternaError(
                    .connectionClosed, phase: .wait, "The server did not process the request, \(why)\(detail)."), code)
        }
        stream.detach()
        ended(stream, reset: code)
        if reason == .refused { exchange.refusedBy = self }
        if !servesRequests { exchange.fruitlessMoves += 1 }
        shard.resubmit(exchange, because: reason)
    }

    // MARK: Errors

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !isClosing else { return }
        if let violation = error as? FrameMeter.Violation { return fail(violation.error, violation.code) }
        if let code = watch.code {
            return fail(meter.hasSeenSettings ? Self.violation(error, code) : Self.otherProtocol)
        }
        if let error = error as? NIOHTTP2Errors.StreamError {
            if let stream = streams[error.streamID] { stream.fail(Self.unsent(error.baseError), .internalError) }
        } else if let stream = sending {
            sending = nil
            // The table of compressed fields has changed, but the peer does not receive the change.
            if error is NIOHTTP2Errors.UnableToSerializeFrame { return fail(Self.unsent(error)) }
            stream.fail(Self.unsent(error), nil)
        } else if error is any NIOHTTP2Error {
            endFaulty(error)
        } else {
            lost(because: error)
            abort(evenIfClosing: true)
        }
    }

    /// Fails a stream on which the peer broke the protocol; the library has reset it already.
    func endFaulty(_ cause: (any Error)?) {
        guard let stream = faulty else { return }
        faulty = nil
        guard stream.isListed else { return }
        // The library's messages may show the values of fields.
        let detail = cause.map { " (\(type(of: $0)))" } ?? ""
        stream.fail(
            SternaError(.malformedResponse, phase: .read, "The response is not valid HTTP/2\(detail)."), nil)
    }

    private static func unsent(_ error: any Error) -> SternaError {
        SternaError(
            .invalidRequest, phase: .write, "The request cannot be sent over HTTP/2 (\(type(of: error))).")
    }

    private static let otherProtocol = SternaError(
        .malformedResponse, phase: .read,
        "The server does not speak HTTP/2 here: its first bytes are not HTTP/2. It may speak HTTP/1.1 only; check http2."
    ).advised(.inDetail)

    private static func violation(_ error: any Error, _ code: HTTP2Code) -> SternaError {
        let isLimit = code == .enhanceYourCalm || error is NIOHTTP2Errors.ExcessivelyLargeHeaderBlock
        return SternaError(
            isLimit ? .limitExceeded : .malformedResponse, phase: .read,
            isLimit
                ? "The server exceeded a limit of HTTP/2; the connection was closed (\(type(of: error)))."
                : "The server broke HTTP/2 (\(code.name), \(type(of: error))); the connection was closed.")
    }

    /// Whether a further connection may fare better than this one: it has served requests, stood idle, or the peer has said that it ends
    /// it. Read before streams are detached.
    private var mayFareBetter: Bool { exchangeCount > streams.count || hasStoodIdle || isLeft }

    /// Sends the peer the reason, fails all streams and closes.
    func fail(_ error: SternaError, _ code: HTTP2Code) {
        let last = HTTP2Frame.FramePayload.goAway(lastStreamID: .rootStream, errorCode: code, opaqueData: nil)
        state.beginClosing()
        context?.writeAndFlush(wrapOutboundOut(HTTP2Frame(streamID: .rootStream, payload: last)), promise: nil)
        fail(error)
    }

    /// Fails all streams and closes.
    func fail(_ error: SternaError, mayRetry: Bool = false) {
        if !awaitingSettings.isEmpty { moveAwaiting(error) }
        let streams = inOrder
        let mayRepeat = mayFareBetter
        // Before the close, which ends all streams for another reason.
        state.beginClosing()
        defer { abort(evenIfClosing: true) }
        for stream in streams {
            guard let exchange = stream.exchange else { continue }
            if mayRetry, mayRepeat, !stream.hasHead, exchange.mayRetryOnFreshConnection {
                stream.detach()
                ended(stream, reset: nil)
                shard.resubmit(exchange, because: .staleConnection)
            } else {
                var error = error
                if stream.hasHead, error.kind == .connectionClosed { (error.kind, error.phase) = (.truncated, .read) }
                stream.fail(error, nil)
            }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        lost(because: nil)
        channelIsGone()
        context.fireChannelInactive()
    }

    /// Ends the streams of a broken connection: requests without a response are sent again if that is safe, the others fail.
    func lost(because cause: (any Error)?) {
        if !awaitingSettings.isEmpty {
            state.beginClosing()
            moveAwaiting(LostConnection.error(cause, hasHead: false, hasReceived: false, isWriting: false))
        }
        let streams = inOrder
        guard !streams.isEmpty else { return }
        let mayRepeat = mayFareBetter
        state.beginClosing()
        for stream in streams {
            guard let exchange = stream.exchange else { continue }
            if mayRepeat, !stream.hasHead, exchange.mayRetryOnFreshConnection {
                stream.detach()
                ended(stream, reset: nil)
                shard.resubmit(exchange, because: .staleConnection)
            } else {
                stream.fail(
                    goodbye.map { Self.left($0, hasHead: stream.hasHead) }
                        ?? TLSFault.late(peer.isKnown ? nil : cause, host: endpoint.host)
                        ?? TLSFault.broken(cause, host: endpoint.host)
                        ?? LostConnection.error(
                            cause, hasHead: stream.hasHead, hasReceived: stream.hasHead,
                            isWriting: !stream.hasSentEnd && stream.writer != nil), nil)
            }
        }
    }

    private static func left(_ reason: String, hasHead: Bool) -> SternaError {
        SternaError(
            hasHead ? .truncated : .connectionClosed, phase: hasHead ? .read : .wait,
            "The server ended the connection before the end of its response (\(reason)).")
    }

    /// Closes the connection in order, with GOAWAY.
    func close() {
        shard.loop.assertInEventLoop()
        guard !isClosing else { return }
        state.beginClosing()
        guard let context else { return }
        let goodbye = HTTP2Frame.FramePayload.goAway(lastStreamID: .rootStream, errorCode: .noError, opaqueData: nil)
        context.writeAndFlush(wrapOutboundOut(HTTP2Frame(streamID: .rootStream, payload: goodbye)), promise: nil)
        context.close(promise: nil)
    }

    /// Closes the connection at once: an orderly TLS close would read what the peer still sends, for up to half a second.
    func abort(evenIfClosing: Bool = false) {
        shard.loop.assertInEventLoop()
        guard !isClosing || evenIfClosing else { return }
        state.beginClosing()
        (tlsContext ?? context)?.close(promise: nil)
    }
}

typealias HTTP2Code = NIOHTTP2.HTTP2ErrorCode

extension HTTP2Code {
    /// The code's name (RFC 9113, 7), or its number.
    var name: String {
        switch self {
        case .noError: "NO_ERROR"
        case .protocolError: "PROTOCOL_ERROR"
        case .internalError: "INTERNAL_ERROR"
        case .flowControlError: "FLOW_CONTROL_ERROR"
        case .settingsTimeout: "SETTINGS_TIMEOUT"
        case .streamClosed: "STREAM_CLOSED"
        case .frameSizeError: "FRAME_SIZE_ERROR"
        case .refusedStream: "REFUSED_STREAM"
        case .cancel: "CANCEL"
        case .compressionError: "COMPRESSION_ERROR"
        case .connectError: "CONNECT_ERROR"
        case .enhanceYourCalm: "ENHANCE_YOUR_CALM"
        case .inadequateSecurity: "INADEQUATE_SECURITY"
        case .http11Required: "HTTP_1_1_REQUIRED"
        default: "error \(networkCode)"
        }
    }
}
