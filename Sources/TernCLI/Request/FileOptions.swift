import ArgumentParser
import Sterna
import SternaPlatform
import Synchronization

/// Options for the files of a response.
struct FileOptions: ParsableArguments {
    @Option(
        name: [.customShort("D", allowingJoined: true), .customLong("dump-header")],
        help: ArgumentHelp(
            "Write the heads of all responses to this file, as they arrive, with secrets, for you alone; - is standard output.",
            valueName: "file"))
    var dumpHeader: String?

    @Option(help: ArgumentHelp("The folder for the files of -o and -O.", valueName: "folder"))
    var outputDir: String?

    @Flag(
        inversion: .prefixedNo,
        help:
            "Replace an existing file (the default), or add a number to the name of -o and -O: FILE.1, FILE.2 and so on."
    )
    var clobber = true

    @Flag(help: "Make the folders of -o and --output-dir.")
    var createDirs = false

    @Flag(
        name: [.customShort("R"), .customLong("remote-time")],
        help: "Give the file the time of the response's Last-Modified.")
    var remoteTime = false

    @Option(
        help: ArgumentHelp(
            "Do not fetch a body of more bytes; k, M and G are multiples of 1024. Exit with 63.", valueName: "bytes"))
    var maxFilesize: String?

    /// ``RequestPlan`` handles it first, since one file has all requests; the parser has it only for its help.
    @Option(
        name: .customLong("har"),
        help: ArgumentHelp(
            "Write all exchanges, redirects and retries included, to this HAR file, without secrets unless --show-secrets is given.",
            valueName: "file"))
    var har: String?

    /// The names of the options that are given.
    var given: [String] {
        let all: [(name: String, isGiven: Bool)] = [
            ("-D", dumpHeader != nil), ("--no-clobber", !clobber), ("--output-dir", outputDir != nil),
            ("--create-dirs", createDirs), ("-R", remoteTime), ("--max-filesize", maxFilesize != nil),
        ]
        return all.filter { $0.isGiven }.map { $0.name }
    }

    /// The longest body in bytes; nil for no limit.
    var longest: Int64? { maxFilesize.flatMap(LimitRate.parse).map { Int64($0) } }

    /// Throws `UsageError` for a body that is longer than `--max-filesize`.
    func check(length: Int64?) throws(UsageError) {
        guard let longest, let length, length > longest else { return }
        throw UsageError(
            "The body has \(length) bytes or more, and --max-filesize allows \(longest); nothing of it is kept in a file.",
            status: ExitStatus.tooLarge)
    }

    func validate() throws {
        if maxFilesize != nil, longest == nil {
            throw ValidationError("--max-filesize is a number of bytes above 0, such as 5000, 200k or 2M.")
        }
        if dumpHeader?.isEmpty == true { throw ValidationError("-D takes the path of a file, or -.") }
        if outputDir?.isEmpty == true { throw ValidationError("--output-dir takes the path of a folder.") }
    }

    /// Opens the output of `-D`; throws `OutputError`.
    func headDump() throws -> HeadDump? {
        guard let path = dumpHeader else { return nil }
        if path == "-" { return HeadDump(output: .standardOutput, isFile: false) }
        if createDirs { try Self.makeFolder(of: path) }
        return HeadDump(output: try HeadDump.open(path), isFile: true)
    }

    /// Returns a destination in the folder of these options; makes its folder if they say so. Throws `OutputError`.
    func place(_ destination: SaveDestination) throws -> SaveDestination {
        let placed = (outputDir.map { destination.placed(in: $0) } ?? destination).keepingFiles(!clobber)
        guard createDirs else { return placed }
        switch placed {
        case .none: break
        case .file(let path), .remote(let path), .numbered(let path): try Self.makeFolder(of: path)
        case .named(_, let folder): if let folder { try Self.makeFolder(of: folder + "/") }
        }
        return placed
    }

