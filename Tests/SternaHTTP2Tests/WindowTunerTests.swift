import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransport

@Suite("HTTP/2: the window that uses a connection in full")
struct WindowTunerTests {
    private static let initial = ReceiveWindow.initial
    private static let minute = WindowTuner.probeInterval
    private static let round: Int64 = 40_000_000

    /// Has so many bytes arrive between a probe, which must be due, and its answer.
    private func probe(_ tuner: inout WindowTuner, at now: Int64, bytes: [Int], round: Int64 = round) {
        for (place, count) in bytes.enumerated() {
            let isDue = tuner.received(count, at: now)
            expectEqual(isDue, (place == 0))
        }
        tuner.answered(at: now + round)
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

    @Test("The target is twice the bytes of a probe's round trip, if the windows limited them", arguments: rows)
    func target(row: Row) {
        var tuner = WindowTuner(maximum: row.maximum)
        probe(&tuner, at: 0, bytes: row.bytes)
        expectEqual(tuner.target, row.target)
    }

    @Test("The target grows by rounds to the limit, with one probe", arguments: [1 << 20, 3 << 20, 16 << 20, 1 << 30])
    func growth(maximum: Int) {
        var tuner = WindowTuner(maximum: maximum)
        var now: Int64 = 5
        probe(&tuner, at: now, bytes: [Self.initial])
        var target = 2 * Self.initial
        expectEqual(tuner.target, target)
        now += Self.round
        while target < maximum {
            // What arrives within the round, and the first bytes behind it.
            for time in [0, Self.round / 2, Self.round] {
                let isDue = tuner.received(target / 2, at: now + time)
                #expect(!isDue)
            }
            target = min(maximum, 2 * target)
            expectEqual(tuner.target, target)
            now += Self.round
            // Those begin the next round.
            let isDue = tuner.received(target / 2 - target / 4, at: now + 1)
            #expect(!isDue)
            now += 2
            let isLate = tuner.received(0, at: now + Self.round)
            #expect(!isLate)
            now += Self.round
        }
        expectEqual(tuner.target, maximum)
        let isDue = tuner.received(maximum, at: now + 100 * Self.minute)
        #expect(!isDue)
    }

    @Test("Bytes that arrive late count for as many rounds as they took", arguments: [1, 2, 3, 10, 1_000])
    func late(rounds: Int64) {
        var tuner = WindowTuner()
        probe(&tuner, at: 0, bytes: [1])
        _ = tuner.received(3 << 20, at: Self.round)
        _ = tuner.received(1, at: Self.round + rounds * Self.round)
        let perRound = (3 << 20) / Int(rounds)
        expectEqual(tuner.target, perRound >= Self.initial / 3 * 2 ? max(Self.initial, 2 * perRound) : Self.initial)
    }

    @Test("A round is never so short that it measures a single read")
    func shortest() {
        var tuner = WindowTuner()
        probe(&tuner, at: 0, bytes: [1], round: 1_000)
        for number: Int64 in 0...20 { _ = tuner.received(20_000, at: 1_000 + number * 100_000) }
        // Ten reads in the shortest round.
        expectEqual(tuner.target, 2 * 200_000)
    }

    @Test("Without an acknowledgement of the probe there are no rounds")
    func unanswered() {
        var tuner = WindowTuner()
        _ = tuner.received(1, at: 0)
        for number: Int64 in 1...100 {
            let isDue = tuner.received(1 << 20, at: number * Self.minute)
            #expect(!isDue)
        }
        expectEqual(tuner.target, Self.initial)
    }

    @Test("The target never shrinks")
    func shrinking() {
        var tuner = WindowTuner()
        probe(&tuner, at: 0, bytes: [1 << 20])
        for number in 1...5 { probe(&tuner, at: Int64(number) * Self.minute, bytes: [100]) }
        expectEqual(tuner.target, 2 << 20)
    }

    @Test("A limit is at least the initial window", arguments: [Int.min, -1, 0, 1, ReceiveWindow.initial])
    func least(maximum: Int) {
        var tuner = WindowTuner(maximum: maximum)
        expectEqual(tuner.maximum, ReceiveWindow.initial)
        let isDue = tuner.received(10 << 20, at: 0)
        #expect(!isDue)
        expectEqual(tuner.target, ReceiveWindow.initial)
    }

    @Test("Probes are sent one at a time, at least a minute apart")
    func pace() {
        var tuner = WindowTuner()
        let tenth = Self.minute / 10
        var probes: [Int64] = []
        for step: Int64 in 0..<50 {
            if tuner.received(1, at: step * tenth) { probes.append(step) }
            // Late: in the middle of the minute that follows.
            if step % 20 == 15 { tuner.answered(at: step * tenth) }
        }
        expectEqual(probes, [0, 16, 36])
    }

    @Test("An unrequested acknowledgement is ignored")
    func unasked() {
        var tuner = WindowTuner()
        tuner.answered(at: 0)
        probe(&tuner, at: 0, bytes: [1 << 20])
        for number: Int64 in 1...3 { tuner.answered(at: number) }
        expectEqual(tuner.target, 2 << 20)
    }

    @Test("Frequent window updates enlarge the target, up to a limit")
    func busy() {
        var tuner = WindowTuner()
        for doublings in 0..<4 {
            expectEqual(tuner.target, Self.initial << doublings)
            tuner.isAskedOften()
        }
        for _ in 0..<100 { tuner.isAskedOften() }
        expectEqual(tuner.target, WindowTuner.busyTarget)
    }

    @Test("The settings' maximum and a probe's larger target hold there, too")
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
