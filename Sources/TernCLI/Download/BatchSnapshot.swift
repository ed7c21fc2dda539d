import NIOCore
import Sterna
import Synchronization

/// The files of a batch at a moment, for the screen.
final class BatchSnapshot: Sendable {
    private let batch: DownloadBatch
    private let names: [String]

    private let rates = Mutex(RunningRates<Int>())

    init(batch: DownloadBatch, names: [String]) {
        self.batch = batch
        self.names = names
    }

    /// Returns the present screen.
    func screen() -> DownloadScreen {
        let now = NIODeadline.now()
        var screen = DownloadScreen()
        rates.withLock { rates in
            let running = batch.tasks.enumerated().filter { $1.state == .running || $1.state == .cancelling }
            rates.keep(Set(running.map(\.offset)))
            for (index, task) in running {
                let progress = rates.measured(task.progress.current, of: index, at: now)
                screen.rows.append(DownloadScreen.Row(name: names[index], progress: progress))
            }
        }
        guard names.count > 1 else { return screen }
        let all = batch.progress.current
        let failed = all.failed > 0 ? ", \(all.failed) failed" : ""
        screen.total = DownloadScreen.Row(name: "\(all.finished) of \(all.files) files\(failed)", progress: all.bytes)
        return screen
    }
}
