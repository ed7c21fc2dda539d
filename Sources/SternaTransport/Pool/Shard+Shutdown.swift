import NIOCore
import SternaCore

/// The end of a shard whose engine is shut down.
extension Shard {
    static let shutDown = SternaError(
        .shutDown, phase: .queue, "The engine was shut down. Make a new one, or use the shared one.")

    /// Takes no more requests; the promise is fulfilled when those under way have ended, by themselves or when the grace is
    /// over; of several calls the one whose grace is over first counts.
    func shutDown(_ promise: EventLoopPromise<Void>, grace: TimeAmount) {
        endGrace(at: loop.now + grace)
        if let drained {
            drained.futureResult.cascade(to: promise)
            return
        }
        isShutDown = true
        drained = promise
        promise.futureResult.assumeIsolated().whenComplete { _ in
            self.graceEnd?.task.cancel()
            self.graceEnd?.at = .uptimeNanoseconds(0)
        }
        closeIdle()
        proxyConnections.shutDown()
        for exchange in active where exchange.carrier == nil { abandon(exchange, Self.shutDown) }
    /// Whether a request that comes behind the shutdown belongs to one that came before it: another attempt, or where a redirect
    /// leads.
    func goesOnInGrace(_ exchange: Exchange) -> Bool {
        !grace.isOver && (exchange.attempt > 1 || exchange.request.options[GraceKey.self] != nil)
    }

        for dial in dials { dial.cancel() }
        checkDrained()
    }

    private func endGrace(at moment: NIODeadline) {
        if let graceEnd, graceEnd.at <= moment { return }
        graceEnd?.task.cancel()
        graceEnd = (moment, loop.assumeIsolated().scheduleTask(deadline: moment) { self.abandonAll() })
    }

    /// Ends what is still under way.
    private func abandonAll() {
        for exchange in active { abandon(exchange, Self.shutDown) }
        for dial in dials { dial.cancel() }
        for pool in idlePools {
            for connection in pool.state.idle { connection.abort(evenIfClosing: true) }
            for connection in pool.streams { connection.abort(evenIfClosing: true) }
        }
        proxyConnections.abandonAll()
        // What is left closes in its own time.
        drained?.succeed(())
    }

    func checkDrained() {
        guard isShutDown, active.isEmpty, dials.isEmpty, counts.open == 0 else { return }
        proxyConnections.abandonAll()
        drained?.succeed(())
    }
}
