import SternaPlatform
import Synchronization
import Testing

@testable import SternaImages

@Suite("Memory pressure", .timeLimit(.minutes(2))) struct MemoryPressureTests {
    /// A source that counts.
    private final class Source: MemoryPressureSource {
        let report = Mutex<(@Sendable (MemoryPressure.Level) -> Void)?>(nil)
        let counts = Mutex((begun: 0, ended: 0))

        func begin(_ report: @escaping @Sendable (MemoryPressure.Level) -> Void) -> @Sendable () -> Void {
            self.report.withLock { $0 = report }
            counts.withLock { $0.begun += 1 }
            return { [self] in counts.withLock { $0.ended += 1 } }
        }
    }

    @Test("The source runs while there are subscriptions, and tells all of them")
    func subscriptions() {
        let source = Source()
        let pressure = MemoryPressure(source)
        let seen = Mutex<[String]>([])
        var one: MemoryPressureSubscription? = pressure.subscribe { level in seen.withLock { $0.append("one \(level)") }
        }
        var two: MemoryPressureSubscription? = pressure.subscribe { level in seen.withLock { $0.append("two \(level)") }
        }
        source.report.withLock { $0 }?(.warning)
        #expect(seen.withLock { $0 } == ["one warning", "two warning"])
        one = nil
        #expect(source.counts.withLock { $0 } == (1, 0))
        source.report.withLock { $0 }?(.critical)
        two = nil
        #expect(source.counts.withLock { $0 } == (1, 1) && seen.withLock { $0.last } == "two critical")
        let again = pressure.subscribe { _ in }
        #expect(source.counts.withLock { $0 } == (2, 1) && one == nil && two == nil)
        withExtendedLifetime(again) {}
    }

    #if os(Linux)
    @Test("Without pressure stall information, the files are looked at by a timer")
    func timer() async throws {
        let root = try KernelFiles()
        try root.write("proc/meminfo", "MemTotal: 100 kB\nMemAvailable: 5 kB\n")
        let (levels, timers) = (ImageLog<MemoryPressure.Level>(), ImageLog<Bool>())
        let source = LinuxMemoryPressureSource(
            root: root.path, interval: .milliseconds(1), began: { timers.add($0) })
        let end = source.begin { levels.add($0) }
        await levels.wait(for: 3)
        #expect(levels.all.allSatisfy { $0 == .warning } && timers.all == [true])
        end()
        end()
    }

    @Test("Triggers are opened below the root; a group that has none is looked at by the timer all the same")
    func triggers() async throws {
        for (group, usesTimer) in [("", false), ("v1", true), ("v2", true), ("v2 with triggers", false)] {
            let root = try KernelFiles()
            try root.write("proc/pressure/memory", "")
            if group == "v1" {
                try root.write("proc/self/cgroup", "3:memory:/a\n")
                try root.write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "5\n")
            } else if !group.isEmpty {
                try root.write("proc/self/cgroup", "0::/a\n")
                try root.write("sys/fs/cgroup/a/memory.max", "5\n")
                if group != "v2" { try root.write("sys/fs/cgroup/a/memory.pressure", "") }
            }
            let timers = ImageLog<Bool>()
            let end = LinuxMemoryPressureSource(
                root: root.path, interval: .seconds(3_600), began: { timers.add($0) }
            ).begin { _ in }
            await timers.wait(for: 1)
            #expect(timers.all == [usesTimer], "\(group)")
            end()
            // A window of two seconds, which needs no privilege, and the byte at the end that the kernel cuts off.
            let written = try Data(contentsOf: URL(filePath: root.path + "/proc/pressure/memory"))
            #expect(written == Data("full 100000 2000000\0".utf8))
        }
    }

    @Test("This kernel takes the triggers, if it has such information; nothing stays open at the end")
    func kernel() async throws {
        guard access("/proc/pressure/memory", W_OK) == 0 else {
            print("This kernel has no pressure stall information that this process may write to.")
            return
        }
        let timers = ImageLog<Bool>()
        let groups = MemoryLook(root: "").groups()
        let end = LinuxMemoryPressureSource(interval: .seconds(3_600), began: { timers.add($0) }).begin { _ in }
        await timers.wait(for: 1)
        end()
        #expect(timers.all == [!groups.isEmpty] || !groups.isEmpty)
    }
    #endif
}
