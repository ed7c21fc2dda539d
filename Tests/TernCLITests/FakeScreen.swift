@testable import TernCLI

/// A terminal that understands what `tern` sends for progress: text, returns, line feeds, moving up, and erasing. It wraps lines
/// that do not fit, also those that a narrower window makes too long.
struct FakeScreen {
    private(set) var columns: Int
    private(set) var rows: Int

    // Lines as they were written, however many rows each takes; and the cursor, as a line and a number of columns in it.
    private var text: [[Cell]] = [[]]
    private var line = 0
    private var offset = 0

    /// Other control sequences that were sent.
    private(set) var unknown: [String] = []

    private struct Cell: Equatable {
        var scalars: String
        var width: Int
    }

    init(rows: Int, columns: Int) { (self.rows, self.columns) = (rows, columns) }

    /// The lines without spaces at their ends, and without empty ones at the end.
    var lines: [String] {
        var all = text.map { cells in
            var line = cells.map(\.scalars).joined()
            while line.last == " " { line.removeLast() }
            return line
        }
        while all.last == "" { all.removeLast() }
        return all
    }

    /// Whether a line takes more than one row.
    var isWrapped: Bool { text.contains { width($0) > columns } }

    mutating func resize(rows: Int, columns: Int) { (self.rows, self.columns) = (rows, columns) }

    mutating func write(_ string: String) {
        var rest = Array(string.unicodeScalars)[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\r": offset = rowInLine * columns
            case "\n":
                line += 1
                offset = 0
                if line == text.count { text.append([]) }
            case "\u{1B}":
                var sequence = ""
                while let next = rest.popFirst() {
                    sequence.unicodeScalars.append(next)
                    if next != "[", (0x40...0x7E).contains(next.value) { break }
                }
                act(sequence)
            default: put(scalar)
            }
        }
    }

    // At the end of a full row, the cursor stays in that row until more is written.
    private var rowInLine: Int {
        offset > 0 && offset == width(text[line]) ? (offset - 1) / columns : offset / columns
    }

    private mutating func put(_ scalar: Unicode.Scalar) {
        let width = DisplayWidth.of(scalar)
        // Text is only appended: it replaces what follows the cursor.
        if width == 0, !text[line].isEmpty {
            text[line][text[line].count - 1].scalars.unicodeScalars.append(scalar)
        } else {
            truncate()
            text[line].append(Cell(scalars: String(scalar), width: width))
            offset += width
        }
    }

    private mutating func act(_ sequence: String) {
        if sequence == "[K" {
            truncate()
        } else if sequence == "[J" {
            truncate()
            text.removeSubrange((line + 1)...)
        } else if sequence.hasPrefix("["), sequence.hasSuffix("A"), let count = Int(sequence.dropFirst().dropLast()) {
            for _ in 0..<count where row > max(0, allRows - rows) { up() }
        } else {
            unknown.append(sequence)
        }
    }

    private mutating func up() {
        if offset >= columns {
            offset -= columns
        } else if line > 0 {
            line -= 1
            offset = (rowsTaken(text[line]) - 1) * columns
        }
    }

    private mutating func truncate() {
        while width(text[line]) > offset { text[line].removeLast() }
    }

    private func width(_ cells: [Cell]) -> Int { cells.reduce(0) { $0 + $1.width } }

    private func rowsTaken(_ cells: [Cell]) -> Int { max(1, (width(cells) + columns - 1) / columns) }

    private var allRows: Int { text.reduce(0) { $0 + rowsTaken($1) } }

    private var row: Int { text[..<line].reduce(0) { $0 + rowsTaken($1) } + offset / columns }
}
