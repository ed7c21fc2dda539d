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

    @Flag(name: [.customShort("s"), .customLong("silent")], help: "Show only errors.")
    var silent = false

    func validate() throws {
        guard (1...64).contains(jobs) else { throw ValidationError("--jobs takes a number from 1 to 64.") }
    }
}

/// Carries on the transfers that earlier commands have left.
struct TransfersResumeCommand: AsyncParsableCommand, TransferSessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Carry on the transfers that no command carries on, until they are over.",
        discussion: """
            Takes IDs; without one it carries on all but paused transfers. Their files and
            the options that the store keeps stay the same. Give the credentials and the
            secret header fields again: --auth, --bearer and --aws-sigv4 are for the
            transfers of one host, --netrc and the environment's access key for all. The
            options of Connection, Trust and Routing apply only to this command.
            The exit status is that of the first transfer that failed, and 26 if one is
            left out because it is unreadable.
            """)

    @OptionGroup
    var store: StoreOptions

    @OptionGroup
    var selection: TransferIDs

    private var ids: [String] { selection.ids }

    @OptionGroup
    var running: TransferRunOptions

    @OptionGroup(title: "Request")
    var credentials: CredentialOptions

    @OptionGroup(title: "Request")
    var aws: AWSOptions

    @OptionGroup(title: "Request")
    var fields: TransferHeaderOptions

    @OptionGroup(title: "Connection")
    var transport: TransportOptions

    @OptionGroup(title: "Connection")
    var redirects: RedirectOptions

    @OptionGroup(title: "Connection")
    var retries: RetryOptions

    @OptionGroup(title: "Trust")
    var trust: TrustOptions

    @OptionGroup(title: "Routing")
    var routing: RoutingOptions

    func validate() throws { try aws.check(credentials) }

    func run() async throws {
        let limit = TransferLimit(connection)
        let values = TransferSecrets.split(try options.headers()).values
        let changes = TransferChanges()
        let store = try await store.openExisting(concurrency: running.jobs) { settings in
            settings.secret = { values[$0] }
            settings.stateChanged = { changes.note($0) }
        }
        let all = await StoredTransfers(store)
        let meant = ids.isEmpty ? all : try all.named(ids)
        // Printed last, so that messages about the other transfers do not hide it.
        defer { meant.complain() }
        if let store { try await run(store, changes, meant.readable.filter { !$0.state.isOver }, values, limit) }
        guard meant.unreadable.isEmpty else { throw ExitCode(ExitStatus.code(for: .fileUnreadable)) }
        if store == nil { printError("Nothing to carry on.") }
    }

    private func run(
        _ store: TransferStore, _ changes: TransferChanges, _ meant: [TransferCompletion], _ values: [String: String],
        _ limit: TransferLimit?
    ) async throws {
        try TransferSecrets.check(values, for: meant.map(\.details))
        var sessions = try TransferSessions(options, for: meant.map(\.details))
        var (transfers, lacksSecrets) = ([Transfer](), false)
        for one in meant where !ids.isEmpty || one.state != .paused {
            if let name = TransferSecrets.missing(one.details, values) {
                printError("\(TransferTable.name(one)) needs a secret that is not stored; write -H '\(name): VALUE'.")
                lacksSecrets = true
                continue
            }
            let session: Session
            do {
                session = try await sessions.session(for: one.details)
            } catch {
                printError("\(TransferTable.name(one)) cannot be carried on. \(TransferSessions.reason(error))")
                lacksSecrets = true
                continue
            }
            guard let transfer = try await store.take(one.id, with: session) else {
                printError("Another command carries \(TransferTable.name(one)) on.")
                continue
            }
            try await transfer.begin()
            transfers.append(transfer)
        }
        if transfers.isEmpty {
            printError("Nothing to carry on.")
        } else {
            let display = DownloadDisplay(isSilent: running.silent)
            try await TransferRun(
                store: store, transfers: transfers, changes: changes, display: display, limit: limit
            ).run()
        }
        if lacksSecrets { throw ExitCode(ExitStatus.failure) }
    }
}
