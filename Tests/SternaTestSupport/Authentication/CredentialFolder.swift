import SternaPlatform
import Testing

/// A folder for files of credentials, removed at the end.
enum CredentialFolder {
    static func with(_ use: (String) async throws -> Void) async throws {
        let folder =
            FileManager.default.temporaryDirectory.path + "/sterna-credentials-\(UInt64.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await use(folder)
    }

    /// Writes a file with a mode, which is set apart from the process's mask.
    static func write(_ text: String, to path: String, mode: mode_t = 0o600) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try #require(chmod(path, mode) == 0)
    }

    static func text(_ path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }

    static func mode(_ path: String) -> mode_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
    }
}
