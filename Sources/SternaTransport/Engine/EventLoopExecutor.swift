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

    /// Runs work on the loop. The first task that it wakes runs directly afterwards, without a round trip through the loop's queue.
    ///
    /// Further tasks that the work wakes, and those that the first task wakes, go through the queue.
    func wakingAfter(_ work: () -> Void) {
        loop.assertInEventLoop()
        guard !keeps else { return work() }
        keeps = true
        work()
        keeps = false
        guard let job = kept else { return }
        kept = nil
        job.runSynchronously(on: asUnownedTaskExecutor())
    }
}
