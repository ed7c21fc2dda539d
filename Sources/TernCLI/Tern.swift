import ArgumentParser
import Sterna

/// The command line: runs a subcommand, and turns its errors into one line and an exit status.
@main
struct Tern: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tern", abstract: "Send HTTP requests and show what comes back.", version: Session.libraryVersion,
        subcommands: [
            RequestCommand.self, DownloadCommand.self, UploadCommand.self, EventsCommand.self, WebSocketCommand.self,
            CookiesCommand.self, CacheCommand.self, TransfersCommand.self, PageCommand.self, NetworkCommand.self,
            CertCommand.self, HARCommand.self, ServeCommand.self, DemoCommand.self, BenchCommand.self,
        ],
        defaultSubcommand: RequestCommand.self)

    static func main() async {
        SignalWatch.ignoreBrokenPipes()
        OpenFiles.allowMost()
        let arguments = Array(CommandLine.arguments.dropFirst())
        let work = Task { await status(of: arguments) }
        let watch = SignalWatch { work.cancel() }
        let result = await work.value
        Cleanup.runAll()
        ExitStatus.end(result == ExitStatus.success ? result : watch.status ?? result)
    }

    /// Runs a command and returns its exit status.
    static func status(of arguments: [String]) async -> Int32 {
        guard !arguments.isEmpty else {
            Descriptor.standardError.print(HelpText.brief)
            return ExitStatus.usage
        }
        // The second is curl's letter.
        if arguments == ["--version"] || arguments == ["-V"] {
            // The parser would look at every command first, which takes as long as a request.
            Descriptor.standardOutput.print(Session.libraryVersion)
            return ExitStatus.success
        }
        if arguments == ["-h"] {
            Descriptor.standardOutput.print(HelpText.brief)
            return ExitStatus.success
        }
        do {
            if let text = try installedText(arguments) {
                Descriptor.standardOutput.print(text)
                return ExitStatus.success
            }
            let words = routed(arguments)
            guard words.first == "request" else {
                try await run(words)
                return ExitStatus.success
            }
            let plan = try await RequestPlan(Array(words.dropFirst()), configuration: DefaultOptions.path)
            return try await RequestBatch(plan: plan).run()
        } catch {
            return report(error)
        }
    }

    /// Returns a text that is installed with the program: its manual page, or the completions of a shell. Nil for other commands,
    /// and if no shell is named, for which the parser finds the current one. Throws `UsageError`.
    private static func installedText(_ arguments: [String]) throws -> String? {
        switch arguments.first {
        case "--generate-manual"? where arguments.count == 1: return ManualPage.text
        case "--generate-completion-script"? where arguments.count == 2:
            return try CommandTree.completions(for: arguments.last)
        default: return nil
        }
    }

    /// Runs the command of a command line.
    static func run(_ words: [String]) async throws {
        try await run(try command(of: words))
    }

    /// Runs a command.
    static func run(_ command: any ParsableCommand) async throws {
        var command = command
        if var command = command as? any AsyncParsableCommand {
            try await command.run()
        } else {
            try command.run()
        }
    }

    /// Parses a command line that begins with the name of a command. Throws `UsageError` for wrong arguments, and the parser's
    /// error that asks for help.
    ///
    /// Only the command itself is parsed: for the whole tree the parser makes the options of commands several times, which takes
    /// longer than many requests. The tree is used only for help, which names the commands above.
    static func command(of arguments: [String]) throws -> any ParsableCommand {
        var type: any ParsableCommand.Type = Tern.self
        var rest = arguments[...]
        while let name = rest.first,
            let next = type.configuration.subcommands.first(where: { $0.configuration.commandName == name })
        {
            type = next
            rest.removeFirst()
        }
        guard type.configuration.subcommands.isEmpty else { return try parseAsRoot(arguments) }
        do {
            let command = try type.parseAsRoot(Array(rest))
            if Swift.type(of: command) == type { return command }
        } catch {
            if exitCode(for: error) == .validationFailure { throw UsageError(usageLine(for: error)) }
        }
        return try parseAsRoot(arguments)
    }

    /// Inserts the name of the request subcommand unless the arguments name another one.
    ///
    /// Otherwise the parser would take a value after options for a subcommand of that name.
    static func routed(_ arguments: [String]) -> [String] {
        let others = [
            "download", "upload", "events", "ws", "cookies", "cache", "transfers", "page", "network", "cert", "har",
            "serve", "demo", "bench", "--version", "--generate-completion-script",
        ]
        guard let first = arguments.first, !others.contains(first) else { return arguments }
        if first == "help" { return arguments.count == 1 ? ["request", "--help"] : arguments }
        return ["request"] + arguments
    }

    /// Returns the parser's error message for a command line, with advice on what to write instead.
    static func usageLine(for error: any Error) -> String {
        var message = TerminalText.line(message(for: error))
        let advice = HabitOptions.advice(for: message)
        // The parser's suggestion compares letters, not meaning.
        if advice != nil, let guess = message.firstRange(of: " Did you mean") {
            message = String(message[..<guess.lowerBound])
        }
        return "\(message.hasSuffix(".") ? String(message.dropLast()) : message); \(advice ?? "see tern --help")."
    }

    /// Prints an error, or the text that the parser has for it; returns the exit status.
    static func report(_ error: any Error) -> Int32 {
        if let code = error as? ExitCode { return code.rawValue }
        if let line = ErrorLine.text(for: error) {
            if !line.isEmpty { ErrorLine.show(line) }
            for detail in ErrorLine.details(of: error) { Descriptor.standardError.print(detail) }
            return ExitStatus.code(for: error)
        }
        switch exitCode(for: error) {
        case .success:
            Descriptor.standardOutput.print(fullMessage(for: error))
            return ExitStatus.success
        case .validationFailure:
            ErrorLine.show(usageLine(for: error))
            return ExitStatus.usage
        default:
            ErrorLine.show(TerminalText.line("\(error)"))
            return ExitStatus.code(for: error)
        }
    }
}

/// Prints a line to standard error, without control characters.
func printError(_ text: String) {
    Descriptor.standardError.print(TerminalText.line(text))
}
