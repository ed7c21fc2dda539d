public import Dispatch

/// Where callbacks and the closures of ``TaskDecisions`` run.
///
/// The callbacks of one task run one after another, whatever the target. On a serial queue, so do those of several tasks. They run
/// in a Swift task with the task-local values of the code that created the task.
///
/// ``main`` needs a running main loop. An application has one, as has a program with an asynchronous `main` while it awaits. Other
/// programs call `dispatchMain()` or `RunLoop.main.run()`, or choose their own queue.
public enum CallbackTarget: Sendable {
    /// A queue; a concurrent one runs callbacks of several tasks at the same time.
    case queue(DispatchQueue)

    /// A task executor.
    case executor(any TaskExecutor)

    /// An actor; callbacks are isolated to it and reach its state with `assumeIsolated`.
    case actor(any Actor)

    /// The main queue, whose callbacks reach the main actor's state with `MainActor.assumeIsolated { … }`. On Linux, if `main` is
    /// asynchronous, the queue leaves the first thread, so do not rely on `Thread.isMainThread`.
    public static var main: CallbackTarget { .queue(.main) }
}

/// A task executor that runs its jobs on a queue.
final class QueueExecutor: TaskExecutor {
    private let queue: DispatchQueue

    init(_ queue: DispatchQueue) { self.queue = queue }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
