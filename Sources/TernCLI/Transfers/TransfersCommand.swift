import ArgumentParser
import Sterna
import SternaS3
import SternaTransfers

/// Adds transfers that survive the process to a store, and carries them on.
struct TransfersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transfers", abstract: "Downloads and uploads that go on after a crash, a kill or a new start.",
        discussion: """
            A store is a folder, ~/.local/state/tern/transfers unless --store names another
            one. What is added stays there until it is removed; an interrupted transfer
            goes on with tern transfers resume, behind the bytes that are there. Nothing
            runs while no command does. ID is the beginning of an identifier that list
            shows. Uploads are added by tern upload --resumable. Nothing secret is stored:
            credentials are given again, by --auth, --netrc or --header. Uploads to S3 are
            signed with the access key of --auth key:secret, or of the environment; give
            --aws-sigv4 again where the host does not name the region.
            """,
        subcommands: [
            TransfersAddCommand.self, TransfersListCommand.self, TransfersWatchCommand.self,
            TransfersResumeCommand.self,
            TransfersPauseCommand.self, TransfersCancelCommand.self, TransfersRemoveCommand.self,
        ])
}

/// The store, and which of its transfers are meant.
struct StoreOptions: ParsableArguments {
    @Option(name: .customLong("store"), help: ArgumentHelp("The folder of the store.", valueName: "folder"))
    var folder: String?

    func validate() throws {
        if folder?.isEmpty == true { throw ValidationError("--store takes the path of a folder.") }
    }

    /// Opens the store.
    func open(
        concurrency: Int = 4, _ configure: @escaping @Sendable (inout TransferStoreSettings) -> Void = { _ in }
    ) async throws -> TransferStore {
        let path = try path()
        return try await FileWork.run {
            try TransferStore(folder: path, concurrency: concurrency) { settings in
                settings.uploadMethods = [S3MultipartUploads()]
                configure(&settings)
            }
        }
    }

    private func path() throws -> String {
        if let folder { return folder }
        // A relative path is ignored (XDG Base Directory Specification).
        if let state = Environment.variable("XDG_STATE_HOME"), state.hasPrefix("/") { return "\(state)/tern/transfers" }
        guard let home = Environment.variable("HOME"), home.hasPrefix("/") else {
            throw UsageError("HOME names no folder for transfers; write --store FOLDER.")
        }
        return "\(home)/.local/state/tern/transfers"
    }
}

/// The beginnings of identifiers.
struct TransferSelection: ParsableArguments {
    @Argument(help: ArgumentHelp("The beginnings of identifiers.", valueName: "ID"))
    var ids: [String] = []

    /// Returns the transfers that are meant, or all of them. Throws `UsageError` for a beginning that none or several have.
    func of(_ all: [TransferCompletion]) throws -> [TransferCompletion] {
        guard !ids.isEmpty else { return all }
        return try ids.map { beginning in
            let found = all.filter { $0.id.text.hasPrefix(beginning.lowercased()) && !beginning.isEmpty }
            guard found.count <= 1 else {
                throw UsageError(
                    "“\(TerminalText.line(beginning))” is the beginning of \(found.count) identifiers; write more of it."
                )
            }
            guard let one = found.first else {
                throw UsageError(
                    "No transfer's identifier begins with “\(TerminalText.line(beginning))”; tern transfers list shows them.",
                    status: ExitStatus.failure)
            }
            return one
        }
    }
}

/// Lists transfers.
struct TransfersListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the transfers of a store.")

    @OptionGroup
    var store: StoreOptions

    @Flag(help: "Print the list as JSON.")
    var json = false

    func run() async throws {
        let transfers = try await store.open().list()
        let terminal = Terminal.standardOutput
        if json {
            return try Descriptor.standardOutput.write(TransferTable.json(transfers).serializedString(.pretty) + "\n")
        }
        guard !transfers.isEmpty else { return printError("No transfers.") }
        let table = TransferTable(isColoured: terminal.wantsColours, width: terminal.isTerminal ? terminal.width : nil)
        try Descriptor.standardOutput.write(table.lines(transfers).joined(separator: "\n") + "\n")
    }
}

