import ArgumentParser
import Sterna
import SternaPlatform
import SternaTransfers

/// How transfers run and are shown.
struct TransferRunOptions: ParsableArguments {
    @Option(
        name: [.customShort("j"), .customLong("jobs")],
        help: ArgumentHelp("How many run at the same time.", valueName: "count"))
    var jobs = 4

    @Flag(name: [.customShort("s"), .customLong("silent")], help: "Show errors alone.")
    var silent = false

    func validate() throws {
        guard (1...64).contains(jobs) else { throw ValidationError("--jobs takes a number from 1 to 64.") }
    }
}

/// Carries on what earlier commands have left.
struct TransfersResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Carry on the transfers that no command carries on, until they are over.",
        discussion: """
            Takes IDs; without one it carries on all but paused transfers. Where they are
            saved, and what was asked of them, is what it was. Give the credentials and the
            secret header fields again: --auth, --bearer and --aws-sigv4 are for the
            transfers of one host, --netrc and the environment's access key for all. The
            options of Connection, Trust and Routing are those of this command alone.
            The exit status is that of the first transfer that failed, and 26 if one is
            left out because it is unreadable.
            """)

    @OptionGroup
    var store: StoreOptions

    @Argument(
        help: ArgumentHelp("The beginnings of identifiers, which tern transfers list shows.", valueName: "ID"))
    var ids: [String] = []

    @OptionGroup
    var running: TransferRunOptions

    @OptionGroup
    var options: TransferSessionOptions

    func run() async throws {
        let values = TransferSecrets.split(try options.headers()).values
        let store = try await store.openExisting(concurrency: running.jobs) { $0.secret = { values[$0] } }
        let all = await StoredTransfers(store)
        let meant = ids.isEmpty ? all : try all.named(ids)
        // Last, where what the others have to say does not hide it.
        defer { meant.complain() }
        if let store { try await run(store, meant.readable.filter { !$0.state.isOver }, values) }
        guard meant.unreadable.isEmpty else { throw ExitCode(ExitStatus.code(for: .fileUnreadable)) }
        if store == nil { printError("Nothing to carry on.") }
    }

    private func run(
        _ store: TransferStore, _ meant: [TransferCompletion], _ values: [String: String]
    ) async throws {
        var sessions = try TransferSessions(options, for: meant.map(\.details))
        var transfers: [Transfer] = []
        for one in meant where !ids.isEmpty || one.state != .paused {
            if let name = TransferSecrets.missing(one.details, values) {
                printError("\(TransferTable.name(one)) needs a secret that is not stored; write -H '\(name): VALUE'.")
                continue
            }
            let session: Session
            do {
                session = try await sessions.session(for: one.details)
            } catch {
                printError("\(TransferTable.name(one)) cannot be carried on. \(TransferSessions.reason(error))")
                continue
            }
            guard let transfer = try await store.take(one.id, with: session) else {
                printError("Another command carries \(TransferTable.name(one)) on.")
                continue
            }
            try await transfer.begin()
            transfers.append(transfer)
        }
        guard !transfers.isEmpty else { return printError("Nothing to carry on.") }
        let display = DownloadDisplay(isSilent: running.silent)
        try await TransferRun(store: store, transfers: transfers, display: display).run()
    }
}

/// Shows transfers of this process until they are over.
struct TransferRun {
    let store: TransferStore
    let transfers: [Transfer]
    let display: DownloadDisplay

    /// Whether the end of a transfer that has succeeded is told on standard output.
    var saysEnd = true

    /// Throws the exit status of the first that failed, whose error was shown; and `CancellationError` after a signal.
    func run() async throws {
        let latest = TransferSnapshot(transfers)
        let statuses = await display.run({ latest.screen() }) {
            await withTaskGroup(of: Int32?.self) { group in
                for transfer in transfers { group.addTask { await end(of: transfer) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
        }
        guard !Task.isCancelled else {
            await store.interrupt()
            // What the store has, which is less than what has come if the server gave no validator.
            let ids = Set(transfers.map(\.id))
            let left = await store.list().filter { !$0.state.isOver && ids.contains($0.id) }
            let kept = left.reduce(Int64(0)) { $0.addingReportingOverflow($1.progress.completed).partialValue }
            if !left.isEmpty, !display.isSilent {
                printError("Interrupted; kept \(ByteSize(kept)). To continue: tern transfers resume")
            }
            throw CancellationError()
        }
        if let status = statuses.compactMap(\.self).first { throw ExitCode(status) }
    }

    private func end(of transfer: Transfer) async -> Int32? {
        var told = 0
        for await state in transfer.stateUpdates where state == .waiting {
            // Why it waits, once for each attempt.
            guard let last = transfer.attempts.last, let failure = last.failure, last.number > told else { continue }
            told = last.number
            display.complain(
                "\(TransferTable.name(transfer.details)): \(TransferAdvice.reason(failure, isFinal: false)) It is tried again."
            )
        }
        switch transfer.status.state {
        case .finished(let path, let length):
            if saysEnd { display.say(TransferTable.finished(transfer.details, path, length, transfer.answer)) }
            return nil
        case .failed(let failure):
            display.complain("\(TransferTable.name(transfer.details)): \(TransferAdvice.reason(failure))")
            let kind = SternaError.Kind(rawValue: failure.kind) ?? .connectionFailed
            return ExitStatus.code(for: SternaError(kind, phase: .read, failure.reason))
        default: return ExitStatus.failure
        }
    }
}