    /// Makes the folder of a file, and those above it. Throws `OutputError`.
    private static func makeFolder(of path: String) throws {
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return }
        let folder = String(path[..<slash])
        guard FileStatus(path: folder)?.isDirectory != true else { return }
        var made = ""
        for name in folder.split(separator: "/", omittingEmptySubsequences: false) {
            made += made.isEmpty && !folder.hasPrefix("/") ? String(name) : "/\(name)"
            if made.isEmpty || made == "/" { continue }
            let code = mkdir(made, 0o777) == 0 ? 0 : errno
            // `mkdir` fails for a folder that exists, too.
            guard code == 0 || FileStatus(path: made)?.isDirectory == true else {
                throw OutputError(name: made, code: code)
            }
        }
    }
}

/// The output of the heads of responses, as they arrived.
final class HeadDump: Sendable {
    private let output: Descriptor
    private let isFile: Bool
    private let isTerminal: Bool

    /// - Parameter isFile: whether the output is a file of this dump, which closes it. Only a file gets secrets.
    init(output: Descriptor, isFile: Bool) {
        self.output = output
        self.isFile = isFile
        isTerminal = Terminal(output.number).isTerminal
    }

    deinit {
        if isFile { close(output.number) }
    }

    /// The files that this process has begun.
    private static let begun = Mutex<Set<FileStatus.Identity>>([])

    /// Opens a file, which is private since it may get cookies. The first request of the command line that opens it empties it, and
    /// the others add to its end. Throws `OutputError`.
    fileprivate static func open(_ path: String) throws(OutputError) -> Descriptor {
        // Requests at the same time add to the end, and do not write over each other.
        let number = SternaPlatform.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw OutputError(name: path, code: errno) }
        if let status = FileStatus(descriptor: number), status.isRegular {
            begun.withLock { begun in
                if begun.insert(status.identity).inserted { _ = ftruncate(number, 0) }
            }
        }
        return Descriptor(number: number, name: path)
    }

    /// Writes a head. Throws `OutputError`.
    func write(_ response: Response) throws(OutputError) {
        try output.write(Self.text(of: response, showsSecrets: isFile && !isTerminal, isTerminal: isTerminal))
    }

    /// Returns a head as HTTP/1.1 has it on the wire, or as curl writes a head of HTTP/2.
    static func text(of response: Response, showsSecrets: Bool = true, isTerminal: Bool = false) -> String {
        let version = response.version == .http2 ? "HTTP/2" : response.version.description
        let phrase = response.version == .http2 ? "" : response.reasonPhrase
        var text = "\(version) \(response.status.code) \(isTerminal ? TerminalText.line(phrase) : phrase)\r\n"
        for field in response.headers {
            let value = showsSecrets ? field.value : Redaction.shown(field.name.rawName, field.value)
            // A terminal would interpret control characters.
            text += "\(field.name.rawName): \(isTerminal ? TerminalText.line(value) : value)\r\n"
        }
        return text + "\r\n"
    }
}

/// The heads that stand before the body in its file: those of all responses since the file was begun.
final class FileHeads: Sendable {
    private let text = Mutex("")

    /// Adds the head of a response.
    func add(_ response: Response) { add(HeadDump.text(of: response)) }

    /// Adds a head as it is.
    func add(_ head: String) { text.withLock { $0 += head } }

    /// Removes the heads and returns them.
    func take() -> String {
        text.withLock { text in
            defer { text = "" }
            return text
        }
    }
}

/// Options of curl that name what `tern` does anyway.
struct AcceptedOptions: ParsableArguments {
    @Flag(name: [.customShort("S"), .customLong("show-error")], help: .hidden)
    var showError = false

    @Flag(help: .hidden)
    var compressed = false

    @Flag(name: [.customShort("N"), .customLong("no-buffer")], help: .hidden)
    var noBuffer = false

    @Flag(name: [.customShort("#"), .customLong("progress-bar")], help: .hidden)
    var progressBar = false

    @Flag(name: .customLong("no-http0.9"), help: .hidden)
    var noHTTP09 = false

    @Flag(name: .customLong("remove-on-error"), help: .hidden)
    var removeOnError = false
}
