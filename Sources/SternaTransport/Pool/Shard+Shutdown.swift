import NIOCore
import SternaCore

/// The end of a shard whose engine is shut down.
extension Shard {
    static let shutDown = SternaError(
        .shutDown, phase: .queue, "The engine was shut down. Make a new one, or use the shared one.")

    /// Takes no more requests; the promise is fulfilled when those under way have ended, by themselves or when the grace is
    /// over; of several calls the one whose grace is over first counts.
    func shutDown(_ promise: EventLoopPromise<Void>, grace: TimeAmount) {
        endGrace(at: clock.now + grace)
        if let drained {
            drained.futureResult.cascade(to: promise)
            return
        }
        isShutDown = true
        drained = promise
        closeIdle()
        proxyConnections.shutDown()
        for exchange in active where exchange.carrier == nil { abandon(exchange, Self.shutDown) }
        for dial in dials { dial.cancel() }
        checkDrained()
    }

    private func endGrace(at moment: NIODeadline) {
        if let graceEnd, graceEnd.at <= moment { return }
        graceEnd?.task.cancel()
        graceEnd = (moment, clock.schedule(at: moment, on: loop) { self.abandonAll() })
    }

    /// All shards have ended, and nothing more comes; what another shard's grace has cut short here ends, too.
    func graceIsOver() {
        if !active.isEmpty || !dials.isEmpty { abandonAll() }
        graceEnd?.task.cancel()
        graceEnd?.at = .uptimeNanoseconds(0)
    }

    /// Ends what is still under way.
    private func abandonAll() {
        grace.end()
        for exchange in active { abandon(exchange, Self.shutDown) }
        for dial in dials { dial.cancel() }
        for pool in idlePools {
            for connection in pool.idle { connection.abort(evenIfClosing: true) }
            for connection in pool.streams { connection.abort(evenIfClosing: true) }
        }
        proxyConnections.abandonAll()
        // What is left closes in its own time.
        drained?.succeed(())
    }

    /// Ends when nothing is left; not before the end of this turn, in which a connection may close ahead of the answer that it
    /// brought, and which may lead elsewhere.
    func checkDrained() {
        guard isDrained else { return }
        loop.execute {
            guard self.isDrained else { return }
            self.proxyConnections.abandonAll()
            self.drained?.succeed(())
        }
    }

    private var isDrained: Bool {
        isShutDown && active.isEmpty && dials.isEmpty && counts.open == 0 && !grace.isHeld
    }
}
