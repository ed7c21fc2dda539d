import ArgumentParser
import Sterna
import SternaPlatform

/// The command line: runs the command, and turns its errors into one line and an exit status.
@main
struct TernPage: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tern-page",
        abstract: "Save a web page with its style sheets, images, fonts, scripts, films and frames.",
        usage: "tern page URL -o FOLDER [OPTIONS]\ntern page URL --single FILE [OPTIONS]",
        discussion: """
            -o makes FOLDER/page.html, and a folder page_files beside it with the
            resources; --single makes one file that has them in data: URLs. What exists
            is not replaced unless --replace is given. What is incomplete is removed,
            also by Ctrl-C.
            A resource that cannot be fetched is reported, and its reference leads to
            the network. The exit status is 0 if the page was saved, else tern's.
            Header fields of -H go to the page's own origin alone, but for Accept,
            Accept-Language, Referer and User-Agent.
            """,
        version: Session.libraryVersion)

    @Argument(help: ArgumentHelp("The page; without a scheme it is http.", valueName: "URL"))
    var url: String

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("Save into this folder.", valueName: "folder"))
    var folder: String?

    @Option(help: ArgumentHelp("Save as this one file.", valueName: "file"))
    var single: String?

    @Flag(help: "Replace files of the same names.")
    var replace = false

    @Flag(help: "Take resources from the page's own origin only.")
    var sameOrigin = false

    @Option(
        help: ArgumentHelp(
            "How deep frames and imports of style sheets are followed.", valueName: "number"))
    var depth = 3

    @Option(help: ArgumentHelp("The maximum number of resources.", valueName: "number"))
    var maxResources = 1_000

    @Option(help: ArgumentHelp("The maximum of bytes in all.", valueName: "bytes"))
    var maxBytes = 256 << 20

    @Flag(help: "Take resources by http for a page that came by https, too.")
    var insecureResources = false

    @Flag(help: "Fail at the first resource that cannot be fetched, and save nothing.")
    var fail = false

    @Flag(name: [.customShort("s"), .customLong("silent")], help: "Show neither progress nor resources that failed.")
    var silent = false

    @Option(
        name: [.customShort("H", allowingJoined: true), .customLong("header")],
        help: ArgumentHelp("A header field of all requests to the page's origin.", valueName: "Name: value"))
    var header: [String] = []

    func validate() throws {
        switch (folder, single) {
        case (nil, nil): throw ValidationError("Where to is missing; write -o FOLDER or --single FILE.")
        case (_?, _?): throw ValidationError("-o and --single exclude each other; write one of them.")
        default: break
        }
        guard depth >= 0, maxResources >= 0, maxBytes >= 0 else {
            throw ValidationError("--depth, --max-resources and --max-bytes take numbers from 0.")
        }
        _ = try fields()
    }

    func run() async throws { try await PageJob(command: self).run() }

    /// The header fields; throws for one in another form.
    func fields() throws -> [(name: String, value: String)] {
        try header.map { text in
            guard let colon = text.firstIndex(of: ":"), colon > text.startIndex else {
                // The text may be secret.
                throw ValidationError("-H takes a name, a colon and a value, as in -H 'Name: value'.")
            }
            let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            return (String(text[..<colon]), String(value))
        }
    }

    // MARK: The process

    static func main() async {
        signal(SIGPIPE, SIG_IGN)
        let work = Task { await status(of: Array(CommandLine.arguments.dropFirst())) }
        let interrupts = Interrupts { work.cancel() }
        let result = await work.value
        SternaPlatform.exit(result == ExitStatus.success ? result : interrupts.status ?? result)
    }

    private static func status(of arguments: [String]) async -> Int32 {
        do {
            var command = try parseAsRoot(arguments)
            if let command = command as? TernPage { try await command.run() } else { try command.run() }
            return ExitStatus.success
        } catch let error as SternaError {
            if error.kind != .cancelled { Console.complain(advised(error)) }
            return ExitStatus.code(for: error)
        } catch is CancellationError {
            return ExitStatus.interrupted
        } catch {
            let code = exitCode(for: error)
            if code == .success {
                print(fullMessage(for: error))
                return ExitStatus.success
            }
            Console.complain("\(message(for: error)) See tern page --help.")
            return ExitStatus.usage
        }
    }

    /// What happened, and the option that helps.
    private static func advised(_ error: SternaError) -> String {
        let advice =
            switch error.kind {
            case .destinationUnusable where error.detail.contains("exists"): "Write --replace to replace it."
            case .limitExceeded: "--max-bytes and --max-resources allow more."
            case .unacceptableMediaType: "Write tern download URL."
            default: ""
            }
        guard !advice.isEmpty else { return "\(error)" }
        // An option of this program stands in place of what the library advises its callers.
        let text = error.advice.map { "\(error)".replacing(" \($0)", with: "") } ?? "\(error)"
        return "\(text) \(advice)"
    }
}
