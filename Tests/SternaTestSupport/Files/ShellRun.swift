import Dispatch
import SternaPlatform

/// Programs that the tests of curl commands need.
enum Shell {
    /// The path of curl; nil if it is not installed.
    static let curl = paths(["/usr/bin/curl", "/usr/local/bin/curl", "/opt/homebrew/bin/curl"]).first

    /// The shells of this machine with which the tests run.
    static let all = paths(["/bin/sh", "/bin/dash", "/bin/bash"])

    /// Whether a missing curl is a failure rather than a reason to skip.
    static let isRequired = getenv("CI").map { String(cString: $0) } == "true"

    private static func paths(_ candidates: [String]) -> [String] { candidates.filter { access($0, X_OK) == 0 } }

    /// The longest argument that Linux takes is 128 KiB; a longer command is given to the shell in a file.
    private static let longestArgument = 100 << 10

    /// Runs a command in a folder, with a text on its standard input, and returns its exit status.
    static func run(_ command: String, by shell: String, in folder: String, input: [UInt8] = []) async throws -> CInt {
        let scripts = folder + ".run"
        try FileManager.default.createDirectory(atPath: scripts, withIntermediateDirectories: true)
        let stem = "\(scripts)/\(UUID().uuidString)"
        try Data(input).write(to: URL(filePath: stem + ".in"))
        let script = "cd '\(folder)' || exit 99\n\(command)\n"
        var words = [shell, "-c", script]
        if script.utf8.count > longestArgument {
            try Data(script.utf8).write(to: URL(filePath: stem + ".sh"))
            words = [shell, stem + ".sh"]
        }
        let process = try spawn(words, input: stem + ".in", output: stem + ".out", home: scripts)
        return await withCheckedContinuation { continuation in
            // A serial queue has a thread of its own; the global ones share theirs with every task.
            DispatchQueue(label: "child").async {
                var status: CInt = 0
                while waitpid(process, &status, 0) < 0, errno == EINTR {}
                continuation.resume(returning: status & 0x7F == 0 ? (status >> 8) & 0xFF : -1)
            }
        }
    }

    private struct SpawnError: Error {
        var code: CInt
    }

    private static func spawn(_ words: [String], input: String, output: String, home: String) throws -> pid_t {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        // Without the user's settings and proxies.
        let environment = ["PATH=/usr/bin:/bin:/usr/local/bin:/opt/homebrew/bin", "HOME=\(home)", "LC_ALL=C"]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) } + [nil]
        defer { for pointer in arguments + variables { free(pointer) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, words[0], &actions, nil, &arguments, &variables)
        guard code == 0 else { throw SpawnError(code: code) }
        return process
    }
}

/// A folder that lasts as long as a test.
final class TestFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "sterna-curl-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
        try? FileManager.default.removeItem(atPath: path + ".run")
    }

    /// Writes a file and returns its path.
    func write(_ bytes: [UInt8], to name: String) throws -> String {
        try Data(bytes).write(to: URL(filePath: "\(path)/\(name)"))
        return "\(path)/\(name)"
    }

    /// The names of all files.
    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path))?.sorted() ?? [] }
}
