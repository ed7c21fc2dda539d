import NIOCore
import NIOEmbedded
import SternaCore
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaTransport

@Suite("A timer for the earliest of many moments")
struct EarliestTimerTests {
    /// Counts the timers that were cancelled; none of them fires.
    private final class StoppedClock: ClockSource {
        let cancelled = Atomic<Int>(0)
        var now: NIODeadline { .uptimeNanoseconds(0) }

        func schedule(
            at moment: NIODeadline, on loop: any EventLoop, _ work: @escaping @Sendable () -> Void
        ) -> @Sendable () -> Void {
            { self.cancelled.wrappingAdd(1, ordering: .relaxed) }
        }
    }

    private let source = StoppedClock()
    private var cancelled: Int { source.cancelled.load(ordering: .relaxed) }

    private func moment(_ seconds: Int64) -> NIODeadline { .uptimeNanoseconds(0) + .seconds(seconds) }

    private func set(_ timer: inout EarliestTimer, at seconds: Int64) {
        let clock = NetworkClock(source: source)
        timer.set(clock.schedule(at: moment(seconds), on: EmbeddedEventLoop()) {}, at: moment(seconds))
    }

    @Test("A timer that fires earlier serves later moments, too")
    func laterMoments() {
        var timer = EarliestTimer()
        #expect(!timer.isSet(by: moment(5)))
        set(&timer, at: 5)
        #expect(timer.isSet(by: moment(5)))
        #expect(timer.isSet(by: moment(6)))
        #expect(!timer.isSet(by: moment(4)))
        expectEqual(cancelled, 0)
    }

    @Test("A timer that has fired, or was cleared, serves no moment")
    func fired() {
        var timer = EarliestTimer()
        set(&timer, at: 5)
        timer.fired()
        #expect(!timer.isSet(by: .distantFuture))
        expectEqual(cancelled, 0)
        set(&timer, at: 5)
        timer.clear()
        #expect(!timer.isSet(by: .distantFuture))
        expectEqual(cancelled, 1)
    }

    @Test("A timer that was stopped takes no further moments")
    func stopped() {
        var timer = EarliestTimer()
        timer.stop()
        #expect(!timer.isSet(by: .distantFuture))
        set(&timer, at: 5)
        timer.stop()
        #expect(timer.isSet(by: moment(1)))
        expectEqual(cancelled, 1)
    }
}
