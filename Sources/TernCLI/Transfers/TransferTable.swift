import Sterna
import SternaTransfers

/// Transfers, listed for people and for programs.
struct TransferTable {
    var isColoured = false

    /// The columns of a terminal; nil for no limit.
    var width: Int?

    private static let heads = ["ID", "STATE", "SIZE", "FILE"]
    private static let gap = 2

    /// The fewest columns for a file beside the other cells; if fewer are left, the file has a line of its own.
    private static let leastFile = 20

    /// Returns the lines of a table; two lines for each transfer if a table does not fit.
    func lines(_ transfers: StoredTransfers) -> [String] {
        let rows =
            transfers.readable.map(Self.cells)
            + transfers.unreadable.map { [Self.shortID($0.id), "unreadable", "-", "-"] }
        let widths = Self.heads.indices.map { column in
            ([Self.heads] + rows).map { DisplayWidth.of($0[column]) }.max() ?? 0
        }
        let room = (width ?? .max) - widths.dropLast().reduce(0) { $0 + $1 + Self.gap }
        guard room >= Self.leastFile else {
            let columns = max(width ?? 80, Self.leastFile)
            return rows.flatMap { row in
                [
                    DisplayWidth.truncated(row[3], to: columns),
                    "  " + DisplayWidth.truncated("\(row[0]), \(row[1]), \(row[2])", to: columns - 2),
                ]
            }
        }
        func line(_ row: [String]) -> String {
            let padded = zip(row, widths).dropLast().map { DisplayWidth.padded($0, to: $1 + Self.gap) }
            return padded.joined() + DisplayWidth.truncated(row[row.count - 1], to: room)
        }
        return [Colour.bold.wrap(line(Self.heads), if: isColoured)] + rows.map(line)
    }

    private static func cells(_ transfer: TransferCompletion) -> [String] {
        let sent = transfer.state.isOver ? nil : transfer.sentBytes
        return [
            shortID(transfer.id), word(transfer.state), size(transfer.progress, sent: sent), path(transfer.details),
        ]
    }

    /// The beginning of an identifier, as a table shows it.
    static func shortID(_ id: TransferID) -> String { String(id.text.prefix(8)) }

    private static func word(_ state: TransferState) -> String {
        switch state {
        case .failed: "failed"
        case .blocked: "blocked"
        // The journal alone does not say whether its process still lives.
        case .running: "begun"
        default: "\(state)"
        }
    }

    /// The size of a transfer.
    ///
    /// - Parameter sent: what the requests of an unfinished upload have carried; nil for other transfers.
    static func size(_ progress: TransferProgress, sent: Int64?) -> String {
        guard let total = progress.total, total != progress.completed else { return "\(ByteSize(progress.completed))" }
        let size = "\(ByteSize(progress.completed)) of \(ByteSize(total))"
        // The server may have more.
        guard let sent else { return size }
        return sent > progress.completed ? "\(size) confirmed, \(ByteSize(sent)) sent" : "\(size) confirmed"
    }

    /// A sentence about the transfers that a command leaves unfinished.
    ///
    /// - Parameter left: for each transfer the bytes that it has or that its server has confirmed, and the bytes that the
    ///   requests of an upload have sent.
    static func interrupted(_ left: [(completed: Int64, sent: Int64?)]) -> String {
        func sum(_ bytes: [Int64]) -> Int64 { bytes.reduce(0) { $0.addingReportingOverflow($1).partialValue } }
        let (kept, uploads) = (left.filter { $0.sent == nil }, left.filter { $0.sent != nil })
        var parts: [String] = []
        if !kept.isEmpty { parts.append("kept \(ByteSize(sum(kept.map(\.completed))))") }
        if !uploads.isEmpty {
            let confirmed = sum(uploads.map(\.completed))
            let sent = sum(uploads.map { max($0.sent ?? 0, $0.completed) })
            parts.append(
                sent > confirmed
                    ? "sent \(ByteSize(sent)), of which the server has confirmed \(ByteSize(confirmed))"
                    : "the server has confirmed \(ByteSize(confirmed))")
        }
        return "Interrupted; \(parts.joined(separator: "; ")). To continue: tern transfers resume"
    }

