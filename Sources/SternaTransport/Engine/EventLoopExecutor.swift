import NIOCore

/// Runs a task's jobs on an event loop.
// Invariant: the stored `var`s are touched on the loop only.
final class EventLoopExecutor: TaskExecutor, @unchecked Sendable {
    private let loop: any EventLoop
    private var keeps = false
    private var kept: UnownedJob?

    init(_ loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if loop.inEventLoop, keeps, kept == nil {
            kept = job
        } else {
            loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    /// Does work on the loop; the task that it wakes runs as soon as it is done, without the way round by the loop's own list.
    ///
    /// Where it wakes several, the others take that way, as do those that the first one wakes.
    func wakingAfter(_ work: () -> Void) {
        guard !keeps else { return work() }
        keeps = true
        work()
        keeps = false
        guard let job = kept else { return }
        kept = nil
        job.runSynchronously(on: asUnownedTaskExecutor())
    }
}
