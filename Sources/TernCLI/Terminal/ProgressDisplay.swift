import NIOCore
import Sterna
import Synchronization

/// Draws a transfer's progress on standard error, if that is a terminal; draws nothing for short transfers.
final class ProgressDisplay: Sendable {
    private struct State {
        var label = ""
        var meter: ProgressMeter?
        var since = NIODeadline.now()
        var isDrawn = false
    }

    /// The time before a transfer's progress is drawn.
    private static let patience = TimeAmount.milliseconds(500)

    private let terminal: Terminal
    private let state = Mutex(State())
    private let isEnabled: Bool

    init(_ terminal: Terminal = .standardError, isEnabled: Bool = true) {
        self.terminal = terminal
        self.isEnabled = isEnabled && terminal.canRedraw
    }

    /// Runs work while updating the line, and clears the line at its end.
    func run<R: Sendable>(_ work: () async throws -> R) async rethrows -> R {
        guard isEnabled else { return try await work() }
        let ticker = Task {
            while !Task.isCancelled {
                try? await Task.sleep(for: .milliseconds(100))
                draw()
            }
        }
        let number = Cleanup.add { self.finish() }
        defer {
            ticker.cancel()
            Cleanup.run(number)
        }
        return try await work()
    }

    /// Begins a transfer.
    func begin(_ label: String, total: Int64?) {
        guard isEnabled else { return }
        finish()
        state.withLock { state in
            state.label = label
            state.meter = ProgressMeter(total: total)
            state.since = .now()
        }
    }

    /// Counts bytes.
    func add(_ bytes: Int) {
        guard isEnabled else { return }
        state.withLock { $0.meter?.add(bytes, at: .now()) }
    }

    /// Updates the upload progress of a request; clears the line once it is complete.
    func update(_ progress: TransferProgress) {
        guard isEnabled else { return }
        let isComplete = progress.completed == progress.total
        state.withLock { state in
            let new = progress.completed - (state.meter?.completed ?? 0)
            state.meter?.add(Int(clamping: max(0, new)), at: .now())
        }
        if isComplete { finish() }
    }

    /// Ends the transfer and clears the line.
    func finish() {
        state.withLock { state in
            state.meter = nil
            guard state.isDrawn else { return }
            state.isDrawn = false
            try? Descriptor.standardError.write("\r\u{1B}[K")
        }
    }

    private func draw() {
        state.withLock { state in
            let now = NIODeadline.now()
            guard let meter = state.meter, now - state.since >= Self.patience else { return }
            let line = ProgressBar.render(meter.progress(at: now), label: state.label, width: terminal.width)
            state.isDrawn = true
            // Drawn under the lock, so that no line appears after the line is cleared.
            try? Descriptor.standardError.write("\r\(line)\u{1B}[K")
        }
    }
}
