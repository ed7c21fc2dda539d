import NIOCore
public import SternaCore
import Synchronization

/// Downloads several files, a limited number of them at the same time.
///
///     let batch = api.download(["a.iso", "b.iso", "c.iso"], into: "/data", concurrency: 2)
///     for await step in batch.progress { print(step) }  // 1 of 3 files, 37% of 1.2 GB, 48 MB/s, 16 s left
///     for result in try await batch.results { print(try result.get().path) }
///
/// A failed file does not stop the others. Waiting downloads are suspended tasks, which hold no connection; resuming one of them
/// starts it at once, in excess of the limit. Releasing a running batch does not cancel it.
public final class DownloadBatch: Sendable {
    /// The downloads, in the order of their files.
    public let tasks: [DownloadTask]

    private struct State {
        var plan: QueuePlan<Int>
        var meter: BatchMeter
    }

    private let state: Mutex<State>
    private let channel: UpdateChannel<BatchProgress>

    // Keeps the effects of `suspend` and `resume` in the order of their changes of state.
    private let transitions = Mutex(())

    /// - Parameter tasks: tasks that were not started.
    init(_ tasks: [DownloadTask], concurrency: Int) {
        self.tasks = tasks
        channel = UpdateChannel(BatchProgress(files: tasks.count))
        var plan = QueuePlan<Int>(.init(total: concurrency))
        for index in tasks.indices {
            plan.add(index)
            plan.ask(index)
        }
        state = Mutex(State(plan: plan, meter: BatchMeter(files: tasks.count)))
        if tasks.isEmpty { channel.end() }
    }

    /// The result of each file, in order, when all downloads are complete.
    ///
    /// Throws `cancelled` if the awaiting Swift task is cancelled, which does not cancel the downloads. Awaiting does not start a
    /// suspended batch.
    public var results: [Result<DownloadedFile, SternaError>] {
        get async throws {
            var results: [Result<DownloadedFile, SternaError>] = []
            for task in tasks {
                do {
                    results.append(.success(try await task.value))
                } catch {
                    // A complete task has an error of its own; otherwise only the wait was cancelled.
                    guard let failure = task.error else { throw error }
                    results.append(.failure(failure))
                }
            }
            return results
        }
    }

    /// The progress over all files: the current value, and a sequence of changes, which ends with the last file.
    public var progress: Updates<BatchProgress> {
        Updates(channel, current: { self.state.withLock { $0.meter.progress(at: .now()) } })
    }

    /// Whether all downloads are complete, including failed and cancelled ones.
    public var isFinished: Bool { tasks.allSatisfy(\.isFinished) }

    // MARK: State

    /// Starts the batch, or resumes a suspended one.
    public func resume() {
        transitions.withLock { _ in
            for index in state.withLock({ $0.plan.resume() }) { tasks[index].resume() }
            startNext()
        }
    }

    /// Suspends all running downloads, and starts no others until ``resume()``.
    public func suspend() {
        transitions.withLock { _ in
            for index in state.withLock({ $0.plan.suspend() }) { tasks[index].suspend() }
        }
    }

    /// Cancels all downloads, and deletes their partial files. Complete files stay.
    public func cancel() {
        endWaiting()
        for task in tasks { task.cancel() }
    }

    /// Cancels all downloads, and keeps the partial files of those that can be resumed.
    ///
    /// - Returns: the resume data of each file, in order; nil for a file that is complete, was not started, or cannot be resumed.
    @discardableResult
    public func cancelProducingResumeData() async -> [ResumeData?] {
        endWaiting()
        return await withTaskGroup(of: (Int, ResumeData?).self) { group in
            for (index, task) in tasks.enumerated() {
                group.addTask { (index, await task.cancelProducingResumeData()) }
            }
            return await group.reduce(into: Array(repeating: nil, count: tasks.count)) { $0[$1.0] = $1.1 }
        }
    }

    // MARK: Work

    private func startNext() {
        for index in state.withLock({ $0.plan.next() }) {
            tasks[index].resume()
            // The task keeps the batch alive while one of its downloads runs.
            Task { await self.watch(index) }
        }
    }

    private func watch(_ index: Int) async {
        let task = tasks[index]
        for await step in task.progress {
            report { $0.meter.set(index, step, resumedAt: task.resumedAt, at: .now()) }
        }
        // The sequence ends with the task, whose outcome follows at once.
        let file = try? await task.value
        let resumedAt = file?.resumedAt ?? task.resumedAt
        report { $0.meter.end(index, length: file?.length, resumedAt: resumedAt, at: .now()) }
        transitions.withLock { _ in
            state.withLock { _ = $0.plan.remove(index) }
            startNext()
        }
        endIfOver()
    }

    /// Removes the downloads that have not started from the queue, and counts them as failed.
    private func endWaiting() {
        report { state in
            for index in state.plan.waiting {
                state.plan.remove(index)
                state.meter.end(index, length: nil, resumedAt: 0, at: .now())
            }
        }
        endIfOver()
    }

    private func endIfOver() {
        if state.withLock({ $0.plan.count == 0 }) { channel.end() }
    }

    private func report(_ change: (inout State) -> Void) {
        // Reports under the lock, so that an older value does not replace a newer one.
        state.withLock { state in
            change(&state)
            channel.report(state.meter.progress(at: .now()))
        }
    }
}
