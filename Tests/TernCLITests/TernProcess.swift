import Dispatch
import SternaPlatform
import Synchronization
import Testing

/// The built `tern` as a process of its own.
final class TernProcess: Sendable {
    /// Its standard input.
    enum Input {
        case null
        case bytes([UInt8])
        /// A pipe that stays open and empty.
        case silence
    }

    /// Its exit status and its output.
    struct Outcome: Sendable {
        var status: Int32
        var output: [UInt8]
        var errors: String

        var text: String { String(decoding: output, as: UTF8.self) }
    }

    let pid: pid_t
    private let output: CInt
    private let errors: CInt
    private let silence: CInt?

    // A process that a failed test does not wait for would stay a zombie, which keeps the testing library from its own processes.
    private let isReaped = Mutex(false)

    deinit {
        guard !isReaped.withLock({ $0 }) else { return }
        kill(pid, SIGKILL)
        var status: CInt = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    }

    /// The size of a terminal's window.
    struct Window {
        var rows: UInt16
        var columns: UInt16
    }

    /// Runs it to its end.
    @discardableResult
    static func run(
        _ arguments: String..., input: Input = .null, environment: [String: String] = [:], onTerminal: Bool = false
    ) async throws -> Outcome {
        try await TernProcess(arguments, input: input, environment: environment, onTerminal: onTerminal).outcome()
    }

    /// Runs it to its end.
    @discardableResult
    static func run(_ arguments: [String]) async throws -> Outcome { try await TernProcess(arguments).outcome() }

