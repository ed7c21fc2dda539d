import NIOCore
import SternaCore

/// Wakes the reader of a response's body.
extension ExchangeCodec {
    /// Delivers the bytes of one socket read after they were parsed.
    final func deliverBody(at now: NIODeadline) {
        guard let pipe else { return }
        // Waking a reader on its own event loop is free.
        let least = exchange?.isOnLoop != false ? 1 : pace.least(at: now)
        switch pipe.deliver(atLeast: least) {
        case .notNeeded: break
        case .isDone(let count): pace.delivered(count, at: now)
        case .isHeld(let count):
            guard !deliveryIsDue else { return }
            deliveryIsDue = true
            shard.clock.schedule(in: DeliveryPace.interval, on: shard.loop) { [weak self] in
                self?.deliverHeld(count)
            }
        }
    }

    // If no bytes joined the held ones, holding them gained nothing.
    private func deliverHeld(_ first: Int) {
        deliveryIsDue = false
        guard case .isDone(let count) = pipe?.deliver() else { return }
        pace.delivered(count, at: shard.clock.now)
        if count <= first { pace.wasFruitless() }
    }
}
