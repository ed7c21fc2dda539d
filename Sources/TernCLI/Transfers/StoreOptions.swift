import ArgumentParser
import Sterna
import SternaPlatform
import SternaS3
import SternaTransfers

/// The option that names the store.
struct StoreOptions: ParsableArguments {
    @Option(
        name: .customLong("store"),
        help: ArgumentHelp(
            "The folder of the store; ~/.local/state/tern/transfers by default.", valueName: "folder"))
    var folder: String?

    func validate() throws {
        if folder?.isEmpty == true { throw ValidationError("--store takes the path of a folder.") }
    }

    /// Opens the store, and makes its folder if there is none.
    func open(
        concurrency: Int = 4, _ configure: @escaping @Sendable (inout TransferStoreSettings) -> Void = { _ in }
    ) async throws -> TransferStore {
        let path = try path()
        return try await BlockingWork.run {
            try TransferStore(folder: path, concurrency: concurrency) { settings in
                settings.uploadMethods = [S3MultipartUploads()]
                configure(&settings)
            }
        }
    }

    /// Opens the store if its folder exists; nil if the default one does not exist yet. Throws `UsageError` if that of
    /// `--store` does not exist.
    func openExisting(
        concurrency: Int = 4, _ configure: @escaping @Sendable (inout TransferStoreSettings) -> Void = { _ in }
    ) async throws -> TransferStore? {
        let path = try path()
        guard FileManager.default.fileExists(atPath: path) else {
            guard folder != nil else { return nil }
            throw UsageError(
                "There is no store in \(TerminalText.line(path)); tern transfers add makes one.",
                status: ExitStatus.failure)
        }
        return try await open(concurrency: concurrency, configure)
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

/// The transfers of a store.
struct StoredTransfers {
    var readable: [TransferCompletion] = []
    var unreadable: [UnreadableTransfer] = []

    /// - Parameter store: nil for a store that does not exist.
    init(_ store: TransferStore?) async {
        guard let store else { return }
        (readable, unreadable) = await store.contents()
    }

    /// Prints what is wrong with transfers that cannot be read.
    func complain() {
        for one in unreadable { ErrorLine.show(TransferTable.sentence(one)) }
    }

    /// Returns the transfers that the beginnings of identifiers name. Throws `UsageError` for a beginning of none or of several.
    func named(_ ids: [String]) throws -> StoredTransfers {
        var named = self
        (named.readable, named.unreadable) = ([], [])
        for beginning in ids {
            let isMeant = { (id: TransferID) in id.text.hasPrefix(beginning.lowercased()) && !beginning.isEmpty }
            let (found, broken) = (readable.filter { isMeant($0.id) }, unreadable.filter { isMeant($0.id) })
            guard found.count + broken.count <= 1 else {
                throw UsageError(
                    "“\(TerminalText.line(beginning))” is the beginning of \(found.count + broken.count) identifiers; write more of it."
                )
            }
            guard found.count + broken.count == 1 else {
                throw UsageError(
                    "No transfer's identifier begins with “\(TerminalText.line(beginning))”; tern transfers list shows them.",
                    status: ExitStatus.failure)
            }
            // A transfer that is named twice is in the result once.
            named.readable += found.filter { one in !named.readable.contains { $0.id == one.id } }
            named.unreadable += broken.filter { !named.unreadable.contains($0) }
        }
        return named
    }
}

/// The beginnings of identifiers, for commands that need none.
struct TransferIDs: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The beginnings of identifiers, which tern transfers list shows.", valueName: "ID"))
    var ids: [String] = []
}

/// The beginnings of identifiers, or all transfers.
struct TransferChoice: ParsableArguments {
    @OptionGroup
    var selection: TransferIDs

    var ids: [String] { selection.ids }

    @Flag(help: "All transfers that are not over.")
    var all = false

    func validate() throws {
        if ids.isEmpty, !all {
            throw ValidationError("The ID is missing; tern transfers list shows them, and --all is for all of them.")
        }
        if !ids.isEmpty, all { throw ValidationError("--all and an ID exclude each other.") }
    }
}
