import ArgumentParser
import Sterna
import SternaTransfers

/// Pauses transfers that no process carries on.
struct TransfersPauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Pause transfers: resume passes over them unless it names them.",
        discussion: """
            Takes IDs, or --all. A transfer that another command carries on is not paused:
            end that command with Ctrl-C first.
            """)

    @OptionGroup
    var store: StoreOptions

    @OptionGroup
    var choice: TransferChoice

    func run() async throws {
        // Nothing is sent.
        let session = try Session()
        let store = try await store.openExisting()
        let control = TransferControl(store: store, choice: choice, done: "Paused")
        try await control.change(try control.meant(await StoredTransfers(store))) {
            try await $0.pause()
        } session: { _ in
            session
        }
    }
}

/// Cancels transfers, and deletes their partial files.
struct TransfersCancelCommand: AsyncParsableCommand, TransferSessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Cancel transfers for good, and delete the partial files of downloads.",
        discussion: """
            Takes IDs, or --all. The server is asked to forget what it has of an upload:
            give --auth, --netrc, --aws-sigv4 and --header as to the upload. Without them
            the transfer is cancelled here, and the server keeps its part. A transfer that
            another command carries on is not cancelled: end that command with Ctrl-C first.
            """)

    @OptionGroup
    var store: StoreOptions

    @OptionGroup
    var choice: TransferChoice

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
        let values = TransferSecrets.split(try options.headers()).values
        let store = try await store.openExisting { $0.secret = { values[$0] } }
        let control = TransferControl(store: store, choice: choice, done: "Cancelled")
        let meant = try control.meant(await StoredTransfers(store))
        try TransferSecrets.check(values, for: meant.readable.map(\.details))
        var sessions = try TransferSessions(options, for: meant.readable.map(\.details))
        try await control.change(meant) {
            try await $0.cancel()
        } session: { details in
            do {
                return try await sessions.session(for: details)
            } catch {
                // A user who has lost the credentials can cancel it, too.
                let reason = TransferSessions.reason(error)
                printError("Warning: the server keeps its part of \(TransferTable.name(details)). \(reason)")
                return sessions.common
            }
        }
    }
}

/// Removes transfers that are over from the list.
struct TransfersRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove transfers that are over from the store; their files stay.",
        discussion: """
            Takes IDs; without one it removes all that are over. An unreadable transfer is
            removed if its ID is given, with the partial file of a download; the server
            keeps what it has of an upload.
            """)

    @OptionGroup
    var store: StoreOptions

    @OptionGroup
    var selection: TransferIDs

    private var ids: [String] { selection.ids }

    func run() async throws {
        let store = try await store.openExisting()
        let all = await StoredTransfers(store)
        let meant = ids.isEmpty ? all : try all.named(ids)
        if !ids.isEmpty, let open = meant.readable.first(where: { !$0.state.isOver }) {
            throw UsageError("\(TransferTable.name(open)) is not over; cancel it first.", status: ExitStatus.failure)
        }
        var count = 0
        for done in meant.readable where done.state.isOver {
            try await store?.acknowledge(done.id)
            count += 1
        }
        for broken in meant.unreadable where !ids.isEmpty {
            if case .newer = broken.cause {
                printError("Warning: a newer tern could have carried \(TransferTable.shortID(broken.id)) on.")
            }
            try await store?.discard(broken.id, evenIfIntact: true)
            count += 1
        }
        printError("Removed \(count) \(count == 1 ? "transfer" : "transfers").")
    }
}

/// An action on single transfers.
struct TransferControl {
    /// Nil for a store that does not exist.
    let store: TransferStore?
    let choice: TransferChoice

    /// What was done, as the beginning of a sentence.
    let done: String

    /// Returns the chosen transfers that are not over. Throws `UsageError` for a beginning of no identifier or of several.
    func meant(_ all: StoredTransfers) throws -> StoredTransfers {
        var meant = choice.all ? all : try all.named(choice.ids)
        meant.readable.removeAll { $0.state.isOver }
        return meant
    }

    /// Changes transfers, and prints what is wrong with those that cannot be read. Throws the exit status of a failure if there are
    /// any, or if another process carries a transfer on.
    func change(
        _ meant: StoredTransfers, _ change: (Transfer) async throws -> Void,
        session: (TransferDescription) async throws -> Session
    ) async throws {
        var isIncomplete = !meant.unreadable.isEmpty
        for one in meant.readable {
            guard let transfer = try await store?.take(one.id, with: try await session(one.details)) else {
                ErrorLine.show("Another command carries \(TransferTable.name(one)) on; end that with Ctrl-C first.")
                isIncomplete = true
                continue
            }
            try await change(transfer)
            printError("\(done) \(TransferTable.name(one)).")
        }
        meant.complain()
        if isIncomplete { throw ExitCode(ExitStatus.failure) }
        if meant.readable.isEmpty { printError("No transfers that are not over.") }
    }
}
