#if os(Linux)
/// Readers of the kernel's files about memory. All take the content of a file, and pass over what they do not know.
enum MemoryFiles {
    /// A control group's files for its memory, by the version of its hierarchy.
    enum Hierarchy: Sendable, Hashable, CaseIterable { case v1, v2 }

    /// The paths of the process's control groups that count memory, in `/proc/self/cgroup`; each begins with a slash.
    static func groups(_ text: String) -> [Hierarchy: String] {
        var found: [Hierarchy: String] = [:]
        for line in text.split(separator: "\n") {
            // hierarchy:controllers:path, where a path may have colons.
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3, parts[2].hasPrefix("/") else { continue }
            if parts[0] == "0", parts[1].isEmpty {
                found[.v2] = String(parts[2])
            } else if parts[1].split(separator: ",").contains("memory") {
                found[.v1] = String(parts[2])
            }
        }
        return found
    }

    /// A path and all above it, down to the slash: limits of groups above hold, too. Names that lead upwards end it, as of groups outside
    /// of a container.
    static func ancestors(_ path: String) -> [String] {
        var names = path.split(separator: "/").prefix(longestPath).map(String.init)
        guard !names.contains(".."), !names.contains(".") else { return ["/"] }
        var paths: [String] = []
        while !names.isEmpty {
            paths.append("/" + names.joined(separator: "/"))
            names.removeLast()
        }
        return paths + ["/"]
    }

    private static let longestPath = 64

    /// The number of a file that has one alone; nil for `max`, and for the numbers near 2^63 that stand for no limit in version 1.
    static func number(_ text: String) -> UInt64? {
        guard let number = UInt64(text.prefix { $0 != "\n" }), number < 1 << 60 else { return nil }
        return number
    }

    /// The number behind a name, in a file of lines such as `inactive_file 4096` or `MemAvailable:   24003276 kB`.
    static func number(named name: String, in text: String) -> UInt64? {
        for line in text.split(separator: "\n") where line.hasPrefix(name) {
            let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
            guard words.count >= 2, words[0] == name || words[0] == name + ":" else { continue }
            guard let number = UInt64(words[1]) else { return nil }
            guard words.count > 2, words[2] == "kB" else { return number }
            let (bytes, isOver) = number.multipliedReportingOverflow(by: 1_024)
            return isOver ? nil : bytes
        }
        return nil
    }

    /// The names of a hierarchy's files: bytes in use, and the limits on them.
    static func names(_ hierarchy: Hierarchy) -> (usage: String, limits: [String]) {
        switch hierarchy {
        case .v1: ("memory.usage_in_bytes", ["memory.limit_in_bytes"])
        case .v2: ("memory.current", ["memory.max", "memory.high"])
        }
    }

    /// Where a hierarchy is mounted.
    static func mount(_ hierarchy: Hierarchy) -> [String] {
        switch hierarchy {
        case .v1: ["/sys/fs/cgroup/memory"]
        case .v2: ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"]
        }
    }

    /// The name of the statistics that says how much of a group's memory are files that can be given back at once.
    static func reclaimable(_ hierarchy: Hierarchy) -> String {
        hierarchy == .v1 ? "total_inactive_file" : "inactive_file"
    }
}

/// How much memory is in use, of how much.
struct MemoryUse: Sendable, Hashable {
    var used: UInt64
    var limit: UInt64

    /// Above this many hundredths memory is short; above the second number it is nearly out.
    private static let (warning, critical) = (UInt64(92), UInt64(97))

    /// How short memory is; nil if it is not.
    var level: MemoryPressure.Level? {
        guard limit > 0 else { return nil }
        // Divided first, so that no product is beyond 64 bits.
        func isAbove(_ percent: UInt64) -> Bool { used > limit / 100 * percent + limit % 100 * percent / 100 }
        if isAbove(Self.critical) { return .critical }
        return isAbove(Self.warning) ? .warning : nil
    }
}
#endif
