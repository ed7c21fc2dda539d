import Sterna
import SternaPlatform
import SternaTesting

/// Helpers for tests with files and downloads.
enum Downloading {
    /// Runs work with a new folder, and removes it.
    static func withFolder<R>(_ work: (String) async throws -> R) async throws -> R {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "sterna-\(UInt64.random(in: 0...UInt64.max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await work(folder.path(percentEncoded: false))
    }

    static func session(
        _ server: TestServer, _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> Session {
        try Session(baseURL: server.url) {
            $0.network.engine = Engine()
            $0.retry = .none
            configure(&$0)
        }
    }

    static func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    static func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }

    /// The bytes that `/range/N` sends.
    static func alphabet(_ count: Int) -> [UInt8] {
        // Doubled, since a closure for each byte takes seconds in a debug build.
        var letters = (0..<26).map { UInt8(0x61 + $0) }
        while letters.count < count { letters += letters }
        return Array(letters.prefix(count))
    }
}
