#if os(Linux)
/// Parsers of the kernel's files about memory. All take the content of a file, and skip unknown lines.
enum MemoryFiles {
    /// The version of a control group hierarchy.
    enum Hierarchy: Sendable, Hashable, CaseIterable { case v1, v2 }

    /// Returns the paths of the process's control groups that count memory, from `/proc/self/cgroup`; each begins with a slash.
    static func groups(_ text: String) -> [Hierarchy: String] {
        var found: [Hierarchy: String] = [:]
        for line in text.split(separator: "\n") {
            // hierarchy:controllers:path, where the path may contain colons.
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

    /// Returns a path and its ancestors, down to the slash, since their limits apply, too. Only the slash for a path with `.` or
    /// `..`, such as that of a group outside of a container.
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

    /// Returns the number of a file that contains only a number; nil for `max`, and for numbers near 2^63, which mean no limit in
    /// version 1.
    static func number(_ text: String) -> UInt64? {
        guard let number = UInt64(text.prefix { $0 != "\n" }), number < 1 << 60 else { return nil }
        return number
    }

    /// Returns the number after a name, in a file of lines such as `inactive_file 4096` or `MemAvailable:   24003276 kB`.
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

    /// Returns the names of a hierarchy's files: the bytes in use, and their limits.
    static func names(_ hierarchy: Hierarchy) -> (usage: String, limits: [String]) {
        switch hierarchy {
        case .v1: ("memory.usage_in_bytes", ["memory.limit_in_bytes"])
        case .v2: ("memory.current", ["memory.max", "memory.high"])
        }
    }

    /// Returns the usual mount points of a hierarchy.
    static func mount(_ hierarchy: Hierarchy) -> [String] {
        switch hierarchy {
        case .v1: ["/sys/fs/cgroup/memory"]
        case .v2: ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"]
        }
    }

    /// Returns the name of the statistic for a group's file cache that can be reclaimed at once.
    static func reclaimable(_ hierarchy: Hierarchy) -> String {
        hierarchy == .v1 ? "total_inactive_file" : "inactive_file"
    }
}

/// The used memory and its limit, in bytes.
struct MemoryUse: Sendable, Hashable {
    var used: UInt64
    var limit: UInt64

    /// The percentages above which the level is `warning` and `critical`.
    private static let (warning, critical) = (UInt64(92), UInt64(97))

    /// The level of memory pressure; nil for none.
    var level: MemoryPressure.Level? {
        guard limit > 0 else { return nil }
        // Divided first, so that no product exceeds 64 bits.
        func isAbove(_ percent: UInt64) -> Bool { used > limit / 100 * percent + limit % 100 * percent / 100 }
        if isAbove(Self.critical) { return .critical }
        return isAbove(Self.warning) ? .warning : nil
    }
}
#endif
