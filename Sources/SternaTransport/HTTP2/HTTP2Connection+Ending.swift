import NIOCore
import NIOHTTP2
import SternaCore
import Synchronization

/// How streams and the connection end before their time.
extension HTTP2Connection {
    // MARK: What the peer ends

    /// The peer has reset a stream (RFC 9113, 6.4).
    func wasReset(_ id: HTTP2StreamID, _ code: HTTP2Code) {
        guard let stream = streams[id] else { return }
        switch code {
        case .refusedStream: giveBack(stream, because: .refused)
        case .http11Required:
            endpoint.requiresHTTP1.store(true, ordering: .relaxed)
            retire()
            giveBack(stream, because: .refused)
        default: stream.fail(Self.resetError(code, hasHead: stream.hasHead), nil)
        }
    }

    private static func resetError(_ code: HTTP2Code, hasHead: Bool) -> SternaError {
        hasHead
            ? SternaError(
                .truncated, phase: .read, "The server reset the stream before the end of its answer (\(code.name)).")
            : SternaError(
                .connectionClosed, phase: .wait, "The server reset the stream without an answer (\(code.name)).")
    }

    /// The peer takes no new streams, and does not handle those above an identifier (RFC 9113, 6.8).
    func received(goAway last: HTTP2StreamID, _ code: HTTP2Code, _ reason: ByteBuffer?) {
        for stream in inOrder where stream.id > last { giveBack(stream, because: .refused) }
        retire()
        shard.streamsChanged(on: self)
    }

    private var inOrder: [HTTP2Stream] { streams.values.sorted { $0.id < $1.id } }

    /// The peer has not looked at a request: it goes to another connection, whatever it is, if it can be made again.
    func giveBack(_ stream: HTTP2Stream, because reason: AttemptMetrics.Reason) {
        guard let exchange = stream.exchange, exchange.mayReplay else {
            return stream.fail(
                SternaError(
                    .connectionClosed, phase: .wait,
                    "The server did not take the request, "
                        + (stream.exchange?.request.isReplayable == false
                            ? "and its body cannot be read again." : "time and again.")), nil)
        }
        stream.detach()
        ended(stream, reset: nil)
        exchange.refusedBy = self
        shard.resubmit(exchange, because: reason)
    }

    // MARK: What goes wrong

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !isClosing else { return }
        if let code = watch.code {
            return fail(Self.violation(error, code))
        }
        if let error = error as? NIOHTTP2Errors.StreamError {
            if let stream = streams[error.streamID] { stream.fail(Self.unsent(error), .internalError) }
        } else if error is any NIOHTTP2Error {
            endFaulty(error)
        } else {
            lost(because: error)
            close()
        }
    }

    /// A stream on which the peer broke the protocol fails; the library has reset it already.
    func endFaulty(_ cause: (any Error)?) {
        guard let stream = faulty else { return }
        faulty = nil
        guard stream.isListed else { return }
        let detail = cause.map { FieldSyntax.printable("\($0)", limit: 200) } ?? "it was reset"
        stream.fail(
            SternaError(
                .malformedResponse, phase: .read, "The answer is not valid HTTP/2: \(detail).", underlying: cause), nil)
    }

    private static func unsent(_ error: NIOHTTP2Errors.StreamError) -> SternaError {
        SternaError(
            .invalidRequest, phase: .write, "The request cannot be sent over HTTP/2.", underlying: error.baseError)
    }

    private static func violation(_ error: any Error, _ code: HTTP2Code) -> SternaError {
        let isLimit = code == .enhanceYourCalm || error is NIOHTTP2Errors.ExcessivelyLargeHeaderBlock
        return SternaError(
            isLimit ? .limitExceeded : .malformedResponse, phase: .read,
            isLimit
                ? "The server sent more than is taken, and the connection was given up: \(FieldSyntax.printable("\(error)", limit: 200))."
                : "The server broke HTTP/2 (\(code.name)), and the connection was given up.", underlying: error)
    }

    /// Fails all streams and closes.
    func fail(_ error: SternaError, mayRetry: Bool = false) {
        let streams = inOrder
        let isUsed = exchangeCount > streams.count || hasStoodIdle
        abort()
        for stream in streams {
            guard let exchange = stream.exchange else { continue }
            if mayRetry, isUsed, !stream.hasHead, exchange.mayRetryOnFreshConnection {
                stream.detach()
                ended(stream, reset: nil)
                shard.resubmit(exchange, because: .staleConnection)
            } else {
                stream.fail(error, nil)
            }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        lost(because: nil)
        isClosing = true
        hasClosed = true
        tellClosed()
        context.fireChannelInactive()
    }

    /// The connection broke: requests without an answer are sent again where that is safe, the others fail.
    func lost(because cause: (any Error)?) {
        let streams = inOrder
        guard !streams.isEmpty else { return }
        let isUsed = exchangeCount > streams.count || hasStoodIdle
        isClosing = true
        for stream in streams {
            guard let exchange = stream.exchange else { continue }
            if isUsed, !stream.hasHead, exchange.mayRetryOnFreshConnection {
                stream.detach()
                ended(stream, reset: nil)
                shard.resubmit(exchange, because: .staleConnection)
            } else {
                stream.fail(
                    TLSFault.late(peer.isKnown ? nil : cause, host: endpoint.host)
                        ?? LostConnection.error(
                            cause, hasHead: stream.hasHead, hasReceived: stream.hasHead,
                            isWriting: !stream.hasSentEnd && stream.writer != nil), nil)
            }
        }
    }

    /// Closes the connection in order; nobody uses it any more.
    func close() {
        guard !isClosing else { return }
        isClosing = true
        guard let context else { return }
        let goodbye = HTTP2Frame.FramePayload.goAway(lastStreamID: .rootStream, errorCode: .noError, opaqueData: nil)
        context.writeAndFlush(wrapOutboundOut(HTTP2Frame(streamID: .rootStream, payload: goodbye)), promise: nil)
        context.close(promise: nil)
    }

    /// Closes the connection at once: TLS closed in order would take for seconds whatever the peer still sends.
    func abort(evenIfClosing: Bool = false) {
        guard !isClosing || evenIfClosing else { return }
        isClosing = true
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
