import Sterna
import Synchronization

/// Shows downloads: lines that are redrawn on a terminal, or one plain line for each file at its end.
final class DownloadDisplay: Sendable {
    private struct State {
        var drawn: [String] = []
        var isEnded = false
    }

    private let terminal: Terminal
    private let state = Mutex(State())

    /// Whether lines are redrawn.
    private let isLive: Bool
    let isSilent: Bool

    /// - Parameter isSilent: whether only errors are shown.
    init(_ terminal: Terminal = .standardError, isSilent: Bool) {
        self.terminal = terminal
        self.isSilent = isSilent
        // Redrawing takes escape sequences.
        isLive = !isSilent && terminal.canRedraw && terminal.environment.allowsColours
    }

    /// Runs work, and draws what a closure returns: ten times a second, and when the window changes.
    func run<R: Sendable>(_ screen: @escaping @Sendable () -> DownloadScreen, _ work: () async throws -> R)
        async rethrows -> R
    {
        guard isLive else { return try await work() }
        SignalWatch.onResize { self.draw(screen()) }
        let ticker = Task {
            while !Task.isCancelled {
                try? await Task.sleep(for: .milliseconds(100))
                draw(screen())
            }
        }
        let number = Cleanup.add { self.finish() }
        defer {
            ticker.cancel()
            Cleanup.run(number)
        }
        return try await work()
    }

    /// Prints a line about a file that is complete, above the lines that are redrawn.
    func say(_ line: String) {
        guard !isSilent else { return }
        aside { Descriptor.standardOutput.print(line) }
    }

    /// Prints a line to standard error, above the lines that are redrawn.
    func note(_ line: String) { aside { printError(line) } }

    /// Prints the line of an error.
    func complain(_ line: String, details: [String] = []) {
        aside {
            ErrorLine.show(line)
            for detail in details { Descriptor.standardError.print(detail) }
        }
    }

    /// Clears the lines, and draws no more.
    func finish() {
        state.withLock { state in
            clear(&state)
            state.isEnded = true
        }
    }

    // The lines come back at the next drawing.
    private func aside(_ print: () -> Void) {
        state.withLock { state in
            clear(&state)
            print()
        }
    }

    private func clear(_ state: inout State) {
        guard !state.drawn.isEmpty else { return }
        try? Descriptor.standardError.write(
            DownloadScreen.redraw(state.drawn, by: [], rows: terminal.rows, columns: terminal.width))
        state.drawn = []
    }

    private func draw(_ screen: DownloadScreen) {
        // Drawn under the lock, so that no line appears after the lines are cleared.
        state.withLock { state in
            guard !state.isEnded else { return }
            let (rows, columns) = (terminal.rows, terminal.width)
            let lines = screen.lines(rows: rows, columns: columns)
            try? Descriptor.standardError.write(
                DownloadScreen.redraw(state.drawn, by: lines, rows: rows, columns: columns))
            state.drawn = lines
        }
    }
}
