import ArgumentParser
import Sterna
import SternaTransfers

/// Adds transfers that survive the process to a store, and carries them on.
struct TransfersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transfers", abstract: "Downloads and uploads that resume after a crash, a kill or a restart.",
        discussion: """
            EXAMPLES:
              tern transfers add example.com/big.iso   begin a download
              tern transfers list                      show all with their IDs
              tern transfers resume                    resume after Ctrl-C or a crash
              tern transfers remove                    clear the list; files stay

            Transfers stay in a store, a folder, until they are removed. They run only
            while a command does: add and resume end with the last transfer, and Ctrl-C
            keeps what has arrived. ID is the beginning of an identifier that list shows.
            Uploads are added by tern upload --resumable.

            No secret is stored: give --auth, --netrc or --header again to resume and
            cancel. Uploads to S3 are signed with the access key of --auth key:secret or
            of the environment; --aws-sigv4 names the region where the host does not.

            A transfer whose description is damaged, or of a newer tern, is listed as
            unreadable. The others continue; tern transfers remove ID gives it up.
            """,
        subcommands: [
            TransfersAddCommand.self, TransfersListCommand.self, TransfersWatchCommand.self,
            TransfersResumeCommand.self,
            TransfersPauseCommand.self, TransfersCancelCommand.self, TransfersRemoveCommand.self,
        ])
}

/// Lists transfers.
struct TransfersListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the transfers of a store.",
        discussion: """
            STATE is waiting (for its turn, its next attempt or a command), begun, paused,
            blocked, finished, failed, cancelled or unreadable. With --json each has id,
            kind, state, url, file, completed and, where known, total, status, reason,
            context, and attempts with number, kept (bytes) and reason; an unreadable one
            has id, state and reason.
            """)

    @OptionGroup
    var store: StoreOptions

    @Flag(help: "Print the list as JSON.")
    var json = false

    func run() async throws {
        let all = await StoredTransfers(try await store.openExisting())
        defer { all.complain() }
        let terminal = Terminal.standardOutput
        if json {
            return try Descriptor.standardOutput.write(TransferTable.json(all).serializedString(.pretty) + "\n")
        }
        guard !all.readable.isEmpty || !all.unreadable.isEmpty else { return printError("No transfers.") }
        let table = TransferTable(isColoured: terminal.wantsColours, width: terminal.isTerminal ? terminal.width : nil)
        try Descriptor.standardOutput.write(table.lines(all).joined(separator: "\n") + "\n")
    }
}

/// Shows transfers, also those of other processes, until all are over.
struct TransfersWatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Show transfers while other commands carry them on, until all are over.",
        discussion: "It carries nothing on itself, and waits for paused ones, too. Ctrl-C ends only the display.")

    @OptionGroup
    var store: StoreOptions

    func run() async throws {
        guard let store = try await store.openExisting() else { return printError("No transfers.") }
        let display = DownloadDisplay(isSilent: false)
        let latest = TransferSnapshot()
        try await display.run({ latest.screen() }) {
            var told: Set<TransferID> = []
            while true {
                let all = await StoredTransfers(store)
                latest.set(all.readable)
                for broken in all.unreadable where told.insert(broken.id).inserted {
                    display.complain(TransferTable.sentence(broken))
                }
                for done in all.readable where done.state.isOver && told.insert(done.id).inserted {
                    display.say(TransferTable.sentence(done))
                }
                guard all.readable.contains(where: { !$0.state.isOver && !$0.state.isBlocked }) else { return }
                try await Task.sleep(for: .milliseconds(500))
            }
        }
    }
}
