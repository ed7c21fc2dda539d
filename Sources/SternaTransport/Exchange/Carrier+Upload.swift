import NIOCore
import SternaCore

/// Sending a request's body.
extension Carrier {
    /// Whether it waits for this side, the reader or the source of a body or the moment to send one, and not for the peer.
    final var isPaused: Bool { isReadHeld || writer?.isWaitingForSource == true || held != nil && !hasHead }

    /// Lets a body wait for the server to ask for it.
    final func hold(_ writer: BodyWriter) {
        held = writer
        continueTimer = shard.clock.schedule(in: shard.continueWait, on: shard.loop) { self.sendHeld() }
        exchange?.phase = .waiting
    }

    /// The server asks for the body, or has said nothing for too long.
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

    /// An interim response says that the server is there, and no more than that: its answer is waited for anew.
    final func answerIsWaitedForAnew() {
        guard let exchange, exchange.phase == .reading else { return }
        exchange.phase = .waiting
        headLimit = nil
        shard.tickNoLater(than: lastActivity + exchange.request.timeouts.amounts.firstByte)
    }

    /// Whether somebody wants to know how much of the body was taken.
    final var hasUploadObserver: Bool { exchange?.request.uploadProgress != nil }

    /// The network has taken bytes of the body.
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

    /// Looks, more than once in the time that the network has to take something, whether it has: it does not say so before the
    /// end of a piece.
    final func watchWriting(_ exchange: Exchange) {
        lastTaken = takenBytes
        takenAt = shard.clock.now
        shard.tickNoLater(than: nextLook(exchange))
    }

    /// When to look next: what was taken right before counts as taken then, so that a limit is kept to an eighth.
    final func nextLook(_ exchange: Exchange) -> NIODeadline {
        let amounts = exchange.request.timeouts.amounts
        let limit = exchange.phase == .writing ? amounts.write : amounts.firstByte
        return takenAt + .nanoseconds(limit.nanoseconds / 8)
    }

    /// Whether a body that is on its way as a whole has not been taken yet.
    final var isLeaving: Bool { lastLeft > 0 && lastLeft < .max }

    /// Whether the network has taken anything since this was asked last, be it part of a write.
    final func hasWrittenOn() -> Bool {
        let taken = takenBytes
        defer { (lastTaken, takenAt) = (taken, shard.clock.now) }
        guard taken > lastTaken else { return false }
        lastActivity = shard.clock.now
        return true
    }

    /// Whether the network has taken more of a body that is on its way as a whole: its answer cannot be there before it is.
    final func hasLeftOn() -> Bool {
        let left = unwrittenBytes
        defer { (lastLeft, takenAt) = (left, shard.clock.now) }
        guard left < lastLeft, left > 0 || lastLeft < .max else { return false }
        lastActivity = shard.clock.now
        return true
    }

    /// How much of the body the network has taken: of a piece on its way a part may be.
    final var takenBytes: Int { writer.map { Int($0.handed) - unwrittenBytes } ?? throughput.sent }

    /// The source of the body has delivered, so the peer is waited for again.
    final func sourceDelivered() {
        lastActivity = shard.clock.now
        measureAnew()
        if let exchange { watchWriting(exchange) }
    }

    /// All of the body is on its way.
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
