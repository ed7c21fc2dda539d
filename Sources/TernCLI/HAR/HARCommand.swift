import ArgumentParser
import Sterna
import SternaRecorder
import SternaTesting

/// Shows, replays and exports HAR files.
struct HARCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "har", abstract: "Show, replay and export recorded exchanges (HAR files).",
        discussion: """
            FILE is in the format HAR 1.2, as browsers, mitmproxy and Sterna's recorder write it. Secrets are shown as *** \
            unless --show-secrets is given.
            """,
        subcommands: [HARShowCommand.self, HARReplayCommand.self, HARExportCommand.self])
}

/// The file of a command.
struct HARFile: ParsableArguments {
    @Argument(help: ArgumentHelp("The HAR file.", valueName: "file"))
    var file: String

    /// Reads the document; throws `fileUnreadable`, `decodingFailed` and `limitExceeded`.
    func document() async throws -> HARDocument {
        try await BlockingWork.run { [file] in try HARDocument(file: file) }
    }

    /// Returns the entry of a number from 1.
    static func entry(_ number: Int, of document: HARDocument) throws -> HARDocument.Entry {
        guard document.entries.indices.contains(number - 1) else {
            throw UsageError(
                "The file has no entry \(number); it has \(document.entries.count).", status: ExitStatus.failure)
        }
        return document.entries[number - 1]
    }
}

/// Lists the entries of a file, or shows one.
struct HARShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "List the entries with a waterfall, or show one by its number.")

    @OptionGroup
    var source: HARFile

    @Argument(help: ArgumentHelp("The number of an entry.", valueName: "number"))
    var number: Int?

    @Flag(help: "Write JSON.")
    var json = false

    @Flag(help: "Show secrets, which are *** otherwise.")
    var showSecrets = false

    func validate() throws {
        if let number, number < 1 { throw ValidationError("Entries are numbered from 1.") }
    }

    func run() async throws {
        let document = try await source.document()
        let terminal = Terminal.standardOutput
        let isPlain = terminal.environment.isDumb
        if let number {
            let entry = try HARFile.entry(number, of: document)
            let shown = showSecrets ? entry : entry.redacted()
            if json { return try write(shown.json) }
            let detail = HARDetail(width: terminal.width, isColoured: terminal.wantsColours, isPlain: isPlain)
            return try Descriptor.standardOutput.write(detail.lines(shown, number).joined(separator: "\n") + "\n")
        }
        let shown = showSecrets ? document : document.redacted()
        if json { return try write(HARTable.json(shown.entries)) }
        guard !shown.entries.isEmpty else { return printError("No entries.") }
        let table = HARTable(
            isColoured: terminal.wantsColours, width: terminal.isTerminal ? terminal.width : nil, isPlain: isPlain)
        try Descriptor.standardOutput.write(table.lines(shown.entries).joined(separator: "\n") + "\n")
    }

    /// Writes JSON, with escapes in place of characters that a terminal interprets.
    private func write(_ tree: JSON) throws {
        let bytes = HARText.harmless(try tree.serialized(.pretty))
        try Descriptor.standardOutput.write(String(decoding: bytes, as: UTF8.self) + "\n")
    }
}

/// Serves the responses of a file.
struct HARReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Answer requests with the recorded responses, until Ctrl-C.",
        discussion: """
            An entry answers a request of the same method, path, query and body. Repeated entries answer in order, and the last \
            one repeats. Another request receives 404, with the nearest entry and its differences.
            """)

    @OptionGroup
    var source: HARFile

    @Option(help: ArgumentHelp("The port to listen on; 0 takes any free one.", valueName: "number"))
    var port = 8080

    @Option(help: ArgumentHelp("The address to listen on.", valueName: "address"))
    var host = "127.0.0.1"

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port is 0 to 65535.") }
    }

    func run() async throws {
        let document = try await source.document()
        let server = try await ServeCommand.start(host: host, port: port, tls: nil)
        server.replay(document)
        let count = document.entries.count
        Descriptor.standardOutput.print(
            "Replaying \(count == 1 ? "1 entry" : "\(count) entries") on \(server.url). Press Ctrl-C to stop.")
        await ServeCommand.untilCancelled()
        try await server.stop()
    }
}

/// Writes requests of a file in other formats.
struct HARExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write the requests as curl commands, as a .http file, or as Swift.")

    @OptionGroup
    var source: HARFile

    @Option(name: .customLong("as"), help: ArgumentHelp("The format: curl, http or swift.", valueName: "format"))
    var format: String

    @Option(name: .customShort("n"), help: ArgumentHelp("Only the entry of this number.", valueName: "number"))
    var number: Int?

    @Flag(help: "Write secrets, which are *** otherwise.")
    var showSecrets = false

    func validate() throws {
        guard HARDocument.ExportFormat(rawValue: format) != nil else {
            throw ValidationError("--as takes curl, http or swift, not “\(format)”.")
        }
        if let number, number < 1 { throw ValidationError("Entries are numbered from 1.") }
    }

    func run() async throws {
        guard let format = HARDocument.ExportFormat(rawValue: format) else { return }
        let document = try await source.document()
        if number == nil, document.entries.isEmpty { return printError("No entries.") }
        let numbers = number.map { [$0] } ?? document.entries.indices.map { $0 + 1 }
        var pieces: [String] = []
        for number in numbers {
            let entry = try HARFile.entry(number, of: document)
            do throws(SternaError) {
                let text = try entry.exported(as: format, showsSecrets: showSecrets)
                pieces.append(format == .http ? "### \(number)\n\(text)\n" : text)
            } catch {
                // One bad entry must not hide the others.
                guard self.number == nil else { throw error }
                printError("Entry \(number) is left out: \(error.detail)")
            }
        }
        if !pieces.isEmpty {
            let text = pieces.joined(separator: format == .swift ? "\n\n" : "\n") + "\n"
            let isTerminal = Terminal.standardOutput.isTerminal
            try Descriptor.standardOutput.write(isTerminal ? TerminalText.block(text) : text)
        }
        if pieces.count < numbers.count { throw ExitCode(ExitStatus.failure) }
    }
}
