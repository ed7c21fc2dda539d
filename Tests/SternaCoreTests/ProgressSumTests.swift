import SternaCore
import Testing

@testable import SternaTestSupport

@Suite("Sums of progress")
struct ProgressSumTests {
    enum Change: Sendable {
        case add(Int64?)
        /// With the bytes that were there before, and those that it is said to have moved.
        case set(Int64, of: Int64?, from: Int64 = 0, moved: Int64?)
        case remove
        case end(Bool)

        func apply(to sum: inout ProgressSum, _ id: Int) {
            switch self {
            case .add(let total): sum.add(id, total: total)
            case .set(let completed, let total, let resumedAt, let moved):
                let progress = TransferProgress(completed: completed, total: total)
                expectEqual(sum.set(id, progress, resumedAt: resumedAt), moved, "\(self)")
            case .remove: sum.remove(id)
            case .end(let succeeded): sum.end(id, succeeded: succeeded)
            }
        }
    }

    /// What a sum says: the numbers of all, of those that succeeded, and of those that failed; bytes, total, and estimate.
    struct Said: Sendable, Equatable {
        var numbers: [Int]
        var completed: Int64
        var total: Int64?
        var estimate: Int64?

        init(_ numbers: [Int], _ completed: Int64, _ total: Int64?, _ estimate: Int64?) {
            (self.numbers, self.completed, self.total, self.estimate) = (numbers, completed, total, estimate)
        }

        init(_ sum: ProgressSum) {
            self.init([sum.count, sum.finished, sum.failed], sum.completed, sum.total, sum.estimate)
        }
    }

    static let table: [(String, [(Int, Change)], Said)] = [
        ("nothing", [], Said([0, 0, 0], 0, 0, 0)),
        ("no length is known", [(0, .add(nil)), (1, .add(nil))], Said([2, 0, 0], 0, nil, nil)),
        ("all are known", [(0, .add(100)), (1, .add(300))], Said([2, 0, 0], 0, 400, 400)),
        (
            "the total is known once each is",
            [(0, .add(nil)), (1, .add(nil)), (0, .set(80, of: 100, moved: 80)), (1, .set(20, of: 300, moved: 20))],
            Said([2, 0, 0], 100, 400, 400)
        ),
        (
            "an unknown length counts with the mean of the others",
            [(1, .add(100)), (2, .add(300)), (3, .add(nil)), (4, .add(nil))], Said([4, 0, 0], 0, nil, 800)
        ),
        (
            "an estimate is not less than what there is",
            [(1, .add(100)), (2, .add(300)), (3, .add(nil)), (4, .add(nil)), (3, .set(900, of: nil, moved: 900))],
            Said([4, 0, 0], 900, nil, 900)
        ),
        ("a transfer is added once", [(1, .add(100)), (1, .add(300))], Said([1, 0, 0], 0, 100, 100)),
        (
            "what was there before has not moved",
            [
                (0, .add(nil)), (0, .set(1_000, of: 5_000, from: 1_000, moved: 0)),
                (0, .set(1_500, of: 5_000, from: 1_000, moved: 500)),
            ], Said([1, 0, 0], 1_500, 5_000, 5_000)
        ),
        (
            "what comes a second time has not moved, until there is more of it",
            [
                (0, .add(5_000)), (0, .set(900, of: 5_000, moved: 900)), (0, .set(5, of: nil, moved: 0)),
                (0, .set(1_000, of: nil, moved: 100)),
            ], Said([1, 0, 0], 1_000, nil, nil)
        ),
        (
            "one that ends counts with what it got",
            [
                (0, .add(100)), (1, .add(nil)), (2, .add(nil)), (0, .set(40, of: 100, moved: 40)), (0, .end(false)),
                (1, .set(60, of: 60, moved: 60)), (1, .end(true)), (2, .end(false)),
            ], Said([3, 1, 2], 100, 100, 100)
        ),
        (
            "nothing happens after the end",
            [
                (0, .add(100)), (0, .set(100, of: 100, moved: 100)), (0, .end(true)), (0, .end(false)), (0, .remove),
                (0, .set(7, of: 9, moved: nil)),
            ], Said([1, 1, 0], 100, 100, 100)
        ),
        (
            "one that is removed counts no more",
            [(0, .add(100)), (1, .add(9_999)), (1, .set(5, of: nil, moved: 5)), (1, .remove), (1, .remove)],
            Said([1, 0, 0], 0, 100, 100)
        ),
        (
            "unknown numbers change nothing",
            [(0, .add(10)), (7, .set(1, of: nil, moved: nil)), (-1, .set(-1, of: -1, moved: nil)), (3, .end(true))],
            Said([1, 0, 0], 0, 10, 10)
        ),
        (
            "negative counts are none", [(0, .add(-4)), (0, .set(-1, of: -1, from: -4, moved: 0))],
            Said([1, 0, 0], 0, 0, 0)
        ),
        (
            "absurd lengths do not overflow",
            [
                (0, .add(.max)), (1, .add(.max)), (2, .add(nil)), (3, .add(.max)),
                (0, .set(.max, of: .max, from: .min, moved: .max)), (1, .set(.max, of: .max, from: .max, moved: 0)),
            ], Said([4, 0, 0], .max, nil, .max)
        ),
        (
            "nor do their ends",
            [
                (0, .add(.max)), (1, .add(.max)), (2, .add(nil)), (0, .set(.max, of: .max, moved: .max)),
                (1, .set(.max, of: .max, moved: .max)), (0, .end(true)), (1, .end(false)), (2, .end(true)),
            ], Said([3, 2, 1], .max, .max, .max)
        ),
        (
            "nor are they remembered",
            [
                (0, .add(.max)), (1, .add(.max)), (2, .add(30)), (0, .set(.max, of: .max, moved: .max)),
                (1, .set(.max, of: .max, moved: .max)), (0, .set(10, of: 20, moved: 0)), (1, .remove),
            ], Said([2, 0, 0], 10, 50, 50)
        ),
    ]

    @Test("A sum after changes, and the sum of two parts, have the expected values", arguments: table)
    func sums(_ name: String, _ changes: [(Int, Change)], _ expected: Said) {
        var (sum, parts) = (ProgressSum(), [ProgressSum(), ProgressSum()])
        for (id, change) in changes {
            change.apply(to: &sum, id)
            change.apply(to: &parts[id & 1], id)
        }
        expectEqual(Said(sum), expected, "\(name)")
        expectEqual(Said(parts[0] + parts[1]), expected, "\(name)")
    }

    @Test("A sum has the progress of each transfer that has not ended")
    func one() {
        var sum = ProgressSum()
        sum.add(1, total: 50)
        expectEqual(sum[1], TransferProgress(completed: 0, total: 50))
        sum.set(1, TransferProgress(completed: 3, rate: 9), resumedAt: 2)
        expectEqual(sum[1], TransferProgress(completed: 3))
        expectNil(sum[2])
        sum.end(1, succeeded: true)
        expectNil(sum[1])
    }
}
