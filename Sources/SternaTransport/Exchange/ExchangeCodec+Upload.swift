import NIOCore
import SternaCore

/// Sends a request's body.
extension ExchangeCodec {
    /// Whether the limits of the phase are suspended: the exchange waits for the response's reader, for the body's source, or for
    /// 100 (Continue).
    final var isPaused: Bool { isReadHeld || writer?.isWaitingForSource == true || held != nil && !hasHead }

    /// Holds a body until the server asks for it (`100-continue`).
    final func hold(_ writer: BodyWriter) {
        held = writer
        continueTimer = shard.clock.schedule(in: shard.continueWait, on: shard.loop) { self.sendHeld() }
        exchange?.phase = .waiting
    }

    /// Sends the held body when the server asks for it or the wait is over.
    final func sendHeld() {
        continueTimer?.cancel()
        continueTimer = nil
        guard let held, let exchange, !hasHead, isOpen else { return }
        self.held = nil
        writer = held
        exchange.phase = .writing
        lastActivity = shard.clock.now
        measureAnew()
        watchWriting(exchange)
        held.advance()
    }

    /// Restarts the wait for the response after an interim response, which only shows that the server is alive.
    final func answerIsWaitedForAnew() {
        guard let exchange, exchange.phase == .reading else { return }
        exchange.phase = .waiting
        headLimit = nil
        shard.tickNoLater(than: lastActivity + exchange.request.timeouts.amounts.firstByte)
    }

    /// Whether the request has an upload progress callback.
    final var hasUploadObserver: Bool { exchange?.request.uploadProgress != nil }

    /// Counts body bytes that the network has taken.
    final func bodyAdvanced(by bytes: Int, ofExchange number: Int) {
        guard number == exchangeCount else { return }
        lastActivity = shard.clock.now
        throughput.sent += bytes
        guard hasUploadObserver else { return }
        meter.add(bytes, at: lastActivity)
        report(meter.progress(at: lastActivity))
    }

    /// Reports upload progress to the caller.
    final func report(_ progress: TransferProgress) {
        guard let exchange, let report = exchange.request.uploadProgress else { return }
        exchange.callSoon { report(progress) }
    }

    /// Starts polling the write progress several times per limit, since the network reports nothing before the end of a piece.
    final func watchWriting(_ exchange: Exchange) {
        lastTaken = takenBytes
        takenAt = shard.clock.now
        shard.tickNoLater(than: nextCheck(exchange))
    }

    /// When to poll next. Bytes taken shortly before a poll count as taken then, so limits are accurate to an eighth.
    final func nextCheck(_ exchange: Exchange) -> NIODeadline {
        let amounts = exchange.request.timeouts.amounts
        let limit = exchange.phase == .writing ? amounts.write : amounts.firstByte
        return takenAt + .nanoseconds(limit.nanoseconds / 8)
    }

    /// Whether the network has not yet taken all of a body that was handed over as a whole.
    final var isLeaving: Bool { lastLeft > 0 && lastLeft < .max }

    /// Returns whether the network has taken bytes since the last call, even part of a write.
    final func hasWrittenOn() -> Bool {
        let taken = takenBytes
        defer { (lastTaken, takenAt) = (taken, shard.clock.now) }
        guard taken > lastTaken else { return false }
        lastActivity = shard.clock.now
        return true
    }

    /// Returns whether the network has taken more of a body that was handed over as a whole. The response cannot arrive before the
    /// rest has left.
    final func hasLeftOn() -> Bool {
        let left = unwrittenBytes
        defer { (lastLeft, takenAt) = (left, shard.clock.now) }
        guard left < lastLeft, left > 0 || lastLeft < .max else { return false }
        lastActivity = shard.clock.now
        return true
    }

    /// The number of body bytes that the network has taken, including part of a piece in progress.
    final var takenBytes: Int { writer.map { Int($0.handed) - unwrittenBytes } ?? throughput.sent }

    /// Restarts the limits that wait for the peer, now that the body's source has delivered.
    final func sourceDelivered() {
        lastActivity = shard.clock.now
        measureAnew()
        if let exchange { watchWriting(exchange) }
    }

    /// Moves the exchange from writing to waiting once the whole body was handed over.
    final func bodyFinished() {
        writer = nil
        lastActivity = shard.clock.now
        guard let exchange, exchange.phase == .writing else { return }
        exchange.phase = .waiting
        (lastLeft, takenAt) = (unwrittenBytes, lastActivity)
        if exchange.recorder != nil { noteSent() }
        shard.tickNoLater(than: exchange.timeLimit().at)
    }
}
