import SternaCore
import SternaPlatform
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// Linux's file system in memory, if it is not that of the temporary folder.
private enum MemoryFileSystem {
    static let path = "/dev/shm"

    static var isThere: Bool {
        var (here, there) = (stat(), stat())
        return stat(FileManager.default.temporaryDirectory.path, &here) == 0 && stat(path, &there) == 0
            && here.st_dev != there.st_dev && access(path, W_OK) == 0
    }
}

@Suite("Moving a download to another file system", .enabled(if: MemoryFileSystem.isThere))
struct OtherFileSystemTests {
    private let near: TestFolder
    private let far: FarFolder

    init() throws {
        near = try TestFolder()
        far = try FarFolder(MemoryFileSystem.path)
    }

    /// A folder on the other file system.
    private final class FarFolder: Sendable {
        let path: String

        init(_ root: String) throws {
            path = "\(root)/sterna-\(UUID().uuidString)"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path))?.sorted() ?? [] }

        func content(_ name: String) -> [UInt8]? {
            FileManager.default.contents(atPath: "\(path)/\(name)").map { Array($0) }
        }
    }

    @Test("The whole file is copied, and the temporary one deleted", arguments: ExistingFile.allCases)
    func copies(existing: ExistingFile) throws {
        let bytes = noise((3 << 20) + 17)
        let part = try near.write(bytes, to: "part")
        expectEqual(chmod(part, 0o600), 0)
        let target = "\(far.path)/a.bin"
        try expectEqual(FilePlacement(existing: existing).place(part, at: target), target)
        expectEqual(far.content("a.bin"), bytes)
        #expect(far.names == ["a.bin"] && near.names.isEmpty)
        // New files, and the copy among them, are as readable as the umask allows.
        let new = open("\(far.path)/new", O_WRONLY | O_CREAT, 0o666)
        close(new)
        expectEqual(FileStatus(path: target)?.permissions, FileStatus(path: "\(far.path)/new")?.permissions)
    }

    @Test("An existing file is numbered, replaced or kept", arguments: ExistingFile.allCases)
    func existingFile(existing: ExistingFile) throws {
        let part = try near.write(Array("new".utf8), to: "part")
        let target = "\(far.path)/a"
        try Data("old".utf8).write(to: URL(filePath: target))
        expectEqual(chmod(target, 0o600), 0)
        let placement = FilePlacement(existing: existing)
        switch existing {
        case .fail:
            let error = #expect(throws: SternaError.self) { try placement.place(part, at: target) }
            #expect(error?.underlying as? DestinationFault == .exists(path: target))
            #expect(near.names == ["part"] && far.names == ["a"])
        case .addNumber:
            try expectEqual(placement.place(part, at: target), "\(target) (2)")
            #expect(near.names.isEmpty && far.names == ["a", "a (2)"])
            expectEqual(far.content("a (2)"), Array("new".utf8))
        case .replace:
            try expectEqual(placement.place(part, at: target), target)
            #expect(near.names.isEmpty && far.names == ["a"])
            expectEqual(FileStatus(path: target)?.permissions, 0o600)
        }
        expectEqual(far.content("a"), Array((existing == .replace ? "new" : "old").utf8))
    }

    @Test("A link in place of the temporary file is not followed")
    func link() throws {
        let other = try near.write(Array("other".utf8), to: "other")
        let part = "\(near.path)/part"
        expectEqual(symlink(other, part), 0)
        let error = #expect(throws: SternaError.self) {
            try FilePlacement(existing: .fail).place(part, at: "\(far.path)/a")
        }
        #expect(error?.underlying as? DestinationFault == .failed(path: part, code: ELOOP))
        #expect(far.names.isEmpty)
    }
}
