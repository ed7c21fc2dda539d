import SternaPlatform

/// A file that lives as long as its value.
final class TestFile: Sendable {
    let path: String

    init(_ content: [UInt8]) throws {
        let folder = FileManager.default.temporaryDirectory
        path = folder.appending(path: "sterna-test-\(UUID().uuidString)").path
        try Data(content).write(to: URL(filePath: path))
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
