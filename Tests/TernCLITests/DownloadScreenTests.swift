import Sterna
import Testing

@testable import SternaTestSupport
@testable import TernCLI

@Suite("tern download: the lines of the screen")
struct DownloadScreenTests {
    private static let half = TransferProgress(completed: 444_000_000, total: 1_200_000_000, rate: 48_000_000)

    private static let names = [
        "big.iso", "a", "ein-sehr-langer-name-der-nirgends-hinpasst-und-noch-etwas-laenger-ist.tar.gz",
        "日本語のファイル名はとても長いことがあります.txt", "e\u{301}te\u{301}.txt", "👩‍👩‍👧‍👦 family ❤️.jpg", "",
    ]

    private static var screens: [DownloadScreen] {
        let states = [
            half, TransferProgress(completed: 0), TransferProgress(completed: 5, total: 5, rate: .infinity),
            TransferProgress(completed: .max, total: .max, rate: 1e300),
        ]
        let rows = names.enumerated().map { DownloadScreen.Row(name: $1, progress: states[$0 % states.count]) }
        let total = DownloadScreen.Row(name: "2 of 12 files, 1 failed", progress: half)
        return [
            DownloadScreen(), DownloadScreen(rows: Array(rows.prefix(1))), DownloadScreen(rows: rows, total: total),
            DownloadScreen(rows: [], total: total),
        ]
    }

    @Test("Lines are shorter than the terminal, and fewer than its rows", arguments: 1...200)
    func fits(columns: Int) {
        for screen in Self.screens {
            for rows in [1, 2, 3, 5, 24] {
                let lines = screen.lines(rows: rows, columns: columns)
                #expect(lines.count <= max(1, rows - 1))
                for line in lines { #expect(DisplayWidth.of(line) < columns, "\(line)") }
                if columns > 8, !screen.rows.isEmpty { #expect(lines.allSatisfy { !$0.isEmpty }) }
            }
        }
    }

    @Test(
        "A narrower terminal shows fewer parts of the line",
        arguments: [
            (80, "big.iso  [========>                 ] 37% of 1.2 GB, 48 MB/s, 16 s left"),
            (60, "big.iso  [====>         ] 37% of 1.2 GB, 48 MB/s, 16 s left"),
            (45, "big.iso  37% of 1.2 GB, 48 MB/s, 16 s left"),
            (40, "big.iso  37% of 1.2 GB, 48 MB/s"),
            (25, "big.iso  37%, 48 MB/s"), (20, "37%, 48 MB/s"), (5, "37%"), (3, "b…"), (2, "…"), (1, ""),
        ])
    func one(columns: Int, line: String) {
        let screen = DownloadScreen(rows: [.init(name: "big.iso", progress: Self.half)])
        expectEqual(screen.lines(rows: 24, columns: columns), [line])
    }

    @Test("Names are padded to one width, and long ones keep their ends")
    func several() {
        let screen = DownloadScreen(
            rows: [
                .init(name: "a-very-long-name-of-a-file.tar.gz", progress: Self.half),
                .init(name: "日本語日本語日本語.txt", progress: Self.half),
            ], total: .init(name: "1 of 3 files", progress: Self.half))
        expectEqual(
            screen.lines(rows: 24, columns: 50),
            [
                "a-very-long-…tar.gz  37% of 1.2 GB, 48 MB/s", "日本語日本語…語.txt  37% of 1.2 GB, 48 MB/s",
                "1 of 3 files         37% of 1.2 GB, 48 MB/s",
            ])
    }

    @Test("A note counts the hidden files", arguments: [(4, 1, "… and 6 more"), (3, 0, "… and 7 more"), (2, 0, nil)])
    func many(rows: Int, shown: Int, note: String?) {
        let screen = Self.screens[2]
        let lines = screen.lines(rows: rows, columns: 80)
        expectEqual(lines.count, shown + (note == nil ? 0 : 1) + 1)
        if let note { expectEqual(lines[shown], note) }
        expectEqual(lines.last?.hasPrefix("2 of 12 files"), true)
    }

    @Test("Redrawing replaces the lines, but none above them, also after the window has changed", arguments: 0..<40)
    func redraws(seed: Int) {
        var terminal = FakeScreen(rows: 30, columns: 80)
        terminal.write("$ tern download\n")
        var drawn: [String] = []
        var above = ["$ tern download"]
        for step in 0..<30 {
            let columns = 20 + (step * 37 + seed * 13) % 100
            // Between two drawings the window has changed.
            terminal.resize(rows: 30, columns: columns)
            var screen = Self.screens[(step + seed) % 4]
            screen.rows = Array(screen.rows.prefix(1 + step % 3))
            if step % 7 == 3 {
                // A line about a complete file comes above the others.
                terminal.write(DownloadScreen.redraw(drawn, by: [], rows: 30, columns: columns))
                terminal.write("Saved \(step)\n")
                above.append("Saved \(step)")
                drawn = []
            }
            let lines = screen.lines(rows: 30, columns: columns)
            terminal.write(DownloadScreen.redraw(drawn, by: lines, rows: 30, columns: columns))
            drawn = lines
            let trimmed = lines.map { line in
                var line = line
                while line.last == " " { line.removeLast() }
                return line
            }
            var expected = above + trimmed
            while expected.last == "" { expected.removeLast() }
            expectEqual(terminal.lines, expected, "step \(step), \(columns) columns")
            #expect(!terminal.isWrapped)
            #expect(terminal.unknown.isEmpty)
        }
    }

    @Test(
        "Wide characters take two columns, and marks none",
        arguments: [
            ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("ｱ", 1), ("ｆ", 2), ("한", 2), ("🎉", 2), ("…", 1), ("", 0),
        ])
    func width(text: String, columns: Int) { expectEqual(DisplayWidth.of(text), columns) }

    @Test("Truncated text fits the columns", arguments: 0...40)
    func truncates(columns: Int) {
        for name in Self.names {
            let cut = DisplayWidth.truncated(name, to: columns)
            #expect(DisplayWidth.of(cut) <= columns)
            if DisplayWidth.of(name) <= columns { expectEqual(cut, name) }
        }
    }
}
