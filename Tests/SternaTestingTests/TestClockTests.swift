import SternaTesting
import Testing

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
}
