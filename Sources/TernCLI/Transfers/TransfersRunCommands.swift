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

/// Adds downloads to a store, and carries them on until they are over.
struct TransfersAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Download files; what is interrupted goes on with tern transfers resume.")

    @Argument(help: ArgumentHelp("The URLs.", valueName: "URL"))
    var urls: [String] = []

    @OptionGroup
    var store: StoreOptions

    @Option(
        name: [.customShort("o"), .customLong("output")], help: ArgumentHelp("The file of one URL.", valueName: "file"))
    var path: String?

    @Option(
        name: .customLong("into"),
        help: ArgumentHelp("The folder of the files; the current one by default.", valueName: "folder"))
    var folder: String?

    @Option(
        name: .customLong("sha256"), help: ArgumentHelp("The SHA-256 that the file must have.", valueName: "digest"))
    var sha256: String?

    @Option(help: ArgumentHelp("The maximum number of connections for a file.", valueName: "count"))
    var segments = 1

    @OptionGroup
    var running: TransferRunOptions

    @OptionGroup
    var options: TransferSessionOptions

    func validate() throws {
        guard !urls.isEmpty else { throw ValidationError("The URL is missing; write tern transfers add URL.") }
        if urls.count > 1, path != nil {
            throw ValidationError("-o names one file, but there are \(urls.count) URLs; write --into FOLDER.")
        }
        if urls.count > 1, sha256 != nil {
            throw ValidationError("--sha256 is of one file, but there are \(urls.count) URLs.")
        }
        guard (1...16).contains(segments) else { throw ValidationError("--segments takes a number from 1 to 16.") }
    }

    func run() async throws {
        let targets = try urls.map { text throws(SternaError) in try Target.url(Target.expand(text)) }
        let (headers, secrets, values) = TransferSecrets.split(try options.headers())
        let store = try await store.open(concurrency: running.jobs) { $0.secret = { values[$0] } }
        let session = try await options.session(targets)
        var settings = TransferOptions()
        (settings.sha256, settings.maxSegments) = (sha256, segments)
        var transfers: [Transfer] = []
        for url in targets {
            guard
                let file = path
                    ?? DownloadFileName.name(of: url).map({ name in folder.map { "\($0)/\(name)" } ?? name })
            else {
                throw UsageError("The URL \(Redaction.show(url)) does not end in a file name; write -o FILE.")
            }
            transfers.append(
                try await store.download(
                    url, to: file, with: session, headers: headers, secrets: secrets, options: settings))
        }
        try await TransferRun(store: store, transfers: transfers, isSilent: running.silent).run()
    }
}

/// Carries on what earlier commands have left.
struct TransfersResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Carry on the transfers that no command carries on, until they are over.")

    @OptionGroup
    var store: StoreOptions

    @OptionGroup
    var selection: TransferSelection

    @OptionGroup
    var running: TransferRunOptions

    @OptionGroup
    var options: TransferSessionOptions

    func run() async throws {
        let values = TransferSecrets.split(try options.headers()).values
        let store = try await store.open(concurrency: running.jobs) { $0.secret = { values[$0] } }
        let meant = try selection.of(await store.list()).filter { !$0.state.isOver }
        var sessions = try TransferSessions(options, for: meant.map(\.details))
        var transfers: [Transfer] = []
        for one in meant where !selection.ids.isEmpty || one.state != .paused {
            let missing = one.details.secrets.compactMap(\.first).filter { values[$0.lowercased()] == nil }
            if let name = missing.first {
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
        try await TransferRun(store: store, transfers: transfers, isSilent: running.silent).run()
    }
}

/// Shows transfers of this process until they are over.
struct TransferRun {
    let store: TransferStore
    let transfers: [Transfer]
    let isSilent: Bool

    /// Throws the exit status of the first that failed, whose error was shown; and `CancellationError` after a signal.
    func run() async throws {
        let display = DownloadDisplay(isSilent: isSilent)
        let latest = TransferSnapshot(transfers)
        let statuses = await display.run({ latest.screen() }) {
            await withTaskGroup(of: Int32?.self) { group in
                for transfer in transfers { group.addTask { await Self.end(of: transfer, display) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
        }
        guard !Task.isCancelled else {
            await store.interrupt()
            // What the store has, which is less than what has come if the server gave no validator.
            let ids = Set(transfers.map(\.id))
            let left = await store.list().filter { !$0.state.isOver && ids.contains($0.id) }
            let kept = left.reduce(Int64(0)) { $0.addingReportingOverflow($1.progress.completed).partialValue }
            if !left.isEmpty, !isSilent {
                printError("Interrupted; kept \(ByteSize(kept)). To continue: tern transfers resume")
            }
            throw CancellationError()
        }
        if let status = statuses.compactMap(\.self).first { throw ExitCode(status) }
    }

    /// What lets a blocked transfer go on.
    private static func advice(_ failure: TransferFailure, _ id: TransferID) -> String {
        let option = failure.status == 407 ? "--proxy-user USER:PASSWORD" : "-a USER:PASSWORD"
        let short = id.text.prefix(8)
        return
            "It stays in the store: go on with tern transfers resume \(short) \(option), or give it up with tern transfers cancel \(short)."
    }

    private static func end(of transfer: Transfer, _ display: DownloadDisplay) async -> Int32? {
        var told = 0
        var obstacle: TransferFailure?
        for await state in transfer.stateUpdates {
            if case .blocked = state { break }
            if let found = transfer.status.obstacle, found != obstacle {
                obstacle = found
                display.complain(
                    "\(TransferTable.name(transfer.details)): \(TerminalText.line(found.reason)) It is asked again.")
            }
            // Why it waits, once for each attempt.
            guard state == .waiting, let last = transfer.attempts.last, let failure = last.failure, last.number > told
            else { continue }
            told = last.number
            display.complain(
                "\(TransferTable.name(transfer.details)): \(TerminalText.line(failure.reason)) It is tried again.")
        }
        switch transfer.status.state {
        case .finished(let path, let length):
            display.say(TransferTable.finished(transfer.details, path, length, transfer.answer))
            return nil
        case .failed(let failure):
            display.complain("\(TransferTable.name(transfer.details)): \(TerminalText.line(failure.reason))")
            let kind = SternaError.Kind(rawValue: failure.kind) ?? .connectionFailed
            return ExitStatus.code(for: SternaError(kind, phase: .read, failure.reason))
        case .blocked(let failure):
            display.complain(
                "\(TransferTable.name(transfer.details)): \(TerminalText.line(failure.reason)) \(advice(failure, transfer.id))"
            )
            let kind = SternaError.Kind(rawValue: failure.kind) ?? .unacceptableStatus
            return ExitStatus.code(for: SternaError(kind, phase: .read, failure.reason))
        default: return ExitStatus.failure
        }
    }
}
