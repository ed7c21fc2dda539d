import SternaPlatform

/// The table of jobs in docs/Tern.md: what `tern`, curl and HTTPie take for each.
struct JobTable {
    /// A row.
    struct Job: Sendable {
        var name: String
        /// One line or more for `tern`, one at most for each of the others.
        var commands: [Command]

        /// Whether one of the lines has a word, or one that begins with it.
        func mentions(_ word: String) -> Bool {
            commands.contains { $0.line.split(separator: " ").contains { $0.hasPrefix(word) } }
        }
    }

    /// A line for the shell.
    struct Command: Sendable {
        var program: Program
        var line: String
    }

    enum Program: String, Sendable, CaseIterable {
        case tern, curl
        case httpie = "http"
    }

    /// A row that cannot be read.
    struct InvalidRow: Error, CustomStringConvertible {
        var description: String
    }

    static let head = "| job | `tern` | curl | HTTPie |"

    static func read() throws -> [Job] {
        let package = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        return try jobs(of: String(decoding: Data(contentsOf: URL(filePath: "\(package)/docs/Tern.md")), as: UTF8.self))
    }

    /// Reads the rows below the table's head.
    static func jobs(of page: String) throws -> [Job] {
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        guard let start = lines.firstIndex(of: head[...]) else { throw InvalidRow(description: "No line is \(head)") }
        return try lines[(start + 1)...].dropFirst().prefix { $0.hasPrefix("|") }.map(job)
    }

    private static func job(_ row: Substring) throws -> Job {
        // A bar that stands for itself has a backslash, also in code.
        let mark: Character = "\u{0}"
        let cells = row.replacing("\\|", with: String(mark)).split(separator: "|", omittingEmptySubsequences: false)
            .dropFirst().dropLast().map { cell in
                cell.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ").replacing(
                    String(mark), with: "|")
            }
        guard cells.count == 4 else { throw InvalidRow(description: "A row has four cells: \(row)") }
        var commands: [Command] = []
        for (program, cell) in zip(Program.allCases, cells.dropFirst()) {
            let lines = cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
                .filter { $0.offset % 2 == 1 }.map { String($0.element) }
            guard lines.isEmpty == (cell == "–"), program == .tern ? !lines.isEmpty : lines.count <= 1 else {
                throw InvalidRow(description: "A cell has a command in code, or a dash: \(row)")
            }
            guard lines.allSatisfy({ $0.split(separator: " ").contains(program.rawValue[...]) }) else {
                throw InvalidRow(description: "A command names its program: \(row)")
            }
            commands += lines.map { Command(program: program, line: $0) }
        }
        return Job(name: cells[0], commands: commands)
    }
}
