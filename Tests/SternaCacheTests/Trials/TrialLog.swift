import Dispatch
import SternaPlatform
import Synchronization

/// Lines that a child process writes for its parent: each is complete, or the last one, when the child is killed.
final class TrialLog: Sendable {
    private let descriptor: CInt
    private let last: Int
    private let delay: UInt32
    private let count = Atomic<Int>(0)

    /// Begins a log.
    ///
    /// - Parameters:
    ///   - last: the number of lines after which the process kills itself, so that a slow machine does it as late as a fast one. Its
    ///     parent could not: it waits for the ends of its children, and may have no thread left.
    ///   - delay: how long after that line, in microseconds.
    init?(path: String, killingAfter last: Int = .max, delay: UInt32 = 0) {
        self.last = last
        self.delay = delay
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
        write("process \(getpid())")
    }

    deinit { close(descriptor) }

    func write(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = bytes.withUnsafeBytes { SternaPlatform.write(descriptor, $0.baseAddress, $0.count) }
        guard count.wrappingAdd(1, ordering: .relaxed).newValue == last else { return }
        let delay = delay
        // A thread of its own, since the others are at work.
        DispatchQueue(label: "trial").async {
            usleep(delay)
            kill(getpid(), SIGKILL)
        }
    }

    /// The words of all complete lines.
    static func read(_ path: String) -> [[String]] {
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .map { $0.split(separator: " ").map(String.init) }
    }
}