    private static func path(_ details: TransferDescription) -> String {
        DownloadLine.printable(DownloadLine.shortened(details.path))
    }

    /// The name of a transfer in sentences: its file's.
    static func name(_ details: TransferDescription) -> String {
        DownloadLine.printable(String(details.path.split(separator: "/").last ?? "a transfer"))
    }

    static func name(_ transfer: TransferCompletion) -> String { name(transfer.details) }

    /// What has become of a transfer, as a sentence.
    static func sentence(_ transfer: TransferCompletion) -> String {
        switch transfer.state {
        case .finished(let path, let length):
            finished(transfer.details, path, length, transfer.response)
        case .failed(let failure), .blocked(let failure): "\(name(transfer)): \(TransferAdvice.reason(failure))"
        default: "\(name(transfer)): \(transfer.state)"
        }
    }

    /// What is wrong with a transfer that cannot be read, and what to do.
    static func sentence(_ transfer: UnreadableTransfer) -> String {
        let advice =
            switch transfer.cause {
            case .newer: "A newer tern can carry it on; tern transfers remove \(shortID(transfer.id)) gives it up."
            case .damaged: "tern transfers remove \(shortID(transfer.id)) gives it up."
            case .inaccessible: "Correct that; or tern transfers remove \(shortID(transfer.id)) gives it up."
            }
        return "The transfer \(shortID(transfer.id)) is left out. \(TerminalText.line(transfer.reason)) \(advice)"
    }

    /// The end of a transfer that has succeeded, as a sentence.
    static func finished(
        _ details: TransferDescription, _ path: String, _ length: Int64, _ answer: TransferResponse?
    ) -> String {
        guard details.kind == .upload else {
            return "Saved \(DownloadLine.printable(DownloadLine.shortened(path))), \(ByteSize(length))"
        }
        let place = (answer?["Location"] ?? answer?["Content-Location"]).map { location in
            let url = try? location.resolve(against: details.url)
            return
                "; it is at \(TerminalText.line(url.map { Redaction.show($0) } ?? Redaction.show(reference: location)))"
        }
        return "Uploaded \(name(details)), \(ByteSize(length))\(place ?? "")"
    }

    /// Returns transfers as JSON: an array of objects.
    static func json(_ transfers: StoredTransfers) -> JSON {
        .array(transfers.readable.map { json($0) } + transfers.unreadable.map { json($0) })
    }

    private static func json(_ transfer: TransferCompletion) -> JSON {
        var pairs: [(String, JSON)] = [
            ("id", .string(transfer.id.text)), ("kind", .string(transfer.details.kind.rawValue)),
            ("state", .string(word(transfer.state))),
            ("url", .string(Redaction.show(transfer.details.url))), ("file", .string(transfer.details.path)),
            ("completed", .number(.init(transfer.progress.completed))),
        ]
        if let total = transfer.progress.total { pairs.append(("total", .number(.init(total)))) }
        if let sent = transfer.sentBytes { pairs.append(("sent", .number(.init(sent)))) }
        if let status = transfer.response?.status { pairs.append(("status", .number(.init(status)))) }
        switch transfer.state {
        case .failed(let failure), .blocked(let failure):
            pairs.append(("reason", .string(TransferAdvice.text(failure.reason))))
        default: break
        }
        if let context = transfer.details.context { pairs.append(("context", .string(context))) }
        if !transfer.attempts.isEmpty { pairs.append(("attempts", .array(transfer.attempts.map { json($0) }))) }
        return .object(.init(pairs: pairs))
    }

    private static func json(_ attempt: TransferAttempt) -> JSON {
        var pairs: [(String, JSON)] = [
            ("number", .number(.init(attempt.number))), ("kept", .number(.init(attempt.keptBytes))),
        ]
        if let failure = attempt.failure { pairs.append(("reason", .string(TransferAdvice.text(failure.reason)))) }
        return .object(.init(pairs: pairs))
    }

    private static func json(_ transfer: UnreadableTransfer) -> JSON {
        .object(
            .init(pairs: [
                ("id", .string(transfer.id.text)), ("state", .string("unreadable")),
                ("reason", .string(transfer.reason)),
            ]))
    }
}
