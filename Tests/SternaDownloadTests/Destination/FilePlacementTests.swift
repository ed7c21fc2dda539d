import SternaCore
import SternaPlatform
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Moving a download to its destination")
struct FilePlacementTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func path(_ name: String) -> String { "\(folder.path)/\(name)" }

    private func content(_ name: String) -> String? {
        FileManager.default.contents(atPath: path(name)).map { String(decoding: $0, as: UTF8.self) }
    }

    private func write(_ text: String, to name: String) throws -> String {
        try folder.write(Array(text.utf8), to: name)
    }

    /// The permissions of a file, of a link itself 0o777.
    private func permissions(_ name: String) -> mode_t {
        var status = stat()
        return lstat(path(name), &status) == 0 ? status.st_mode & 0o777 : 0
    }

    private func fault(_ work: () throws -> Void) -> DestinationFault? {
        let error = #expect(throws: SternaError.self) { try work() }
        expectEqual(error?.kind, .destinationUnusable)
        expectEqual(error?.phase, .read)
        return error?.underlying as? DestinationFault
    }

    @Test("A file is moved to a free name, and missing folders are created", arguments: ExistingFile.allCases)
    func freeName(existing: ExistingFile) throws {
        let part = try write("new", to: "part")
        let target = path("a/b/c.txt")
        try expectEqual(FilePlacement(existing: existing).place(part, at: target), target)
        expectEqual(content("a/b/c.txt"), "new")
        expectEqual(folder.names, ["a"])
        try expectEqual(FileManager.default.contentsOfDirectory(atPath: path("a/b")), ["c.txt"])
    }

    @Test("An existing file stays with `.fail`", arguments: ExclusiveMove.allCases)
    func fails(move: ExclusiveMove) throws {
        let part = try write("new", to: "part")
        let target = try write("old", to: "a")
        let placement = FilePlacement(existing: .fail, moves: [move])
        expectEqual(fault { _ = try placement.place(part, at: target) }, .exists(path: target))
        #expect(content("a") == "old" && content("part") == "new")
        expectEqual(folder.names, ["a", "part"])
    }

    @Test("A number is added to an existing name", arguments: ExclusiveMove.allCases)
    func addsNumber(move: ExclusiveMove) throws {
        let target = try write("old", to: "a.tar.gz")
        _ = try write("older", to: "a (2).tar.gz")
        let part = try write("new", to: "part")
        let placement = FilePlacement(existing: .addNumber, moves: [move])
        try expectEqual(placement.place(part, at: target), path("a (3).tar.gz"))
        #expect(content("a.tar.gz") == "old" && content("a (2).tar.gz") == "older" && content("a (3).tar.gz") == "new")
        expectEqual(folder.names.count, 3)
    }

    @Test("A file is replaced, and its permissions are kept")
    func replaces() throws {
        let target = try write("old", to: "a")
        expectEqual(chmod(target, 0o640), 0)
        let part = try write("new", to: "part")
        try expectEqual(FilePlacement(existing: .replace).place(part, at: target), target)
        expectEqual(content("a"), "new")
        expectEqual(permissions("a"), 0o640)
        expectEqual(folder.names, ["a"])
    }

    @Test("Nothing is written through a link at the destination", arguments: ExistingFile.allCases)
    func links(existing: ExistingFile) throws {
        let other = try write("other", to: "other")
        let target = path("a")
        expectEqual(symlink(other, target), 0)
        let part = try write("new", to: "part")
        let placement = FilePlacement(existing: existing)
        switch existing {
        case .fail: expectEqual(fault { _ = try placement.place(part, at: target) }, .exists(path: target))
        case .addNumber: try expectEqual(placement.place(part, at: target), path("a (2)"))
        case .replace: try expectEqual(placement.place(part, at: target), target)
        }
        expectEqual(content("other"), "other")
        expectEqual(content("a"), (existing == .replace ? "new" : "other"))
    }

    @Test("A dangling link counts as an existing name", arguments: ExclusiveMove.allCases)
    func danglingLink(move: ExclusiveMove) throws {
        expectEqual(symlink(path("nowhere"), path("a")), 0)
        let part = try write("new", to: "part")
        let placement = FilePlacement(existing: .addNumber, moves: [move])
        try expectEqual(placement.place(part, at: path("a")), path("a (2)"))
        expectEqual(folder.names, ["a", "a (2)"])
    }

    @Test(
        "A folder at the destination is an error; for a server's name, it is an existing name",
        arguments: ExistingFile.allCases)
    func folderInPlace(existing: ExistingFile) throws {
        let target = path("a")
        expectEqual(mkdir(target, 0o777), 0)
        let part = try write("new", to: "part")
        expectEqual(fault { _ = try FilePlacement(existing: existing).place(part, at: target) }, .folder(path: target))
        expectEqual(
            fault { _ = try FilePlacement(existing: existing).place(part, at: path("b/")) }, .folder(path: path("b/")))
        guard existing == .addNumber else { return }
        try expectEqual(FilePlacement(existing: existing, numbersFolders: true).place(part, at: target), path("a (2)"))
    }

    @Test("Anything but a regular file is not replaced")
    func pipe() throws {
        let target = path("pipe")
        expectEqual(mkfifo(target, 0o600), 0)
        let link = path("link")
        expectEqual(symlink(target, link), 0)
        let part = try write("new", to: "part")
        expectEqual(
            fault { _ = try FilePlacement(existing: .replace).place(part, at: target) }, .notAFile(path: target))
        expectEqual(fault { _ = try FilePlacement(existing: .replace).place(part, at: link) }, .notAFile(path: link))
        expectEqual(folder.names, ["link", "part", "pipe"])
    }

    @Test("The error names a file in place of a folder")
    func fileAmongFolders() throws {
        let file = try write("x", to: "file")
        let part = try write("new", to: "part")
        expectEqual(
            fault { _ = try FilePlacement(existing: .fail).place(part, at: path("file/a/b")) }, .notAFolder(path: file))
        expectEqual(
            fault { _ = try FilePlacement(existing: .fail).place(part, at: path("file/b")) }, .notAFolder(path: file))
    }

    @Test("The error names a temporary file that was removed", arguments: ExistingFile.allCases)
    func vanished(existing: ExistingFile) throws {
        let part = path("part")
        expectEqual(
            fault { _ = try FilePlacement(existing: existing).place(part, at: path("a")) },
            .vanished(temporaryFile: part))
        #expect(folder.names.isEmpty)
    }

    @Test("A name that is too long or empty fails")
    func badNames() throws {
        let part = try write("new", to: "part")
        let long = path(String(repeating: "x", count: 300))
        expectEqual(
            fault { _ = try FilePlacement(existing: .fail).place(part, at: long) },
            .failed(path: long, code: ENAMETOOLONG))
        expectEqual(
            fault { _ = try FilePlacement(existing: .fail).place(part, at: "") }, .failed(path: "", code: ENOENT))
        expectEqual(
            fault { _ = try FilePlacement(existing: .fail).place(part, at: "a\0b") },
            .failed(path: "a\0b", code: EINVAL))
        expectEqual(folder.names, ["part"])
    }

    @Test(
        "The error names a folder without write permission",
        .enabled(if: geteuid() != 0, "The superuser may write everywhere."))
    func notWritable() throws {
        let part = try write("new", to: "part")
        expectEqual(mkdir(path("closed"), 0o555), 0)
        let target = path("closed/a")
        expectEqual(
            fault { _ = try FilePlacement(existing: .fail).place(part, at: target) },
            .notWritable(folder: path("closed"), code: EACCES))
    }

    @Test("A private file gets the permissions of a new one")
    func permissionsOfNewFiles() throws {
        let new = open(path("new"), O_WRONLY | O_CREAT, 0o666)
        close(new)
        let part = try write("content", to: "part")
        expectEqual(chmod(part, 0o600), 0)
        _ = try FilePlacement(existing: .fail, isPrivate: true).place(part, at: path("a"))
        expectEqual(permissions("a"), permissions("new"))
        expectEqual(folder.names, ["a", "new"])
    }

    @Test("All of fifty downloads with one name arrive", arguments: ExclusiveMove.allCases)
    func concurrent(move: ExclusiveMove) async throws {
        let target = path("a.txt")
        let count = 50
        let parts = try (0..<count).map { try write("\($0)", to: "part\($0)") }
        let names = try await withThrowingTaskGroup(of: String.self) { group in
            for part in parts {
                group.addTask {
                    try await BlockingWork.run {
                        try FilePlacement(existing: .addNumber, moves: [move]).place(part, at: target)
                    }
                }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        expectEqual(names, Set([target] + (2...count).map { path("a (\($0)).txt") }))
        expectEqual(folder.names.count, count)
        expectEqual(Set(folder.names.compactMap { content($0) }), Set((0..<count).map { "\($0)" }))
    }

    @Test("One of fifty downloads that may not replace arrives", arguments: ExclusiveMove.allCases)
    func oneWins(move: ExclusiveMove) async throws {
        let target = path("a.txt")
        let parts = try (0..<50).map { try write("\($0)", to: "part\($0)") }
        let winners = await withTaskGroup(of: Bool.self) { group in
            for part in parts {
                group.addTask {
                    let placed = try? await BlockingWork.run {
                        try FilePlacement(existing: .fail, moves: [move]).place(part, at: target)
                    }
                    return placed != nil
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        expectEqual(winners, 1)
        expectEqual(folder.names.count, 50)
        #expect(content("a.txt").flatMap { Int($0) } != nil)
    }
}
