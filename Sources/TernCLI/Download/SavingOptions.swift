import ArgumentParser
import Sterna

/// Options for the files of downloads.
struct SavingOptions: ParsableArguments {
    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("Save to this file, which is replaced if it exists; for one URL.", valueName: "file"))
    var path: String?

    @Flag(
        name: [.customShort("O"), .customLong("remote-name")],
        help: "Save to the current folder, under the last path component of the URL; a file of that name is replaced.")
    var remoteName = false

    @Flag(
        name: [.customShort("J"), .customLong("remote-header-name")],
        help: "With -O, use the name that the server gives; an existing file is kept, and the download fails.")
    var remoteHeaderName = false

    @Option(
        help: ArgumentHelp(
            "Save to this folder under the name that the server gives, with a number if it is taken; the current folder by default.",
            valueName: "folder"))
    var into: String?

    @Flag(
        name: [.customShort("c"), .customLong("continue")],
        help: "Resume an interrupted download, if the file has not changed on the server.")
    var continues = false

    @Option(
        name: .customShort("C"),
        help: ArgumentHelp("The same as --continue; the offset is always -, as tern finds it.", valueName: "-"))
    var offset: String?

    @Option(help: ArgumentHelp("Fetch each file over up to this many connections, 16 at most.", valueName: "number"))
    var segments = 1

    @Option(help: ArgumentHelp("Run up to this many downloads at the same time.", valueName: "number"))
    var jobs = 4

    @Option(
        help: ArgumentHelp(
            "The SHA-256 of the file, in hexadecimal digits; another file fails. For one URL.", valueName: "hex"))
    var sha256: String?

    @Flag(name: [.customShort("s"), .customLong("silent")], help: "Show only errors.")
    var silent = false

    /// Returns the options of a request that is a download.
    static func request(
        path: String?, remoteName: Bool, remoteHeaderName: Bool, silent: Bool, continues: Bool
    ) throws -> SavingOptions {
        var words = continues ? ["--continue"] : []
        if let path { words.append("--output=\(path)") }
        if remoteName { words.append("--remote-name") }
        if remoteHeaderName { words.append("--remote-header-name") }
        if silent { words.append("--silent") }
        // Only the parser gives each property a value.
        return try parse(words)
    }

    func validate() throws {
        if [path != nil, remoteName, into != nil].filter(\.self).count > 1 {
            throw ValidationError("-o, -O and --into exclude each other: each says where files go.")
        }
        if remoteHeaderName, !remoteName { throw ValidationError("--remote-header-name goes with -O.") }
        if path == "-" { throw ValidationError("Downloads go to files; for standard output write tern GET URL.") }
        if path?.isEmpty == true || into?.isEmpty == true { throw ValidationError("-o and --into take a path.") }
        try Self.check(offset: offset)
        guard (1...16).contains(segments) else { throw ValidationError("--segments is a number from 1 to 16.") }
        guard (1...1_000).contains(jobs) else { throw ValidationError("--jobs is a number from 1 to 1000.") }
        try Self.check(sha256: sha256)
    }

    /// Throws if the text is not a digest.
    static func check(sha256: String?) throws {
        guard let sha256, sha256.utf8.count != 64 || !sha256.utf8.allSatisfy({ isHexadecimal($0) }) else { return }
        throw ValidationError("--sha256 has 64 hexadecimal digits.")
    }

    /// Throws for an offset in bytes.
    static func check(offset: String?) throws {
        guard let offset, offset != "-" else { return }
        throw ValidationError("-C takes only - for a file, as in -C -: tern finds where the download ended.")
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    /// The options of the downloads.
    var options: DownloadOptions {
        var options = DownloadOptions()
        options.continuesEarlier = continues || offset != nil
        options.maxSegments = segments
        options.sha256 = sha256
        // As often as --retry says.
        options.retriesBodies = true
        return options
    }

    /// Returns the destination of each URL; throws `UsageError` for one without a name.
    func destinations(of urls: [HTTPURL]) throws -> [DownloadDestination] {
        if let path { return urls.map { _ in .file(TypedLink.target(of: path), existing: .replace) } }
        guard remoteName else { return urls.map { _ in .folder(into ?? ".") } }
        guard !remoteHeaderName else { return urls.map { _ in .folder(".", existing: .fail) } }
        let names = try urls.map { url throws(UsageError) in
            guard let name = DownloadFileName.name(of: url) else {
                throw UsageError("The URL does not end in a file name; write -o FILE or --into FOLDER.")
            }
            return name
        }
        let counts = names.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
        // Files of one command never replace each other.
        return names.map { .file($0, existing: counts[$0] == 1 ? .replace : .addNumber) }
    }
}