/// Shows transfers, also those of other processes, until all are over.
struct TransfersWatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Show transfers while other commands carry them on, until all are over.")

    @OptionGroup
    var store: StoreOptions

    func run() async throws {
        let store = try await store.open()
        let display = DownloadDisplay(isSilent: false)
        let latest = TransferSnapshot()
        try await display.run({ latest.screen() }) {
            var told: Set<TransferID> = []
            while true {
                let all = await store.list()
                latest.set(all)
                for done in all where done.state.isOver && told.insert(done.id).inserted {
                    display.say(TransferTable.sentence(done))
                }
                guard all.contains(where: { !$0.state.isOver }) else { return }
                try await Task.sleep(for: .milliseconds(500))
            }
        }
    }
}

/// Pauses transfers that no process carries on.
struct TransfersPauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Pause transfers: resume passes over them unless it names them.")

    @OptionGroup
    var store: StoreOptions

    @OptionGroup
    var selection: TransferSelection

    func run() async throws {
        // Nothing is sent.
        let session = try Session()
        try await TransferControl.change(try await store.open(), selection, "Paused") {
            try await $0.pause()
        } session: { _ in
            session
        }
    }
}

/// Cancels transfers, and removes what of their files is there.
struct TransfersCancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Cancel transfers for good, and remove what of downloaded files is there.",
        discussion: "The server is asked to forget what it has of an upload, with the credentials of the options.")

    @OptionGroup
    var store: StoreOptions

    @OptionGroup
    var selection: TransferSelection

    @OptionGroup
    var options: TransferSessionOptions

    func validate() throws {
        if selection.ids.isEmpty { throw ValidationError("The ID is missing; tern transfers list shows them.") }
    }

    func run() async throws {
        let values = TransferSecrets.split(try options.headers()).values
        let store = try await store.open { $0.secret = { values[$0] } }
        let meant = try selection.of(await store.list()).filter { !$0.state.isOver }
        var sessions = try TransferSessions(options, for: meant.map(\.details))
        try await TransferControl.change(store, selection, "Cancelled") {
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
        commandName: "remove", abstract: "Remove transfers that are over from the store; their files stay.")

    @OptionGroup
    var store: StoreOptions

    @OptionGroup
    var selection: TransferSelection

    func run() async throws {
        let store = try await store.open()
        let all = await store.list()
        let meant = try selection.of(all)
        if !selection.ids.isEmpty, let open = meant.first(where: { !$0.state.isOver }) {
            throw UsageError("\(TransferTable.name(open)) is not over; cancel it first.", status: ExitStatus.failure)
        }
        let over = meant.filter(\.state.isOver)
        for done in over { try await store.acknowledge(done.id) }
        printError("Removed \(over.count) \(over.count == 1 ? "transfer" : "transfers").")
    }
}

/// What is done to single transfers.
enum TransferControl {
    /// Changes the transfers that are meant and not over. Throws `UsageError` if another process carries one on.
    static func change(
        _ store: TransferStore, _ selection: TransferSelection, _ done: String,
        _ change: (Transfer) async throws -> Void, session: (TransferDescription) async throws -> Session
    ) async throws {
        let meant = try selection.of(await store.list()).filter { !$0.state.isOver }
        for one in meant {
            guard let transfer = try await store.take(one.id, with: try await session(one.details)) else {
                throw UsageError(
                    "Another command carries \(TransferTable.name(one)) on; end that with Ctrl-C first.",
                    status: ExitStatus.failure)
            }
            try await change(transfer)
            printError("\(done) \(TransferTable.name(one)).")
        }
        if meant.isEmpty { printError("No transfers that are not over.") }
    }
}
