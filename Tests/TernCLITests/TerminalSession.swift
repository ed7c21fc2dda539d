import Dispatch
import SternaPlatform
import Synchronization

/// A command of the shell in the foreground of a terminal of its own: what is typed reaches it, and Ctrl-C interrupts it.
final class TerminalSession: Sendable {
    private let pid: pid_t
    private let terminal: CInt
    private let shown = Mutex<[UInt8]>([])
    private let isReaped = Mutex(false)

    /// Starts the command, in which `tern` is the built program.
    init(_ command: String, window: TernProcess.Window, environment: [String: String] = [:], folder: String) throws {
        var variables = ProcessInfo.processInfo.environment
        for name in ["NO_COLOR", "COLUMNS"] { variables[name] = nil }
        variables["TERM"] = "xterm"
        variables["XDG_CONFIG_HOME"] = "/nonexistent"
        let folderOfTern = TernProcess.path.lastIndex(of: "/").map { TernProcess.path[..<$0] } ?? "."
        variables["PATH"] = "\(folderOfTern):/usr/bin:/bin"
        variables.merge(environment) { _, new in new }
        let words = ["/bin/sh", "-c", "cd \"$1\" && \(command)", "sh", folder]
        (pid, terminal) = try TernProcess.starting.withLock { _ in
            let (main, name) = try TernProcess.openTerminal()
            TernProcess.resize(main, to: window)
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            // The first terminal that the leader of a session opens becomes its own.
            posix_spawn_file_actions_addopen(&actions, 0, name, O_RDWR, 0)
            for number: CInt in [1, 2] { posix_spawn_file_actions_adddup2(&actions, 0, number) }
            var attributes = posix_spawnattr_t()
            posix_spawnattr_init(&attributes)
            defer { posix_spawnattr_destroy(&attributes) }
            // Linux's POSIX_SPAWN_SETSID, and SETSIGDEF for what the testing program ignores.
            posix_spawnattr_setflags(&attributes, 0x80 | 0x04)
            var all = sigset_t()
            sigfillset(&all)
            posix_spawnattr_setsigdefault(&attributes, &all)
            let argv = words.map { strdup($0) } + [nil]
            let envp = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
            defer { for text in argv + envp { free(text) } }
            var pid: pid_t = 0
            let code = posix_spawn(&pid, words[0], &actions, &attributes, argv, envp)
            guard code == 0 else {
                close(main)
                throw TernProcess.Failure(code: code)
            }
            return (pid, main)
        }
    }

    deinit {
        if !isReaped.withLock({ $0 }) {
            kill(pid, SIGKILL)
            var status: CInt = 0
            while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        }
        close(terminal)
    }

    /// Types a text.
    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(terminal, bytes, bytes.count)
    }

    /// Waits until what was shown meets a condition, or the command ends; returns all of it.
    @discardableResult
    func text(until isMet: @escaping @Sendable (String) -> Bool) async -> String {
        await TernProcess.blocking { [self] in
            var chunk = [UInt8](repeating: 0, count: 4_096)
            while true {
                let all = shown.withLock { String(decoding: $0, as: UTF8.self) }
                if isMet(all) { return all }
                let count = read(terminal, &chunk, chunk.count)
                if count < 0, errno == EINTR { continue }
                // A terminal whose other side is closed gives an error instead of an end.
                guard count > 0 else { return all }
                shown.withLock { $0.append(contentsOf: chunk[..<count]) }
            }
        }
    }

    /// Waits for the end of the command; returns its exit status, negative for a signal, and all that was shown.
    func outcome() async -> (status: Int32, text: String) {
        let all = await text { _ in false }
        let status = await TernProcess.blocking { [pid] in
            var status: CInt = 0
            while waitpid(pid, &status, 0) < 0, errno == EINTR {}
            return status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
        }
        isReaped.withLock { $0 = true }
        return (status, all)
    }
}
