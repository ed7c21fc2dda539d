import SternaPlatform
import Testing

/// A folder for a test's files, removed at the end.
enum FileFolder {
    static func with<R>(_ use: (String) throws -> R) throws -> R {
        let folder = "/tmp/sterna-files-\(getpid())-\(UInt64.random(in: 0 ... .max))"
        try #require(mkdir(folder, 0o700) == 0)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return try use(folder)
    }

    /// The names in a folder, sorted.
    static func names(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    /// Makes a file with some bytes.
    static func make(_ path: String, _ bytes: [UInt8] = [], mode: mode_t = 0o600) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        try #require(write(descriptor, bytes, bytes.count) == bytes.count)
    }
}
