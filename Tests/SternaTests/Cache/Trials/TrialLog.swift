import SternaPlatform

/// Lines that a child process writes for its parent: each is complete, or the last one, when the child is killed.
final class TrialLog: Sendable {
    private let descriptor: CInt

    /// Begins a log with the process that writes it.
    init?(path: String) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
        write("process \(getpid())")
    }

    deinit { close(descriptor) }

    func write(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = bytes.withUnsafeBytes { SternaPlatform.write(descriptor, $0.baseAddress, $0.count) }
    }

    /// The words of all complete lines.
    static func read(_ path: String) -> [[String]] {
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .map { $0.split(separator: " ").map(String.init) }
    }

    /// Waits until the child has written so many lines, the first with its number; nil if the task is cancelled before.
    static func process(_ path: String, after count: Int) async -> pid_t? {
        while !Task.isCancelled {
            let lines = read(path)
            if lines.count >= max(1, count), let number = lines[0].last.flatMap({ pid_t($0) }) { return number }
            try? await Task.sleep(for: .milliseconds(2))
        }
        return nil
    }
}
