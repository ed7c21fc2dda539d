import NIOCore
import SternaCore
import Synchronization
import Testing

@testable import SternaTestSupport

@Suite("Calls with several attempts at once")
struct CallStepsTests {
    private final class Step: CallStep {
        private let counts = Mutex((cancelled: 0, resumed: 0))

        var cancelled: Int { counts.withLock { $0.cancelled } }
        var resumed: Int { counts.withLock { $0.resumed } }

        func callCancelled() { counts.withLock { $0.cancelled += 1 } }
        func callResumed() { counts.withLock { $0.resumed += 1 } }
    }

    @Test("Resuming and cancelling reach every attempt that has not ended")
    func all() {
        let call = Call(deadline: .now() + .hours(1))
        let steps = (0..<4).map { _ in Step() }
        for step in steps { #expect(call.begin(step)) }
        expectEqual(call.attempts, 4)
        call.end(steps[1])
        call.pause()
        call.resume()
        expectEqual(steps.map(\.resumed), [1, 0, 1, 1])
        call.end(steps[3])
        call.end(steps[3])
        call.cancel()
        expectEqual(steps.map(\.cancelled), [1, 0, 1, 0])
        #expect(!call.begin(Step()))
    }

    @Test("An attempt that begins again is listed once")
    func again() {
        let call = Call(deadline: .now() + .hours(1))
        let step = Step()
        #expect(call.begin(step) && call.begin(step))
        call.cancel()
        expectEqual(step.cancelled, 1)
        call.end(step)
        call.cancel()
        expectEqual(step.cancelled, 1)
    }
}
