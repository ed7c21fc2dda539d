import Dispatch
import SternaPlatform
import Synchronization

/// Programs of others, started for a test.
enum ChildProcess {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// In CI a program that is missing fails the tests that need it, as nobody reads what was skipped there.
    static let mayNotSkip = ProcessInfo.processInfo.environment["CI"] == "true"

    /// The folder of the package.
    static let package = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

    /// A program on the path by the first of its names that is there.
    static func find(_ names: String...) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        for name in names {
            for folder in folders where access("\(folder)/\(name)", X_OK) == 0 { return "\(folder)/\(name)" }
        }
        return nil
    }

    /// Makes a pipe and starts a program with one of its ends among the rest.
    ///
    /// One at a time: a program started between the making of a pipe and its mark would keep the pipe open.
    static func start(
        _ arguments: [String], environment: [String: String] = [:], inOwnGroup: Bool = false,
        descriptors: (_ pipe: (read: CInt, write: CInt)) -> (given: [CInt], kept: CInt)
    ) throws -> (process: pid_t, kept: CInt) {
        try starting.withLock { _ in
            var ends: [CInt] = [0, 0]
            guard pipe(&ends) == 0 else { throw Failure(description: "no pipe: \(errno)") }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            let (given, kept) = descriptors((ends[0], ends[1]))
            defer { for end in ends where end != kept { close(end) } }
            do {
                return (try spawn(arguments, environment, given, inOwnGroup), kept)
            } catch {
                close(kept)
                throw error
            }
        }
    }

    /// Runs a program to its end with a text on standard input; returns its output, or throws what it complained of.
    static func run(
        _ arguments: [String], environment: [String: String] = [:], input: some Sequence<UInt8> & Sendable
    ) async throws -> [UInt8] {
        // Files without a name, so that nothing is left over, and nobody waits for a pipe that is full.
        let (given, complaints) = (try NamelessFile(), try NamelessFile())
        try given.write(Array(input))
        let (process, output) = try start(arguments, environment: environment) { pipe in
            ([given.descriptor, pipe.write, complaints.descriptor], pipe.read)
        }
        return try await withTaskCancellationHandler {
            let (bytes, status) = await blocking { (readAll(output), wait(for: process)) }
            close(output)
            guard status == 0 else {
                let text = String(decoding: complaints.content(), as: UTF8.self)
                throw Failure(description: "\(arguments[0]) ended with \(status): \(text.suffix(2_000))")
            }
            return bytes
        } onCancel: {
            kill(process, SIGKILL)
        }
    }

    /// Puts a script where it may be run by everybody.
    ///
    /// The system runs no file that somebody has open for writing, and a program that starts meanwhile would: none is started
    /// by this, and those of other tests lose it when they begin.
    static func write(script: String, to path: String) throws {
        try starting.withLock { _ in
            let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o755)
            guard descriptor >= 0 else { throw Failure(description: "\(path) cannot be written: \(errno)") }
            defer { close(descriptor) }
            try writeAll(Array(script.utf8), to: descriptor)
        }
        chmod(path, 0o755)
    }

    /// Waits for the end of a program; its exit status, or its signal below zero.
    static func wait(for process: pid_t) -> CInt {
        var status: CInt = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
    }

    /// Does what blocks on a queue of its own: the shared threads may all be taken.
    static func blocking<R: Sendable>(_ work: @escaping @Sendable () -> R) async -> R {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "sterna.interop").async { continuation.resume(returning: work()) }
        }
    }

    private static let starting = Mutex(())

    private static func spawn(
        _ arguments: [String], _ environment: [String: String], _ descriptors: [CInt], _ inOwnGroup: Bool
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, end) in descriptors.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, end, CInt(number))
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The threads of a pool have their signals blocked, and so would what they start.
        var noSignals = sigset_t()
        sigemptyset(&noSignals)
        posix_spawnattr_setsigmask(&attributes, &noSignals)
        let flags = CInt(POSIX_SPAWN_SETSIGMASK) | (inOwnGroup ? CInt(POSIX_SPAWN_SETPGROUP) : 0)
        posix_spawnattr_setflags(&attributes, CShort(flags))

        let variables = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        // Copies that live until the new process has its own.
        let argv = arguments.map { strdup($0) } + [nil]
        let envp = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in argv + envp { free(text) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, arguments[0], &actions, &attributes, argv, envp)
        guard code == 0 else { throw Failure(description: "\(arguments[0]) cannot be started: \(code)") }
        return process
    }

    fileprivate static func writeAll(_ bytes: [UInt8], to descriptor: CInt) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { piece in
                SternaPlatform.write(descriptor, piece.baseAddress, piece.count)
            }
            guard count > 0 else { throw Failure(description: "a file is full: \(errno)") }
            rest = rest.dropFirst(count)
        }
    }

    fileprivate static func readAll(_ descriptor: CInt) -> [UInt8] {
        var all: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return all }
            all.append(contentsOf: chunk[..<count])
        }
    }
}

/// A file that is gone when it is closed.
private final class NamelessFile: Sendable {
    let descriptor: CInt

    init() throws {
        guard let file = tmpfile() else { throw ChildProcess.Failure(description: "no temporary file: \(errno)") }
        defer { fclose(file) }
        descriptor = fcntl(fileno(file), F_DUPFD_CLOEXEC, 3)
    }

    deinit { close(descriptor) }

    func write(_ bytes: [UInt8]) throws {
        try ChildProcess.writeAll(bytes, to: descriptor)
        lseek(descriptor, 0, SEEK_SET)
    }

    func content() -> [UInt8] {
        lseek(descriptor, 0, SEEK_SET)
        return ChildProcess.readAll(descriptor)
    }
}
