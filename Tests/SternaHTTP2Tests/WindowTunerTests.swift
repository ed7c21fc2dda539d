import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransport

@Suite("HTTP/2: how much is on its way for a connection to be used in full")
struct WindowTunerTests {
    private static let initial = ReceiveWindow.initial
    private static let second = WindowTuner.probeInterval

    /// Has so many bytes come between a probe, which must be due, and its answer.
    private func probe(_ tuner: inout WindowTuner, at now: Int64, bytes: [Int]) {
        for (place, count) in bytes.enumerated() {
            let isDue = tuner.received(count, at: now)
            expectEqual(isDue, (place == 0))
        }
        tuner.answered()
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let bytes: [Int]
        var maximum = 16 << 20
        let target: Int
        var testDescription: String { "\(bytes)" }
    }

    static let rows = [
        // What a probe's time has brought, twice.
        Row(bytes: [initial], target: 2 * initial),
        Row(bytes: [initial / 2, initial / 2], target: 2 * initial),
        Row(bytes: [1_000_000], target: 2_000_000),
        Row(bytes: [Int](repeating: 10_000, count: 60), target: 1_200_000),
        // Less than the windows would have let through: they were not what held it up.
        Row(bytes: [1], target: initial),
        Row(bytes: [0], target: initial),
        Row(bytes: [initial / 2], target: initial),
        Row(bytes: [initial / 3, initial / 3 - 1], target: initial),
        // Never above the limit.
        Row(bytes: [12 << 20], target: 16 << 20),
        Row(bytes: [100 << 20], target: 16 << 20),
        Row(bytes: [initial], maximum: initial + 1, target: initial + 1),
    ]

    @Test("The target is twice what came within a probe, where the windows held it up", arguments: rows)
    func target(row: Row) {
        var tuner = WindowTuner(maximum: row.maximum)
        probe(&tuner, at: 0, bytes: row.bytes)
        expectEqual(tuner.target, row.target)
    }

    @Test("It grows step by step to the limit, then asks no more", arguments: [1 << 20, 3 << 20, 16 << 20, 1 << 30])
    func growth(maximum: Int) {
        var tuner = WindowTuner(maximum: maximum)
        var now: Int64 = 5
        var steps = 0
        while tuner.target < maximum, steps < 40 {
            let before = tuner.target
            probe(&tuner, at: now, bytes: [before])
            expectEqual(tuner.target, min(maximum, 2 * before))
            now += Self.second
            steps += 1
        }
        expectEqual(tuner.target, maximum)
        let isDue = tuner.received(maximum, at: now + 100 * Self.second)
        #expect(!isDue)
    }

    @Test("It never shrinks")
    func shrinking() {
        var tuner = WindowTuner()
        probe(&tuner, at: 0, bytes: [1 << 20])
        for number in 1...5 { probe(&tuner, at: Int64(number) * Self.second, bytes: [100]) }
        expectEqual(tuner.target, 2 << 20)
    }

    @Test("A limit below the beginning is the beginning", arguments: [Int.min, -1, 0, 1, ReceiveWindow.initial])
    func least(maximum: Int) {
        var tuner = WindowTuner(maximum: maximum)
        expectEqual(tuner.maximum, ReceiveWindow.initial)
        let isDue = tuner.received(10 << 20, at: 0)
        #expect(!isDue)
        expectEqual(tuner.target, ReceiveWindow.initial)
    }

    @Test("One probe at a time, and none within a second of the last")
    func pace() {
        var tuner = WindowTuner()
        let tenth = Self.second / 10
        var probes: [Int64] = []
        for step: Int64 in 0..<50 {
            if tuner.received(1, at: step * tenth) { probes.append(step) }
            // Late: in the middle of the second that follows.
            if step % 20 == 15 { tuner.answered() }
        }
        expectEqual(probes, [0, 16, 36])
    }

    @Test("An unrequested answer is ignored")
    func unasked() {
        var tuner = WindowTuner()
        tuner.answered()
        probe(&tuner, at: 0, bytes: [1 << 20])
        for _ in 0..<3 { tuner.answered() }
        expectEqual(tuner.target, 2 << 20)
        _ = tuner.received(8 << 20, at: 1)
        tuner.answered()
        expectEqual(tuner.target, 2 << 20)
    }

    @Test("Where the peer is told all the time to go on, more is allowed at a time, up to a limit")
    func busy() {
        var tuner = WindowTuner()
        for doublings in 0..<4 {
            expectEqual(tuner.target, Self.initial << doublings)
            tuner.isAskedOften()
        }
        for _ in 0..<100 { tuner.isAskedOften() }
        expectEqual(tuner.target, WindowTuner.busyTarget)
    }

    @Test("What the settings or a probe say of the windows holds there, too")
    func busyLimits() {
        var small = WindowTuner(maximum: Self.initial + 1)
        var large = WindowTuner()
        probe(&large, at: 0, bytes: [8 << 20])
        for _ in 0..<100 {
            small.isAskedOften()
            large.isAskedOften()
        }
        expectEqual(small.target, Self.initial + 1)
        expectEqual(large.target, 16 << 20)
    }
}
