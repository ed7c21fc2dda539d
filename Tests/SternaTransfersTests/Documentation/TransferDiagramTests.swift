import Foundation
import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

/// The table of states of docs/Transfers.md: the next state by the journal's rule, for each event in each state.
///
/// With `STERNA_WRITE_DOCUMENTATION=1` it is written into the article.
@Suite("The table of the states of transfers")
struct TransferDiagramTests {
    private static let failure = TransferFailure(.timedOut, "…")
    private static let began = TransferEvent.began(number: 1, at: 0, kept: 0)

    /// How a transfer gets into each state.
    private static let states: [(String, [TransferEvent])] = [
        ("waiting", []), ("running", [began]), ("paused", [.paused]),
        ("blocked", [began, .blocked(failure, at: 0)]), ("finished", [.finished(path: "/f", length: 1)]),
        ("failed", [.ended(failure)]), ("cancelled", [.cancelled]),
    ]

    private static let events: [(String, TransferEvent)] = [
        ("an attempt begins", began), ("it fails transiently", .failed(failure, at: 0, again: 0)),
        ("it lacks credentials", .blocked(failure, at: 0)), ("it fails for good", .ended(failure)),
        ("the file is complete", .finished(path: "/f", length: 1)),
        ("`pause()`", .paused), ("`resume()`", .resumed), ("`cancel()`", .cancelled),
    ]

    /// A state without its associated values.
    private static func name(_ state: TransferState) -> String {
        switch state {
        case .failed: return "failed"
        case .blocked: return "blocked"
        default: return "\(state)"
        }
    }

    static var table: String {
        let known = states.filter { !TransferHistory($0.1).state.isOver }
        var lines = [
            "| | " + known.map(\.0).joined(separator: " | ") + " |", "|---|" + known.map { _ in "---|" }.joined(),
        ]
        for (title, event) in events {
            let cells = known.map { name, before -> String in
                // Attempts begin in one state and end in one; a pause ends them first.
                switch event {
                case .began where name != "waiting": return ""
                case .failed where name != "running", .ended where name != "running", .finished where name != "running",
                    .blocked where name != "running":
                    return ""
                default: break
                }
                let after = Self.name(TransferHistory(before + [event]).state)
                return after == name ? "" : after
            }
            lines.append("| \(title) | \(cells.joined(separator: " | ")) |")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    @Test("Events lead to each state, and no event leaves a final one")
    func states() {
        for (name, events) in Self.states { #expect(Self.name(TransferHistory(events).state) == name) }
        for (name, before) in Self.states where TransferHistory(before).state.isOver {
            for (_, event) in Self.events { #expect(Self.name(TransferHistory(before + [event]).state) == name) }
        }
    }

    @Test("The article has the table")
    func article() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
            path: "../../../docs/Transfers.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let start = try #require(text.range(of: "STERNA_WRITE_DOCUMENTATION=1 -->\n"))
        let end = try #require(text.range(of: "<!-- end of states -->"))
        let whole = start.upperBound..<end.lowerBound
        if ProcessInfo.processInfo.environment["STERNA_WRITE_DOCUMENTATION"] != nil {
            try text.replacingCharacters(in: whole, with: Self.table).write(to: file, atomically: true, encoding: .utf8)
        } else {
            #expect(text[whole] == Self.table, "STERNA_WRITE_DOCUMENTATION=1 writes it")
        }
    }
}