    /// Starts it.
    ///
    /// - Parameters:
    ///   - onTerminal: whether standard output is a terminal.
    ///   - window: the window of the terminal that standard error is; nil for a pipe.
    ///   - folder: the current folder of the process; this one's by default.
    ///   - program: the path of `tern`; that of the build by default.
    init(
        _ arguments: [String], input: Input = .null, environment: [String: String] = [:], onTerminal: Bool = false,
        window: Window? = nil, folder: String? = nil, program: String = path
    ) throws {
        var variables = ProcessInfo.processInfo.environment
        for name in ["NO_COLOR", "COLUMNS"] { variables[name] = nil }
        variables["TERM"] = "xterm"
        // The configuration file of the developer must not change a test.
        variables["XDG_CONFIG_HOME"] = "/nonexistent"
        variables.merge(environment) { _, new in new }
        let shell = folder.map { ["/bin/sh", "-c", #"cd "$1" && shift && exec "$@""#, "sh", $0] } ?? []
        (pid, output, errors, silence) = try Self.starting.withLock { _ in
            let out = onTerminal ? try Self.terminal() : try Self.makePipe()
            let err = window == nil ? try Self.makePipe() : try Self.terminal()
            if let window { Self.resize(err.read, to: window) }
            let (inputEnd, writingEnd) = try Self.openInput(input)
            let ends = [inputEnd, out.write, err.write]
            defer { for end in ends { close(end) } }
            let pid = try Self.spawn(shell + [program] + arguments, variables.map { "\($0.key)=\($0.value)" }, ends)
            return (pid, out.read, err.read, writingEnd)
        }
    }

    /// Changes the window of the terminal that standard error is, and signals the change.
    func resize(to window: Window) {
        Self.resize(errors, to: window)
        signal(SIGWINCH)
    }

    static func resize(_ terminal: CInt, to window: Window) {
        var size = winsize(ws_row: window.rows, ws_col: window.columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(terminal, UInt(TIOCSWINSZ), &size)
    }

    /// Sends a signal.
    func signal(_ number: CInt) { kill(pid, number) }

    /// Reads from standard error until what was read meets a condition; returns all of it.
    func errors(until isMet: @escaping @Sendable (String) -> Bool) async -> String {
        await Self.blocking { [errors] in
            var all: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 4_096)
            while !isMet(String(decoding: all, as: UTF8.self)) {
                let count = read(errors, &chunk, chunk.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                all.append(contentsOf: chunk[..<count])
            }
            return String(decoding: all, as: UTF8.self)
        }
    }

    /// Closes the reading end of its output.
    func stopReading() { close(output) }

    /// The first lines of its output, read as they arrive.
    func lines(_ count: Int) async -> [String] {
        let text = await Self.blocking { [output] in
            var all: [UInt8] = []
            var byte: UInt8 = 0
            while all.filter({ $0 == 0x0A }).count < count, read(output, &byte, 1) == 1 { all.append(byte) }
            return String(decoding: all, as: UTF8.self)
        }
        return text.split(separator: "\n").map(String.init)
    }

    /// Waits for its end.
    func outcome(readsOutput: Bool = true) async throws -> Outcome {
        async let output = readsOutput ? Self.readAll(self.output) : []
        async let errors = Self.readAll(self.errors)
        let status = await Self.blocking { [pid] in
            var status: CInt = 0
            while waitpid(pid, &status, 0) < 0, errno == EINTR {}
            return status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
        }
        isReaped.withLock { $0 = true }
        if let silence { close(silence) }
        return Outcome(status: status, output: await output, errors: String(decoding: await errors, as: UTF8.self))
    }

    // MARK: Plumbing

    /// The product stands beside the test bundle.
    static let path: String = {
        let bundle = CommandLine.arguments.first ?? ""
        let folder = bundle.lastIndex(of: "/").map { bundle[..<$0] } ?? "."
        let beside = "\(folder)/tern"
        if access(beside, X_OK) == 0 { return beside }
        let package = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        return "/\(package)/.build/debug/tern"
    }()

    struct Failure: Error { var code: CInt }

    // A process that is started before a pipe has its close-on-exec flag would keep the pipe open.
    static let starting = Mutex(())

    private static func makePipe() throws -> (read: CInt, write: CInt) {
        var ends: [CInt] = [0, 0]
        guard pipe(&ends) == 0 else { throw Failure(code: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private static func terminal() throws -> (read: CInt, write: CInt) {
        let (main, name) = try openTerminal()
        let side = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard side >= 0 else { throw Failure(code: errno) }
        return (main, side)
    }

    /// Opens a pseudo-terminal; returns the end of the test, and the name of the other one.
    static func openTerminal() throws -> (main: CInt, name: String) {
        let main = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        // Linux's numbers for unlocking the other side and for asking its name (ioctl_tty(2)).
        let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
        var lock: CInt = 0
        var number: CInt = 0
        guard main >= 0, ioctl(main, setLock, &lock) == 0, ioctl(main, getNumber, &number) == 0 else {
            throw Failure(code: errno)
        }
        return (main, "/dev/pts/\(number)")
    }

    private static func openInput(_ input: Input) throws -> (CInt, CInt?) {
        switch input {
        case .null: return (open("/dev/null", O_RDONLY | O_CLOEXEC), nil)
        case .silence:
            let ends = try makePipe()
            return (ends.read, ends.write)
        case .bytes(let bytes):
            let ends = try makePipe()
            // Less than a pipe holds, so that the write returns before the process reads.
            #expect(bytes.count < 60_000)
            #expect(write(ends.write, bytes, bytes.count) == bytes.count)
            close(ends.write)
            return (ends.read, nil)
        }
    }

    private static func spawn(_ arguments: [String], _ variables: [String], _ ends: [CInt]) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, end) in ends.enumerated() { posix_spawn_file_actions_adddup2(&actions, end, CInt(number)) }
        // Copies that live until the new process has its own.
        let argv = arguments.map { strdup($0) } + [nil]
        let envp = variables.map { strdup($0) } + [nil]
        defer { for text in argv + envp { free(text) } }
        var pid: pid_t = 0
        let code = posix_spawn(&pid, arguments[0], &actions, nil, argv, envp)
        guard code == 0 else { throw Failure(code: code) }
        return pid
    }

    private static func readAll(_ number: CInt) async -> [UInt8] {
        await blocking {
            var all: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let count = read(number, &chunk, chunk.count)
                if count < 0, errno == EINTR { continue }
                // A terminal whose other side is closed gives an error instead of an end.
                guard count > 0 else { break }
                all.append(contentsOf: chunk[..<count])
            }
            close(number)
            return all
        }
    }

    static func blocking<R: Sendable>(_ work: @escaping @Sendable () -> R) async -> R {
        await withCheckedContinuation { continuation in
            // A queue of its own: the shared ones may all be taken.
            DispatchQueue(label: "tern.process").async { continuation.resume(returning: work()) }
        }
    }
}
