import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Tasks: states")
struct TaskLifecycleTests {
    private struct Row: CustomTestStringConvertible, Sendable {
        let steps: String
        let state: TaskState
        let last: TaskLifecycle.Effect

        var testDescription: String { steps }
    }

    // Letters: r resumes, s suspends, c cancels, e ends.
    private static let rows = [
        Row(steps: "r", state: .running, last: .begin),
        Row(steps: "rr", state: .running, last: .nothing),
        Row(steps: "s", state: .suspended, last: .nothing),
        Row(steps: "rs", state: .suspended, last: .pause),
        Row(steps: "rss", state: .suspended, last: .nothing),
        Row(steps: "rssr", state: .running, last: .goOn),
        Row(steps: "c", state: .cancelling, last: .complete),
        Row(steps: "rc", state: .cancelling, last: .cancel),
        Row(steps: "rsc", state: .cancelling, last: .cancel),
        Row(steps: "rcc", state: .cancelling, last: .nothing),
        Row(steps: "rcr", state: .cancelling, last: .nothing),
        Row(steps: "rcs", state: .cancelling, last: .nothing),
        Row(steps: "rer", state: .completed, last: .nothing),
        Row(steps: "res", state: .completed, last: .nothing),
        Row(steps: "rec", state: .completed, last: .nothing),
    ]

    @Test("Each call leads to its state and effect", arguments: rows)
    private func table(row: Row) {
        var lifecycle = TaskLifecycle()
        var last = TaskLifecycle.Effect.nothing
        for step in row.steps {
            switch step {
            case "r": last = lifecycle.resume()
            case "s": last = lifecycle.suspend()
            case "c": last = lifecycle.cancel()
            default:
                let isFirst = lifecycle.complete()
                #expect(isFirst)
                last = .nothing
            }
        }
        expectEqual(lifecycle.state, row.state)
        expectEqual(last, row.last)
    }

    @Test("A task completes once")
    func once() {
        var lifecycle = TaskLifecycle()
        _ = lifecycle.resume()
        let completions = [lifecycle.complete(), lifecycle.complete()]
        expectEqual(completions, [true, false])
        expectEqual(lifecycle.state, .completed)
    }
}
