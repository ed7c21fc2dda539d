import NIOCore
import SternaCore

/// Waking the reader of a response's body.
extension Carrier {
    /// What was read at once has been looked at.
    final func deliverBody(at now: NIODeadline) {
        guard let pipe else { return }
        // On its own event loop a reader costs nothing to wake.
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

    // Where nothing joined what was held at first, it was held for nothing.
    private func deliverHeld(_ first: Int) {
        deliveryIsDue = false
        guard case .isDone(let count) = pipe?.deliver() else { return }
        pace.delivered(count, at: shard.clock.now)
        if count <= first { pace.wasFruitless() }
    }
}
