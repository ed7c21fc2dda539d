import NIOCore
public import SternaCore
import Synchronization

/// A handle on the downloads of several files, of which a limited number runs at the same time.
///
///     let batch = api.download(["a.iso", "b.iso", "c.iso"], into: "/data", concurrency: 2)
///     for await step in batch.progress { print(step) }  // 1 of 3 files, 37% of 1.2 GB, 48 MB/s, 16 s left
///     for result in try await batch.results { print(try result.get().path) }
///
/// A file that fails does not stop the others. Those that wait are suspended tasks, which hold no connection; a waiting task that is
/// resumed by itself starts at once, beyond the limit. Releasing the handle of a running batch does not cancel it.
public final class DownloadBatch: Sendable {
    /// The downloads, in the order of their files.
    public let tasks: [DownloadTask]

    private struct State {
        var plan: QueuePlan<Int>
        var meter: BatchMeter
    }

    private let state: Mutex<State>
    private let channel: UpdateChannel<BatchProgress>

    // Orders the effects of `suspend` and `resume` as their state changes.
    private let transitions = Mutex(())

    /// - Parameter tasks: tasks that have not begun.
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

    /// The result of each file, in order, once all downloads are complete.
    ///
    /// Throws `cancelled` if the Swift task that waits is cancelled, which does not cancel the downloads. Waiting does not start a
    /// batch that is suspended.
    public var results: [Result<DownloadedFile, SternaError>] {
        get async throws {
            var results: [Result<DownloadedFile, SternaError>] = []
            for task in tasks {
                do {
                    results.append(.success(try await task.value))
                } catch {
                    // A complete task has an error of its own; else the wait alone was cancelled.
                    guard let failure = task.error else { throw error }
                    results.append(.failure(failure))
                }
            }
            return results
        }
    }

    /// The progress over all files: its present value, with the rate of this moment, and a sequence of its changes, which ends with
    /// the last file.
    public var progress: Updates<BatchProgress> {
        Updates(channel, current: { self.state.withLock { $0.meter.progress(at: .now()) } })
    }

    /// Whether all downloads are complete.
    public var isFinished: Bool { tasks.allSatisfy(\.isFinished) }

    // MARK: State

    /// Starts the batch, or continues a suspended one.
    public func resume() {
        transitions.withLock { _ in
            for index in state.withLock({ $0.plan.resume() }) { tasks[index].resume() }
            startNext()
        }
    }

    /// Suspends all downloads that run, and begins no other until ``resume()``.
    public func suspend() {
        transitions.withLock { _ in
            for index in state.withLock({ $0.plan.suspend() }) { tasks[index].suspend() }
        }
    }

    /// Cancels all downloads, and removes their partial files. Complete files stay.
    public func cancel() {
        endWaiting()
        for task in tasks { task.cancel() }
    }

    /// Cancels all downloads, and keeps the partial files that can be continued; returns what continues each file, in order: nil for
    /// a complete one, for one that cannot be continued, and for one that had not begun.
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
            // Retains the batch while one of its downloads runs.
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

    /// Notes the end of the downloads that have not begun, which begin no more.
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
        // Reported under the lock, so that no older value replaces a newer one.
        state.withLock { state in
            change(&state)
            channel.report(state.meter.progress(at: .now()))
        }
    }
}
