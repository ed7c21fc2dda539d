import ArgumentParser
import Sterna

/// Options for colours and formatting.
struct FormatOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Colour and format the output, even when it is piped.", valueName: "all|colors|format|none"))
    var pretty: OutputStyle.Pretty?

    @Flag(name: .customLong("no-color"), help: "Never colour.")
    var noColor = false
}

/// Options for showing the exchange, and for its destination.
struct OutputOptions: ParsableArguments {
    @Option(
        name: [.customShort("o", allowingJoined: true), .customLong("output")],
        help: ArgumentHelp(
            "Save the body to a file, which appears when it is complete; - is standard output.", valueName: "file"))
    var path: String?

    @Option(
        name: [.customShort("p", allowingJoined: true), .customLong("print")],
        help: ArgumentHelp(
            "What to show: H and B are the request's head and body, h and b the response's, c what the cache did, m the timing, drawn as bars.",
            valueName: "HBhbcm"))
    var parts: String?

    @Flag(name: [.customShort("i"), .customLong("include")], help: "Show the response's head and body, as --print hb.")
    var include = false

    @Flag(
        name: .shortAndLong,
        help: "Show everything, as --print HBhb, and say on standard error why a request is sent again.")
    var verbose = false

    @Flag(name: [.customShort("s"), .customLong("silent")], help: "Draw no progress bar.")
    var silent = false

    @OptionGroup
    var format: FormatOptions

    @Flag(help: "Print the request as a command line for curl instead of sending it.")
    var curl = false

    @Flag(
        name: .customLong("show-secrets"),
        help: "Show credentials, cookies, keys and tokens of requests, and cookies of responses, instead of ***.")
    var showSecrets = false

    @Flag(help: "Exit with 22 for a status of 400 or more, with the server's message.")
    var fail = false

    func validate() throws {
        if let parts, OutputStyle.Parts.parse(parts) == nil {
            throw ValidationError("--print takes letters of HBhbcm, not “\(parts)”.")
        }
        if include, parts != nil {
            throw ValidationError("--include and --print exclude each other; write h and b with --print.")
        }
    }

    /// - Parameters:
    ///   - savesBody: whether the body goes to a file.
    ///   - showsHead: whether the command's purpose is to show the response's head.
    func style(isTerminal: Bool, savesBody: Bool, showsHead: Bool = false) -> OutputStyle {
        var shown = parts.flatMap(OutputStyle.Parts.parse)
        if shown == nil, !verbose {
            shown = include ? [.responseHead, .responseBody] : showsHead ? .responseHead : nil
        }
        let wish = OutputStyle.Wish(
            parts: shown, isVerbose: verbose, pretty: format.pretty, noColor: format.noColor, showsSecrets: showSecrets,
            savesBody: savesBody)
        return OutputStyle.resolve(wish, isTerminal: isTerminal, environment: .process)
    }
}

/// Options for saving the body under a derived name.
struct NamingOptions: ParsableArguments {
    @Flag(
        name: [.customShort("O"), .customLong("remote-name")],
        help: "Save the body under the last path component of the URL.")
    var remoteName = false

    @Flag(
        name: [.customShort("J"), .customLong("remote-header-name")],
        help: "With -O, use the name that the server gives; an existing file is kept.")
    var remoteHeaderName = false

    @Option(
        name: [.customShort("C", allowingJoined: true), .customLong("continue-at")],
        help: ArgumentHelp(
            "With -O or -o, -C - makes this a download that goes on from what an interrupted one left; see tern download.",
            valueName: "-"))
    var offset: String?

    func validate() throws {
        try SavingOptions.check(offset: offset)
        if remoteHeaderName, !remoteName { throw ValidationError("--remote-header-name goes with -O.") }
    }

    /// Returns the body's destination; nil if these options do not name one.
    func destination(url: HTTPURL) throws -> SaveDestination? {
        guard remoteName else { return nil }
        let name = DownloadFileName.name(of: url)
        if remoteHeaderName { return .named(fallback: name) }
        guard let name else { throw UsageError("The URL does not end in a file name; write -o FILE.") }
        return .remote(name)
    }
}

/// The file that a body is saved to.
enum SaveDestination: Hashable, Sendable {
    case none
    /// The path that the user typed.
    case file(String)
    /// The name in the URL. A link of that name is replaced.
    case remote(String)
    /// The name in Content-Disposition, or the fallback, without replacing a file.
    case named(fallback: String?, folder: String? = nil)

    /// Makes the destination of `--output`: `-` is standard output.
    init(path: String?) { self = path.map { $0 == "-" ? .none : .file($0) } ?? .none }

    /// The name of the file; nil without one.
    var savedName: SavedFileName? {
        switch self {
        case .none: nil
        case .file(let path): .given(OutputFile.resolved(path))
        case .remote(let name): .given(name)
        case .named(let fallback, _): .suggested(orElse: fallback)
        }
    }

    /// Returns the same destination in a folder, whatever its path.
    func placed(in folder: String) -> SaveDestination {
        switch self {
        case .none: self
        case .file(let path): .file("\(folder)/\(path)")
        case .remote(let name): .remote("\(folder)/\(name)")
        case .named(let fallback, _): .named(fallback: fallback, folder: folder)
        }
    }

    /// Opens the file; throws `UsageError` if there is no name.
    func file(for response: Response) throws -> OutputFile? {
        switch self {
        case .none: return nil
        case .file(let path): return try OutputFile(path)
        case .remote(let name): return try OutputFile(name, followsLinks: false)
        case .named(let fallback, let folder):
            guard let name = DownloadFileName.name(suggestedBy: response) ?? fallback else {
                throw UsageError("Neither the server nor the URL gives the file a name; write -o FILE.")
            }
            return try OutputFile(newFile: folder.map { "\($0)/\(name)" } ?? name)
        }
    }
}

extension OutputStyle.Pretty: ExpressibleByArgument {}
