/// Runs the user code of one task (callbacks and decisions) in order, one call at a time, on the target that the caller chose.
///
/// It runs in a Swift task of its own, which inherits the task-local values of the code that makes the queue.
package final class UserCallbackQueue: Sendable {
    private typealias Question = nonisolated(nonsending) @Sendable () async -> Void

    // An enumeration, not a closure type: in a generic container an asynchronous closure would lose the isolation of its caller.
    private enum Work: Sendable {
        case call(@Sendable () -> Void)
        case question(Question)

        nonisolated(nonsending) func run() async {
            switch self {
            case .call(let call): call()
            case .question(let ask): await ask()
            }
        }
    }

    private let works: AsyncStream<Work>.Continuation

    package init(_ target: CallbackTarget) {
        let (stream, works) = AsyncStream<Work>.makeStream()
        self.works = works
        // The task refers only to the stream, and so ends with the queue.
        switch target {
        case .queue(let queue):
            Task(executorPreference: QueueExecutor(queue)) {
                for await work in stream { await work.run() }
            }
        case .executor(let executor):
            Task(executorPreference: executor) {
                for await work in stream { await work.run() }
            }
        case .actor(let actor):
            Task {
                for await work in stream { await Self.run(work, on: actor) }
            }
        }
    }

    deinit { works.finish() }

    private static func run(_ work: Work, on actor: isolated any Actor) async { await work.run() }

    /// Enqueues work after all work that was posted before.
    package func post(_ work: @escaping @Sendable () -> Void) { works.yield(.call(work)) }

    /// Enqueues work, and returns its result once it has run; nil if the queue has ended, or the waiting Swift task is cancelled:
    /// a target that does not run must not keep a task from being cancelled.
    func ask<Answer: Sendable>(
        _ work: nonisolated(nonsending) @escaping @Sendable () async -> Answer
    ) async -> Answer? {
        let outcome = TaskOutcome<Answer>()
        let accepted = works.yield(.question { outcome.set(.success(await work())) })
        if case .terminated = accepted { return nil }
        return try? await outcome.value
    }

    /// Enqueues the last work; later work is dropped.
    package func end(_ work: @escaping @Sendable () -> Void) {
        post(work)
        works.finish()
    }
}
