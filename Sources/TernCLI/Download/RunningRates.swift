import NIOCore
import Sterna

/// The rates of transfers that run, measured from one drawing of the screen to the next: they decrease while nothing arrives.
struct RunningRates<ID: Hashable & Sendable>: Sendable {
    private struct Entry: Sendable {
        var meter = ProgressMeter()
        /// The bytes that had arrived before the first drawing, which say nothing about the rate.
        var start: Int64

        var completed: Int64 { start.addingReportingOverflow(meter.completed).partialValue }
    }

    private var entries: [ID: Entry] = [:]

    /// Returns the progress of a transfer with its rate at a moment.
    mutating func measured(_ progress: TransferProgress, of id: ID, at now: NIODeadline) -> TransferProgress {
        var entry = entries[id] ?? Entry(start: progress.completed)
        // The transfer has started over.
        if progress.completed < entry.completed { entry = Entry(start: progress.completed) }
        let (new, overflow) = progress.completed.subtractingReportingOverflow(entry.completed)
        entry.meter.add(overflow ? 0 : Int(clamping: new), at: now)
        entries[id] = entry
        var measured = progress
        measured.rate = entry.meter.progress(at: now).rate
        return measured
    }

    /// Forgets all transfers but these.
    mutating func keep(_ ids: Set<ID>) { entries = entries.filter { ids.contains($0.key) } }
}
