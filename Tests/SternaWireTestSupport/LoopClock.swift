import NIOCore
import SternaCore

/// The clock of an event loop whose time a test moves.
final class LoopClock: ClockSource {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) { self.loop = loop }

    var now: NIODeadline { loop.now }

    func schedule(
        at moment: NIODeadline, on loop: any EventLoop, _ work: @escaping @Sendable () -> Void
    ) -> @Sendable () -> Void {
        let scheduled = loop.scheduleTask(deadline: moment, work)
        return { scheduled.cancel() }
    }
}
