#if os(Linux)
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaImages
@testable import SternaTestSupport

@Suite("Use of memory") struct MemoryReaderTests {
    @Test("The use of memory by the machine and by each limited group leaves out reclaimable files")
    func uses() throws {
        let root = try KernelFiles()
        #expect(root.reader.uses() == [] && root.reader.level() == nil)
        try root.write("proc/meminfo", "MemTotal: 100 kB\nMemFree: 1 kB\nMemAvailable: 40 kB\n")
        try root.write("proc/self/cgroup", "3:memory:/box/inner\n0::/slice/service\n")
        try root.write("sys/fs/cgroup/memory/box/memory.limit_in_bytes", "1000\n")
        try root.write("sys/fs/cgroup/memory/box/memory.usage_in_bytes", "900\n")
        try root.write("sys/fs/cgroup/memory/box/memory.stat", "inactive_file 1\ntotal_inactive_file 300\n")
        try root.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n")
        try root.write("sys/fs/cgroup/memory/memory.usage_in_bytes", "5000\n")
        try root.write("sys/fs/cgroup/unified/slice/memory.max", "max\n")
        try root.write("sys/fs/cgroup/unified/slice/memory.high", "2000\n")
        try root.write("sys/fs/cgroup/unified/slice/memory.current", "1900\n")
        expectEqual(
            root.reader.uses(),
            [
                MemoryUse(used: 60 << 10, limit: 100 << 10), MemoryUse(used: 600, limit: 1_000),
                MemoryUse(used: 1_900, limit: 2_000),
            ])
        expectEqual(root.reader.level(), .warning)
        try root.write("sys/fs/cgroup/memory/box/memory.usage_in_bytes", "1290\n")
        expectEqual(root.reader.level(), .critical)
        expectEqual(
            root.reader.groups().map(\.folder), ["/sys/fs/cgroup/memory/box", "/sys/fs/cgroup/unified/slice"])
    }

    @Test("This machine reports its own")
    func machine() {
        let uses = MemoryReader(root: "").uses()
        #expect(uses.allSatisfy { $0.limit > 0 })
        #if os(Linux)
        #expect(!uses.isEmpty)
        #endif
    }
}

/// A folder in place of the kernel's `proc` and `sys`.
final class KernelFiles: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/sterna-kernel-XXXXXX".utf8CString)
        let isMade = template.withUnsafeMutableBufferPointer { $0.baseAddress.flatMap { mkdtemp($0) } != nil }
        #expect(isMade)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var reader: MemoryReader { MemoryReader(root: path) }

    func write(_ name: String, _ text: String) throws {
        let folder = path + "/" + name.split(separator: "/").dropLast().joined(separator: "/")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(filePath: path + "/" + name))
    }
}
#endif
