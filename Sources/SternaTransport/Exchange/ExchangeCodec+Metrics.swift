import HTTPTypes
import NIOCore
import SternaCore

/// Timestamps of the exchange in progress; set only for exchanges with a recorder.
struct ExchangeMarks {
    var start = NIODeadline.distantPast
    var sent: NIODeadline?
    var firstByte: NIODeadline?
}

/// The addresses of a connection as metrics show them, written once for all its exchanges.
final class ConnectionAddresses: Sendable {
    let local: String?
    let remote: String?

    init(_ opening: DialTimeline?, _ channel: (any Channel)?) {
        local = opening?.localAddress ?? channel?.localAddress?.numericText
        remote = opening?.remoteAddress ?? channel?.remoteAddress?.numericText
    }
}

/// Records an exchange's metrics; called only for exchanges with a recorder.
extension ExchangeCodec {
    final func noteStart(_ exchange: Exchange) {
        guard let recorder = exchange.recorder else { return }
        marks = ExchangeMarks(start: lastActivity)
        let addresses = addresses ?? ConnectionAddresses(opening, channel)
        self.addresses = addresses
        var isReused = true
        var waitedUntil = lastActivity
        if case .some = opening {
            isReused = exchangeCount > 1
            waitedUntil = max(noteOpening(recorder), exchange.queuedAt)
        }
        recorder.update { attempt in
            attempt.isReused = isReused
            if exchange.queuedAt != .distantFuture { attempt.queue = recorder.span(exchange.queuedAt, waitedUntil) }
            if case .proxy(let proxy) = endpoint.route { attempt.proxy = proxy.description }
            attempt.tlsVersion = tlsVersion
            (attempt.localAddress, attempt.remoteAddress) = (addresses.local, addresses.remote)
        }
        recorder.post(.connectionAcquired(isReused: isReused), at: lastActivity)
    }

    /// Records how the connection was opened, and returns when that began.
    // A function of its own, since its copies of the timeline would cost each request on an open connection, too.
    @inline(never)
    private func noteOpening(_ recorder: MetricsRecorder.Attempt) -> NIODeadline {
        guard let opening = opening.take() else { return lastActivity }
        recorder.update { opening.note(in: &$0, recorder) }
        if opening.secured != nil { recorder.post(.tlsEstablished(version: opening.tlsVersion), at: lastActivity) }
        return opening.began
    }

    final func noteSent() {
        guard let exchange, let recorder = exchange.recorder, marks.sent == nil else { return }
        let now = shard.clock.now
        marks.sent = now
        let bytes = Int64(throughput.sent)
        recorder.update { attempt in
            attempt.write = recorder.span(marks.start, now)
            attempt.bytesSent = bytes
        }
        recorder.post(.requestSent(bytes: bytes), at: now)
    }

    final func noteInformational(_ status: Int, _ section: FieldSection, _ exchange: Exchange) {
        // The final response begins later.
        marks.firstByte = nil
        guard exchange.recorder != nil || exchange.request.onInformational != nil else { return }
        let response = InformationalResponse(status: status, headers: section.fields)
        if let inform = exchange.request.onInformational { exchange.callSoon { inform(response) } }
        exchange.recorder?.post(.informationalReceived(response), at: lastActivity)
    }

    /// - Parameter response: makes the response from a URL and a body.
    final func noteHead(_ status: Int, _ version: HTTPVersion, _ response: (HTTPURL, ResponseBody) -> Response) {
        guard let exchange, let recorder = exchange.recorder else { return }
        marks.firstByte = marks.firstByte ?? lastActivity
        recorder.update { attempt in
            attempt.status = status
            attempt.version = version
            attempt.wait = recorder.span(marks.sent ?? marks.start, marks.firstByte ?? lastActivity)
        }
        recorder.post(.responseBegan(response(exchange.request.url, ResponseBody())), at: lastActivity)
    }

    final func noteCounts() {
        let (sent, received) = (Int64(throughput.sent), Int64(throughput.received))
        exchange?.recorder?.update { attempt in
            attempt.bytesSent = sent
            attempt.bytesReceived = received
        }
    }

    /// Records a failure; the phase in progress ends now.
    final func noteFailure() {
        noteCounts()
        guard let exchange, let recorder = exchange.recorder else { return }
        let now = shard.clock.now
        recorder.update { attempt in
            if exchange.phase == .writing { attempt.write = attempt.write ?? recorder.span(marks.start, now) }
            guard exchange.phase == .waiting || exchange.phase == .reading else { return }
            if attempt.wait == nil { attempt.wait = recorder.span(marks.sent ?? marks.start, marks.firstByte ?? now) }
            if let firstByte = marks.firstByte { attempt.read = recorder.span(firstByte, now) }
        }
    }

    final func noteEnd(_ exchange: Exchange) {
        guard let recorder = exchange.recorder else { return }
        let (sent, received) = (Int64(throughput.sent), Int64(throughput.received))
        recorder.update { attempt in
            (attempt.bytesSent, attempt.bytesReceived) = (sent, received)
            attempt.read = recorder.span(marks.firstByte ?? lastActivity, lastActivity)
            recorder.end(&attempt, at: lastActivity)
        }
        recorder.post(.responseEnded(bytes: received), at: lastActivity)
    }
}
