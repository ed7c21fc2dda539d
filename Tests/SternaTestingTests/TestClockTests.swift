import NIOCore
import NIOPosix
import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTesting

@Suite("A test's clock")
struct TestClockTests {
    @Test("A cancelled wait for a timer ends, cancelled before or during it", arguments: [false, true])
    func cancelled(early: Bool) async {
        let clock = TestClock()
        let waiting = Task {
            if early { withUnsafeCurrentTask { $0?.cancel() } }
            await clock.waitForTimer(within: .seconds(60))
        }
        if !early { waiting.cancel() }
        await waiting.value
    }

    @Test("A timer that is due at once does not end a wait for a pending one")
    func due() async {
        let clock = TestClock()
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let waiting = Task { await clock.waitForTimer(within: .seconds(60)) }
        #expect(await eventually { clock.waiterCount == 1 })
        clock.clock.schedule(in: .zero, on: loop) {}
        expectEqual(clock.waiterCount, 1)
        let timer = clock.clock.schedule(in: .seconds(1), on: loop) {}
        expectEqual(clock.timerCount, 1)
        await waiting.value
        timer.cancel()
    }
}
