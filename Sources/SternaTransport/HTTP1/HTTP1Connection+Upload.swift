import NIOCore
import SternaCore

/// Sending a request's body.
extension HTTP1Connection {
    /// The server asks for the body, or has said nothing for too long.
    func sendHeld() {
        continueTimer?.cancel()
        continueTimer = nil
        guard let held, let exchange, head == nil, !isClosing else { return }
        self.held = nil
        writer = held
        exchange.phase = .writing
        lastActivity = shard.loop.now
        measureAnew()
        shard.tickNoLater(than: lastActivity + exchange.request.timeouts.amounts.write)
        held.advance()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { writer?.advance() }
        context.fireChannelWritabilityChanged()
    }

    /// Whether somebody wants to know how much of the body was taken.
    var hasUploadObserver: Bool { exchange?.request.uploadProgress != nil }

    /// The network has taken bytes of the body.
    func bodyAdvanced(by bytes: Int, ofExchange number: Int) {
        guard number == exchangeCount else { return }
        lastActivity = shard.loop.now
        throughput.sent += bytes
        guard let report = exchange?.request.uploadProgress else { return }
        meter.add(bytes, at: lastActivity)
        report(meter.progress(at: lastActivity))
    }

    /// Whether the network has taken anything since this was asked last, be it part of a write.
    func hasWrittenOn() -> Bool {
        let buffered = context?.channel.unwrittenBytes ?? 0
        defer { lastBuffered = buffered }
        guard buffered != lastBuffered else { return false }
        lastActivity = shard.loop.now
        return true
    }

    /// The source of the body has delivered, so the peer is waited for again.
    func sourceDelivered() {
        lastActivity = shard.loop.now
        measureAnew()
        if let exchange { shard.tickNoLater(than: lastActivity + exchange.request.timeouts.amounts.write) }
    }

    /// All of the body is on its way.
    func bodyFinished() {
        writer = nil
        lastActivity = shard.loop.now
        guard let exchange, exchange.phase == .writing else { return }
        exchange.phase = .waiting
        if exchange.recorder != nil { noteSent() }
        shard.tickNoLater(than: lastActivity + exchange.request.timeouts.amounts.firstByte)
    }
}
