#if os(Linux)
import SternaPlatform

/// Reads the use of memory from the kernel's files below a root.
struct MemoryReader: Sendable {
    /// The folder that contains `proc` and `sys`; empty for the machine's own.
    let root: String

    /// The maximum length of a file; the kernel's are shorter.
    private static let longest = 64 << 10

    /// Returns the level of memory pressure by free memory and the limits of control groups; nil for none.
    func level() -> MemoryPressure.Level? { uses().compactMap(\.level).max() }

    /// Returns the use of the machine's memory, and of each limit on the process's control groups.
    func uses() -> [MemoryUse] { [machine()].compactMap { $0 } + groups().flatMap(uses) }

    private func machine() -> MemoryUse? {
        guard let text = read("/proc/meminfo"), let total = MemoryFiles.number(named: "MemTotal", in: text),
            let available = MemoryFiles.number(named: "MemAvailable", in: text)
        else { return nil }
        return MemoryUse(used: total - min(available, total), limit: total)
    }

    /// A control group that counts memory.
    struct Group: Sendable, Hashable {
        let hierarchy: MemoryFiles.Hierarchy
        let folder: String
    }

    /// Returns those of the process's control groups, and their ancestors, that have limits.
    func groups() -> [Group] {
        guard let text = read("/proc/self/cgroup") else { return [] }
        let paths = MemoryFiles.groups(text)
        return MemoryFiles.Hierarchy.allCases.flatMap { hierarchy -> [Group] in
            guard let path = paths[hierarchy] else { return [] }
            return MemoryFiles.mount(hierarchy).flatMap { mount in
                MemoryFiles.ancestors(path).map { Group(hierarchy: hierarchy, folder: mount + ($0 == "/" ? "" : $0)) }
            }.filter { !limits($0).isEmpty }
        }
    }

    private func limits(_ group: Group) -> [UInt64] {
        MemoryFiles.names(group.hierarchy).limits.compactMap {
            read("\(group.folder)/\($0)").flatMap { MemoryFiles.number($0) }
        }
    }

    private func uses(_ group: Group) -> [MemoryUse] {
        guard let text = read("\(group.folder)/\(MemoryFiles.names(group.hierarchy).usage)"),
            let usage = MemoryFiles.number(text)
        else { return [] }
        let statistics = read("\(group.folder)/memory.stat") ?? ""
        let files = MemoryFiles.number(named: MemoryFiles.reclaimable(group.hierarchy), in: statistics) ?? 0
        return limits(group).map { MemoryUse(used: usage - min(files, usage), limit: $0) }
    }

    private func read(_ path: String) -> String? {
        let file = open(root + path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: Self.longest)
        var count = 0
        while count < bytes.count {
            let more = bytes.withUnsafeMutableBytes { buffer in
                SternaPlatform.read(file, buffer.baseAddress.map { $0 + count }, buffer.count - count)
            }
            guard more > 0 else { break }
            count += more
        }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
#endif
