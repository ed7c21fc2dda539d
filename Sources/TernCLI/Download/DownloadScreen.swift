import Sterna

/// The lines of progress of downloads: one for each file that runs, and one for all of them. A function of its state and of
/// the terminal's size.
struct DownloadScreen: Hashable, Sendable {
    /// A file, or all files.
    struct Row: Hashable, Sendable {
        /// The name, without control characters.
        var name: String
        var progress: TransferProgress
    }

    /// The files that run, in order.
    var rows: [Row] = []

    /// The row for all files; nil for a single file.
    var total: Row?

    /// Below this width there is no room for names.
    private static let narrowest = 24

    /// Returns the lines for a terminal, each at least one column shorter than it, and at least one fewer than its rows.
    func lines(rows height: Int, columns: Int) -> [String] {
        let room = max(1, height - 1)
        var shown = rows
        var note: String?
        let others = total == nil ? 0 : 1
        if shown.count + others > room {
            shown = Array(shown.prefix(max(total == nil ? 1 : 0, room - others - 1)))
            // Without room for the note, the line of the total says how many files there are.
            if shown.count + others + 1 <= room { note = "… and \(rows.count - shown.count) more" }
        }
        let all = shown + (total.map { [$0] } ?? [])
        let longest = all.map { DisplayWidth.of($0.name) }.max() ?? 0
        let width = max(0, columns - 1)
        // The names of all rows take the same room, so that what follows them is aligned.
        let nameWidth = width < Self.narrowest ? 0 : min(longest, max(8, width * 2 / 5))
        var lines = shown.map { Self.line($0, nameWidth, width) }
        if let note { lines.append(DisplayWidth.truncated(note, to: width)) }
        if let total { lines.append(Self.line(total, nameWidth, width)) }
        return lines
    }

    private static func line(_ row: Row, _ nameWidth: Int, _ width: Int) -> String {
        guard nameWidth > 0 else {
            let bar = ProgressBar.render(row.progress, width: width + 1)
            return bar.isEmpty ? DisplayWidth.truncated(row.name, to: width) : bar
        }
        let name = DisplayWidth.padded(DisplayWidth.truncated(row.name, to: nameWidth), to: nameWidth)
        let bar = ProgressBar.render(row.progress, width: width - nameWidth - 1)
        return bar.isEmpty ? name : "\(name)  \(bar)"
    }

    /// Returns the text that makes a terminal replace lines by others. The cursor is at the end of the last line, before and after.
    ///
    /// Terminals wrap lines that became longer than their width, which a shorter window makes of lines that did fit.
    static func redraw(_ old: [String], by new: [String], rows height: Int, columns: Int) -> String {
        var text = ""
        if !old.isEmpty {
            let taken = old.reduce(0) { $0 + rowsTaken($1, columns) }
            // The cursor cannot reach lines that have left the screen at its top.
            let up = min(taken, max(1, height)) - 1
            text = up > 0 ? "\r\u{1B}[\(up)A\u{1B}[J" : "\r\u{1B}[J"
        }
        return text + new.joined(separator: "\n")
    }

    private static func rowsTaken(_ line: String, _ columns: Int) -> Int {
        let width = DisplayWidth.of(line)
        guard columns > 0, width > columns else { return 1 }
        return (width + columns - 1) / columns
    }
}
