import SternaPlatform
import Synchronization
import Testing

@testable import SternaImages
@testable import SternaTestSupport

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

    @Test("The source runs while there are subscriptions, and reports to all of them")
    func subscriptions() {
        let source = Source()
        let pressure = MemoryPressure(source)
        let seen = Mutex<[String]>([])
        var one: MemoryPressureSubscription? = pressure.subscribe { level in seen.withLock { $0.append("one \(level)") }
        }
        var two: MemoryPressureSubscription? = pressure.subscribe { level in seen.withLock { $0.append("two \(level)") }
        }
        source.report.withLock { $0 }?(.warning)
        expectEqual(seen.withLock { $0 }, ["one warning", "two warning"])
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
    @Test("Without pressure stall information, a timer checks the files")
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

    @Test("Triggers are opened below the root; a timer checks a group without them")
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
            expectEqual(timers.all, [usesTimer], "\(group)")
            end()
            // A window of two seconds, which needs no privilege, and the byte at the end that the kernel cuts off.
            let written = try Data(contentsOf: URL(filePath: root.path + "/proc/pressure/memory"))
            expectEqual(written, Data("full 100000 2000000\0".utf8))
        }
    }

    @Test("This kernel accepts the triggers, if it supports them; all files are closed at the end")
    func kernel() async throws {
        guard access("/proc/pressure/memory", W_OK) == 0 else {
            print("This kernel has no pressure stall information that this process may write to.")
            return
        }
        let timers = ImageLog<Bool>()
        let groups = MemoryReader(root: "").groups()
        let end = LinuxMemoryPressureSource(interval: .seconds(3_600), began: { timers.add($0) }).begin { _ in }
        await timers.wait(for: 1)
        end()
        // Without limits of groups, the machine's triggers report all pressure.
        if groups.isEmpty { expectEqual(timers.all, [false]) }
    }

    /// Both ends of a TCP connection: urgent bytes at one end are reported as a trigger of the kernel is (POLLPRI).
    private func connection() -> (end: Int32, peer: Int32)? {
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        #if canImport(Glibc)
        let stream = Int32(SOCK_STREAM.rawValue)
        #else
        let stream = SOCK_STREAM
        #endif
        let (listener, peer) = (socket(AF_INET, stream, 0), socket(AF_INET, stream, 0))
        defer { close(listener) }
        let isConnected = withUnsafeMutableBytes(of: &place) { bytes in
            guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
            return bind(listener, address, length) == 0 && listen(listener, 1) == 0
                && getsockname(listener, address, &length) == 0 && connect(peer, address, length) == 0
        }
        guard isConnected else { return nil }
        return (accept(listener, nil, nil), peer)
    }

    @Test("A trigger that fires reports its level; all files are closed at the end")
    func fired() async throws {
        let (some, full) = (try #require(connection()), try #require(connection()))
        let ends = Mutex([some.end, full.end])
        let levels = ImageLog<MemoryPressure.Level>()
        let timers = ImageLog<Bool>()
        let root = FileManager.default.temporaryDirectory.path + "/none-\(UInt64.random(in: 0 ... .max))"
        let end = LinuxMemoryPressureSource(
            root: root, interval: .seconds(3_600),
            openFile: { _ in ends.withLock { $0.isEmpty ? -1 : $0.removeFirst() } }, began: { timers.add($0) }
        ).begin { levels.add($0) }
        await timers.wait(for: 1)
        #expect(timers.all == [false] && levels.all.isEmpty)
        let urgent = Int32(MSG_OOB)
        expectEqual(send(some.peer, [1] as [UInt8], 1, urgent), 1)
        await levels.wait(for: 1)
        expectEqual(levels.all.first, .warning)
        expectEqual(send(full.peer, [1] as [UInt8], 1, urgent), 1)
        while !levels.all.contains(.critical) { await Task.yield() }
        end()
        for (peer, text) in [(some.peer, "some 150000 2000000\0"), (full.peer, "full 100000 2000000\0")] {
            var bytes = [UInt8](repeating: 0, count: 64)
            var seen: [UInt8] = []
            // The end of the stream, or its reset, comes when the other end is closed.
            while case let count = recv(peer, &bytes, bytes.count, 0), count > 0 { seen += bytes[..<count] }
            expectEqual(String(decoding: seen, as: UTF8.self), text)
            close(peer)
        }
    }
    #endif
}
