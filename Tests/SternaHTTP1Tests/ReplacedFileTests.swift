import NIOCore
import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// What stands at a file's path may be another thing by the time the body is sent.
@Suite("Files that were replaced", .timeLimit(.minutes(5)))
struct ReplacedFileTests {
    enum Replacement: CaseIterable { case pipe, folder, device, danglingLink, linkToItself }

    private static func put(_ replacement: Replacement, at path: String) throws {
        let result =
            switch replacement {
            case .pipe: mkfifo(path, 0o600)
            case .folder: mkdir(path, 0o700)
            case .device: symlink("/dev/zero", path)
            case .danglingLink: symlink("/none/at/all", path)
            case .linkToItself: symlink(path, path)
            }
        try #require(result == 0)
    }

    @Test("The request fails soon, however the file is read", arguments: Replacement.allCases, [false, true])
    func replaced(replacement: Replacement, secure: Bool) async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "sterna-swap-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        for size in [10, 100_000] {
            try? FileManager.default.removeItem(atPath: path)
            try Data(repeating: 0, count: size).write(to: URL(filePath: path))
            let body = try Body.file(path)
            try FileManager.default.removeItem(atPath: path)
            try Self.put(replacement, at: path)
            try await RequestBodyTests.withEcho(secure: secure) { api, server in
                for body in [body, body.throttled(), body.compressed()] {
                    await Wire.failure(.fileUnreadable, .write) { try await api.post("echo", body: body) }
                }
                try await server.waitForOpenConnections(0, within: 60)
            }
        }
    }

    @Test("Nothing is written through a link", arguments: [Replacement.danglingLink, .device, .folder, .pipe])
    func written(replacement: Replacement) async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "sterna-link-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Self.put(replacement, at: path)
        let error = await #expect(throws: SternaError.self) { try await Body.text("a").write(to: path) }
        expectEqual(error?.kind, .fileUnreadable)
        #expect((try? FileManager.default.attributesOfItem(atPath: path)) != nil)
    }
}
