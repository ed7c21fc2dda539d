import ArgumentParser
import Sterna
import SternaPlatform

/// Saves web pages, by the program `tern-page`, which this process becomes: it needs libxml2, which `tern` does not.
struct PageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "page", abstract: "Save a web page with its resources: tern page URL -o FOLDER.",
        shouldDisplay: isInstalled)

    /// Whether the program is found. Otherwise the help, the manual page and the completions leave the command out.
    static let isInstalled: Bool = candidates(beside: ownPath, searchPath: Environment.variable("PATH")).contains {
        path in
        FileStatus(path: path)?.isRegular == true && access(path, X_OK) == 0
    }

    @Argument(parsing: .captureForPassthrough, help: ArgumentHelp("See tern page --help.", valueName: "arguments"))
    var arguments: [String] = []

    func run() throws {
        for path in Self.candidates(beside: Self.ownPath, searchPath: Environment.variable("PATH")) {
            Self.replaceProcess(by: path, [path] + arguments)
            guard errno == ENOENT || errno == ENOTDIR || errno == EACCES else {
                throw UsageError(
                    "\(path) cannot be started: \(String(cString: strerror(errno))).", status: ExitStatus.failure)
            }
        }
        throw UsageError(
            "Saving pages needs the program tern-page, which is neither beside tern nor in PATH. Install libxml2-dev, build it with "
                + "swift build -c release --package-path Extensions/SternaPages --product tern-page, and put it beside tern.",
            status: ExitStatus.failure)
    }

    /// Returns where the program may be, in order: beside this one, then in the folders of `PATH`.
    ///
    /// Relative folders are left out, since a program in the current folder would be run.
    static func candidates(beside own: String?, searchPath: String?) -> [String] {
        var folders: [Substring] = []
        if let own, let slash = own.lastIndex(of: "/") { folders.append(own[..<slash]) }
        folders += (searchPath ?? "").split(separator: ":")
        return folders.filter { $0.hasPrefix("/") || $0.isEmpty }.map { "\($0)/tern-page" }
    }

    /// The path of this program's file; nil if the system does not tell.
    private static var ownPath: String? {
        #if os(Linux)
        var buffer = [CChar](repeating: 0, count: 4_096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0, count < buffer.count else { return nil }
        return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        #else
        return CommandLine.arguments.first
        #endif
    }

    /// Runs another program in this process; returns only if that is impossible, with `errno`.
    private static func replaceProcess(by path: String, _ arguments: [String]) {
        // Copies that live until the call has ended.
        let pointers = arguments.map { strdup($0) } + [nil]
        execv(path, pointers)
        let code = errno
        for pointer in pointers { free(pointer) }
        errno = code
    }
}
