#if os(Linux)
import SternaCore
import SternaPlatform
import Synchronization

/// Waits for triggers of the kernel's pressure stall information on a thread of its own. Where triggers are missing, a timer checks
/// the kernel's files.
struct LinuxMemoryPressureSource: MemoryPressureSource {
    /// The time in microseconds for which some or all tasks have waited for memory, and the window. Processes without privileges
    /// may only use windows that are multiples of two seconds.
    static let triggers: [(text: String, level: MemoryPressure.Level)] = [
        ("some 150000 2000000", .warning), ("full 100000 2000000", .critical),
    ]

    /// The folder that contains `proc` and `sys`; empty for the machine's own.
    var root = ""

    /// The interval of the timer.
    var interval = Duration.seconds(5)

    /// Opens a file for reading and writing; replaced in tests.
    var openFile: @Sendable (String) -> Int32 = { SternaPlatform.open($0, O_RDWR | O_NONBLOCK | O_CLOEXEC) }

    /// Called once it is known whether the timer is needed; for tests.
    var began: (@Sendable (_ usesTimer: Bool) -> Void)?

    func begin(_ report: @escaping @Sendable (MemoryPressure.Level) -> Void) -> @Sendable () -> Void {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return {} }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let (stop, write) = (ends[0], ends[1])
        // The waiting thread has no other work. It ends, and closes its end of the pipe, when the other end is closed.
        BlockingWork("sterna.memory", inOrder: true).begin { [self] in
            watch(stop, report)
            close(stop)
        }
        let ending = Ending(descriptor: write)
        return { ending.end() }
    }

    /// Closes a descriptor once.
    private final class Ending: Sendable {
        private let descriptor: Int32
        private let isOver = Atomic(false)

        init(descriptor: Int32) { self.descriptor = descriptor }

        func end() {
            if !isOver.exchange(true, ordering: .relaxed) { close(descriptor) }
        }
    }

    private func watch(_ stop: Int32, _ report: @Sendable (MemoryPressure.Level) -> Void) {
        let reader = MemoryReader(root: root)
        let groups = reader.groups()
        let machine = open("/proc/pressure/memory")
        let told = groups.map { $0.hierarchy == .v2 ? open("\($0.folder)/memory.pressure") : [] }
        let all = machine + told.flatMap { $0 }
        defer { for trigger in all { close(trigger.descriptor) } }
        let usesTimer = machine.isEmpty || told.contains(where: \.isEmpty)
        began?(usesTimer)
        let milliseconds = Int32(min(max(1, interval / .milliseconds(1)), 1e9))
        var waiting = [pollfd(fd: stop, events: Int16(POLLIN), revents: 0)]
        waiting += all.map { pollfd(fd: $0.descriptor, events: Int16(POLLPRI), revents: 0) }
        while true {
            let count = poll(&waiting, nfds_t(waiting.count), usesTimer ? milliseconds : -1)
            guard count >= 0 || errno == EINTR else { return }
            if waiting[0].revents != 0 { return }
            var levels: [MemoryPressure.Level] = []
            for (index, trigger) in all.enumerated() {
                let events = waiting[index + 1].revents
                // A removed group reports an error for ever.
                if events & Int16(POLLERR | POLLNVAL) != 0 {
                    waiting[index + 1].fd = -1
                } else if events & Int16(POLLPRI) != 0 {
                    levels.append(trigger.level)
                }
            }
            if count == 0, let level = reader.level() { levels.append(level) }
            if let level = levels.max() { report(level) }
        }
    }

    /// Opens a file of pressure stall information with each trigger. Returns none if the kernel refuses one.
    private func open(_ path: String) -> [(descriptor: Int32, level: MemoryPressure.Level)] {
        var opened: [(descriptor: Int32, level: MemoryPressure.Level)] = []
        for trigger in Self.triggers {
            let file = openFile(root + path)
            guard file >= 0 else { break }
            // The kernel treats the last byte as the end of the text.
            let text = Array(trigger.text.utf8) + [0]
            guard write(file, text, text.count) == text.count else {
                close(file)
                break
            }
            opened.append((file, trigger.level))
        }
        guard opened.count == Self.triggers.count else {
            for trigger in opened { close(trigger.descriptor) }
            return []
        }
        return opened
    }
}
#endif
