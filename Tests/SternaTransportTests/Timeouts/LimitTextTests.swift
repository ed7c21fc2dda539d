import NIOCore
import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransport

/// Limits in errors, as they were set.
@Suite("Limits as errors name them")
struct LimitTextTests {
    static let rows: [(Duration, String)] = [
        (.seconds(4), "4 s"), (.seconds(60), "60 s"), (.milliseconds(150), "0.15 s"), (.milliseconds(1), "0.001 s"),
        (.milliseconds(3_999), "3.999 s"), (.milliseconds(1_050), "1.05 s"), (.seconds(7 * 86_400), "604800 s"),
        // As a `Double` these are a little less.
        (.seconds(4.1), "4.1 s"), (.seconds(0.3), "0.3 s"), (.seconds(2.675), "2.675 s"), (.seconds(0.001), "0.001 s"),
        // What a clock has taken a moment of.
        (.nanoseconds(3_999_999_999), "4 s"), (.nanoseconds(59_999_600_000), "60 s"),
        (.seconds(-1), "0 s"), (.seconds(Int64.max), "3162240000 s"),
    ]

    @Test("Limits are shown to the nearest millisecond, without trailing zeros", arguments: rows)
    func text(duration: Duration, text: String) {
        expectEqual(Exchange.seconds(duration), text)
    }

    @Test("Every tenth of a second is shown exactly", arguments: 1...100)
    func tenths(count: Int) {
        var timeouts = Timeouts()
        timeouts.firstByte = .seconds(Double(count) / 10)
        expectEqual(timeouts.amounts.firstByte, .milliseconds(Int64(count) * 100))
        expectEqual(timeouts.firstByte, .milliseconds(count * 100))
    }

    @Test("A limit that steps share is shown in full")
    func shared() {
        let limit = StepLimit(.seconds(4), by: .system)
        #expect(limit.left <= .seconds(4))
        expectEqual(Exchange.seconds(limit.whole), "4 s")
        expectEqual(limit.again(.milliseconds(1)).whole, .seconds(4))
        expectEqual(StepLimit(.zero, by: .system).left, .milliseconds(1))
    }
}
