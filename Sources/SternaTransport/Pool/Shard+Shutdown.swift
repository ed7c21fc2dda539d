import NIOCore
import SternaCore

/// The shutdown of a shard, and its end, with its engine.
extension Shard {
    static let shutDown = SternaError(
        .shutDown, phase: .queue, "The engine was shut down. Make a new one, or use the shared one.")

    /// Stops taking requests. The promise succeeds when the requests under way have ended, by themselves or at the end of the
    /// grace. Of several calls, the one whose grace ends first counts.
    func shutDown(_ promise: EventLoopPromise<Void>, grace: TimeAmount) {
        loop.assertInEventLoop()
        endGrace(at: clock.now + grace)
        if let drained {
            drained.futureResult.cascade(to: promise)
            return
        }
        drained = promise
        closeIdle()
        proxyConnections.shutDown()
        for exchange in active.members where exchange.codec == nil { abandon(exchange, Self.shutDown) }
        for dial in dials.members { dial.cancel() }
        checkDrained()
    }

    /// Closes connections that are idle now, and others as soon as they become idle.
    func engineIsGone() {
        loop.assertInEventLoop()
        hasLostEngine = true
        closeIdle()
        proxyConnections.shutDown()
        if active.isEmpty { limitTimer.clear() }
    }

    private func endGrace(at moment: NIODeadline) {
        guard !graceTimer.isSet(by: moment) else { return }
        graceTimer.clear()
        graceTimer.set(clock.schedule(at: moment, on: loop) { self.abandonAll() }, at: moment)
    }

    /// Finishes the shutdown once all shards have ended and no more requests arrive. Ends requests and dials that remain because
    /// another shard has ended the grace.
    func graceIsOver() {
        loop.assertInEventLoop()
        if !active.isEmpty || !dials.isEmpty { abandonAll() }
        graceTimer.stop()
    }

    /// Ends the requests, dials and connections that are still under way.
    private func abandonAll() {
        grace.end()
        for exchange in active.members { abandon(exchange, Self.shutDown) }
        for dial in dials.members { dial.cancel() }
        for pool in idlePools { pool.abandonAll() }
        proxyConnections.abandonAll()
        // Remaining connections close in their own time.
        drained?.succeed(())
    }

    /// Completes the shutdown when nothing is left, but not before the end of this turn of the event loop. A connection may close
    /// before the response that it delivered is processed, and that response may lead to another request.
    func checkDrained() {
        loop.assertInEventLoop()
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
