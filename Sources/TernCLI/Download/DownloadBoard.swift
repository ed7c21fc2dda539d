import NIOCore
import Sterna
import Synchronization

/// The state of a batch's files at a moment, for the screen.
final class DownloadBoard: Sendable {
    private let batch: DownloadBatch
    private let names: [String]

    // The rate of each file that runs, which sinks while nothing arrives; and what it had at first.
    private let meters = Mutex<[Int: (meter: ProgressMeter, start: Int64)]>([:])

    init(batch: DownloadBatch, names: [String]) {
        self.batch = batch
        self.names = names
    }

    /// Returns the present screen.
    func screen() -> DownloadScreen {
        let now = NIODeadline.now()
        var screen = DownloadScreen()
        meters.withLock { meters in
            for (index, task) in batch.tasks.enumerated() {
                guard task.state == .running || task.state == .cancelling else {
                    meters[index] = nil
                    continue
                }
                var progress = task.progress.current
                // The first value has what an earlier attempt left, which says nothing about the rate.
                var known = meters[index] ?? (ProgressMeter(), progress.completed)
                let new = max(0, progress.completed - known.start - known.meter.completed)
                known.meter.add(Int(clamping: new), at: now)
                progress.rate = known.meter.progress(at: now).rate
                meters[index] = known
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
