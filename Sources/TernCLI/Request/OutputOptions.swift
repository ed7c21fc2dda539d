import ArgumentParser
import Sterna
import SternaPlatform

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
            "What to show: H and B are the request's head and body, h and b the response's, s the code of the final status, c what the cache did, m the timing, drawn as bars, M the timing as JSON.",
            valueName: "HBhbscmM"))
    var parts: String?

    @Flag(name: [.customShort("i"), .customLong("include")], help: "Show the response's head and body, as --print hb.")
    var include = false

    @Flag(help: "Show only the response's head, as --print h.")
    var headers = false

    @Flag(help: "Show only the response's body, as --print b.")
    var body = false

    @Flag(help: "Show only the timing, as --print m.")
    var meta = false

    @Option(
        name: [.customShort("w", allowingJoined: true), .customLong("write-out")],
        help: ArgumentHelp(
            "Write this text after the transfer, with curl's variables, as in '%{http_code}\\n'; @file has it in a file, @- on standard input.",
            valueName: "text"))
    var writeOut: String?

    @Flag(
        name: .shortAndLong,
        help:
            "Show everything, as --print HBhb, and say on standard error what each connection is and why a request is sent again."
    )
    var verbose = false

    @Flag(help: "Draw the call, its attempts and their phases on standard error.")
    var timeline = false

    @Flag(
        name: [.customShort("s"), .customLong("silent"), .customLong("no-progress-meter")],
        help: "Draw no progress bar.")
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

    @Flag(help: "The same, but show or save the body of the response.")
    var failWithBody = false

    @Flag(
        help: "Exit with 4 for a status from 400, with 5 from 500, and with 3 for a redirect that --no-follow leaves.")
    var checkStatus = false

    /// What a status of 400 or more means.
    var statusCheck: StatusCheck { fail ? .fail : failWithBody ? .failWithBody : checkStatus ? .byClass : .none }

    func validate() throws {
        if let parts, OutputStyle.Parts.parse(parts) == nil {
            throw ValidationError("--print takes letters of HBhbscmM, not “\(parts)”.")
        }
        if include, parts != nil {
            throw ValidationError("--include and --print exclude each other; write h and b with --print.")
        }
        let shown: [(isGiven: Bool, name: String)] = [
            (parts != nil, "--print"), (include, "--include"), (headers, "--headers"), (body, "--body"),
            (meta, "--meta"),
        ]
        let given = shown.filter(\.isGiven).map(\.name)
        if given.count > 1 {
            throw ValidationError(
                "\(given.joined(separator: " and ")) exclude each other; write the letters of all with --print.")
        }
        if [fail, failWithBody, checkStatus].filter(\.self).count > 1 {
            throw ValidationError(
                "--fail, --fail-with-body and --check-status exclude each other: each says how the command exits.")
        }
    }

    /// The parts that the options name; nil without one.
    private var namedParts: OutputStyle.Parts? {
        if let parts { return OutputStyle.Parts.parse(parts) }
        if include, !verbose { return [.responseHead, .responseBody] }
        return headers ? .responseHead : body ? .responseBody : meta ? .metrics : nil
    }

    /// Whether an option names what is shown.
    var namesParts: Bool { namedParts != nil || verbose }

    /// - Parameters:
    ///   - savesBody: whether the body goes to a file.
    ///   - showsHead: whether the command's purpose is to show the response's head.
    func style(isTerminal: Bool, savesBody: Bool, showsHead: Bool = false) -> OutputStyle {
        let shown = namedParts ?? (showsHead && !verbose ? .responseHead : nil)
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
            "With -O or -o, -C - makes this a download that resumes an interrupted one; see tern download. A number asks for the body from that byte on, or sends the file of -T from there.",
            valueName: "-|number"))
    var offset: String?

    @Flag(
        help:
            "Save the body as tern download does: under the server's name or to -o FILE; a status of 400 or more is an error."
    )
    var download = false

    @Flag(
        name: .customLong("continue"),
        help: "With --download, resume an interrupted one; the same as -C -.")
    var continues = false

    /// Whether the request is a download of its own kind, which can be interrupted and continued.
    var isDownload: Bool { continuesFile || download }

    /// Whether an interrupted download is resumed.
    var continuesFile: Bool { offset != nil && start == nil }

    /// The header field of ``start`` as an item; empty without it, and for the whole body.
    var rangeItems: [Item] {
        guard let start, start > 0 else { return [] }
        return [.header(name: "Range", value: "bytes=\(start)-")]
    }

    /// The first byte of the body that is asked for; nil for the whole body.
    var start: Int64? { offset.flatMap { Int64($0) }.flatMap { $0 >= 0 ? $0 : nil } }

    func validate() throws {
        if start == nil { try SavingOptions.check(offset: offset) }
        if start != nil, remoteName || download {
            throw ValidationError("-C with a number is for standard output; -C - continues a file.")
        }
        if continues, !download { throw ValidationError("--continue goes with --download, or write -C -.") }
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
    /// The path that the user typed or the name in the URL, with a number if there is such a file.
    case numbered(String)
    /// The name in Content-Disposition, or the fallback, without replacing a file.
    case named(fallback: String?, folder: String? = nil)

    /// Makes the destination of `--output`: `-` is standard output.
    init(path: String?) { self = path.map { $0 == "-" ? .none : .file($0) } ?? .none }

    /// The name as the user or the URL gives it; nil without one, and if the server chooses it.
    var typedName: String? {
        switch self {
        case .file(let name), .remote(let name), .numbered(let name): name
        case .none, .named: nil
        }
    }

    /// The name of the file; nil without one.
    var savedName: SavedFileName? {
        switch self {
        case .none: nil
        case .file(let path): .given(OutputFile.resolved(path))
        case .remote(let name), .numbered(let name): .given(name)
        case .named(let fallback, _): .suggested(orElse: fallback)
        }
    }

    /// Returns the same destination in a folder, whatever its path.
    func placed(in folder: String) -> SaveDestination {
        switch self {
        case .none: self
        case .file(let path): .file("\(folder)/\(path)")
        case .remote(let name): .remote("\(folder)/\(name)")
        case .numbered(let path): .numbered("\(folder)/\(path)")
        case .named(let fallback, _): .named(fallback: fallback, folder: folder)
        }
    }

    /// Returns the same destination without replacing a file.
    func keepingFiles(_ keeps: Bool) -> SaveDestination {
        switch self {
        case .file(let path) where keeps, .remote(let path) where keeps: .numbered(path)
        case .none, .file, .remote, .numbered, .named: self
        }
    }

    /// Opens a file under a path that is free: it, or it with a number from 1 to 100.
    private static func newFile(_ path: String) throws(OutputError) -> OutputFile {
        for number in 0..<100 {
            do throws(OutputError) {
                return try OutputFile(newFile: number == 0 ? path : "\(path).\(number)")
            } catch {
                guard error.code == EEXIST else { throw error }
            }
        }
        return try OutputFile(newFile: "\(path).100")
    }

    /// Opens the file; throws `UsageError` if there is no name.
    func file(for response: Response) throws -> OutputFile? {
        switch self {
        case .none: return nil
        case .file(let path): return try OutputFile(path)
        case .remote(let name): return try OutputFile(name, followsLinks: false)
        case .numbered(let path):
            return try Self.newFile(path)
        case .named(let fallback, let folder):
            guard let name = DownloadFileName.name(suggestedBy: response) ?? fallback else {
                throw UsageError("Neither the server nor the URL gives the file a name; write -o FILE.")
            }
            return try OutputFile(newFile: folder.map { "\($0)/\(name)" } ?? name)
        }
    }
}

extension OutputStyle.Pretty: ExpressibleByArgument {}
