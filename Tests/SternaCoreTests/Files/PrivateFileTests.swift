import Dispatch
import SternaPlatform
import Testing

@testable import SternaCore
@testable import SternaTestSupport

@Suite("Files: replaced as a whole")
struct PrivateFileTests {
    @Test("A file is made, read, replaced and removed") func roundTrip() throws {
        try FileFolder.with { folder in
            let file = PrivateFile(path: folder + "/a")
            try expectNil(file.read(upTo: 10))
            try file.write([1, 2, 3])
            try expectEqual(file.read(upTo: 3), [1, 2, 3])
            expectEqual(FileStatus(linkAt: file.path)?.permissions, 0o600)
            let large = [UInt8](repeating: 7, count: 300_000)
            try file.write(large)
            try expectEqual(file.read(upTo: 1 << 20), large)
            try file.write([])
            try expectEqual(file.read(upTo: 0), [])
            try expectEqual(FileFolder.names(folder), ["a"])
            try file.remove()
            try file.remove()
            try expectEqual(FileFolder.names(folder), [])
        }
    }

    @Test("A file longer than the limit is refused") func limit() throws {
        try FileFolder.with { folder in
            let file = PrivateFile(path: folder + "/a", title: "The jar")
            try file.write([1, 2, 3])
            let error = try #require(throws: SternaError.self) { try file.read(upTo: 2) }
            expectEqual(error.kind, .fileUnreadable)
            expectEqual(error.detail, "The jar “\(folder)/a” cannot be read: it is longer than 2 bytes.")
        }
    }

    #if os(Linux)
    @Test("A file of unknown size is read to its end") func unknownSize() throws {
        let bytes = try #require(try PrivateFile(path: "/proc/self/status").read(upTo: 1 << 20))
        #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("Name:"))
        #expect(throws: SternaError.self) { try PrivateFile(path: "/proc/self/status").read(upTo: 10) }
    }
    #endif

    @Test("Paths of irregular files are neither read nor replaced", arguments: ["folder", "link", "loose", "pipe"])
    func irregular(kind: String) throws {
        try FileFolder.with { folder in
            let file = PrivateFile(path: folder + "/a")
            try FileFolder.make(folder + "/b", [1])
            switch kind {
            case "folder": expectEqual(mkdir(file.path, 0o700), 0)
            case "link": expectEqual(symlink(folder + "/b", file.path), 0)
            case "loose": expectEqual(symlink(folder + "/none", file.path), 0)
            default: expectEqual(mkfifo(file.path, 0o600), 0)
            }
            let reason = ["folder": "a folder", "pipe": "not a regular file"][kind] ?? "a symbolic link"
            let read = try #require(throws: SternaError.self) { try file.read(upTo: 10) }
            #expect(
                read.kind == .fileUnreadable && read.detail.contains("“\(file.path)” cannot be read: it is \(reason)"))
            let written = try #require(throws: SternaError.self) { try file.write([2]) }
            expectEqual(written.kind, .writeFailed)
            #expect(written.detail.contains("“\(file.path)” cannot be written: it is \(reason)"))
            #expect(throws: SternaError.self) { try file.remove() }
            try expectEqual(FileFolder.names(folder), ["a", "b"])
            try expectEqual(PrivateFile(path: folder + "/b").read(upTo: 10), [1])
        }
    }

    @Test("Errors say what to do") func advice() throws {
        try FileFolder.with { folder in
            func reason(_ path: String) throws -> String {
                try #require(throws: SternaError.self) { try PrivateFile(path: path).write([1]) }.detail
            }
            #expect(try reason(folder + "/none/a").hasSuffix("its folder “\(folder)/none” does not exist; create it."))
            try FileFolder.make(folder + "/b")
            #expect(try reason(folder + "/b/a").hasSuffix("“\(folder)/b” is not a folder; choose another folder."))
            #expect(try reason("").hasSuffix("its path is empty."))
            #expect(try reason("/tmp/a\0b").hasSuffix("its path has a control character."))
            let long = String(repeating: "n", count: 300)
            #expect(try reason("\(folder)/\(long)").hasSuffix("its name is too long; choose a shorter one."))
            try expectEqual(FileFolder.names(folder), ["b"])
        }
    }

    @Test("A folder that may not be written", .enabled(if: geteuid() != 0)) func readOnlyFolder() throws {
        try FileFolder.with { folder in
            let file = PrivateFile(path: folder + "/a")
            try file.write([1])
            expectEqual(chmod(folder, 0o500), 0)
            defer { chmod(folder, 0o700) }
            let error = try #require(throws: SternaError.self) { try file.write([2]) }
            #expect(error.kind == .writeFailed && error.detail.contains("of its folder “\(folder)”"))
            try expectEqual(file.read(upTo: 1), [1])
        }
    }

    // The system's limit on a file's length stands for a full disk.
    @Test("A full disk leaves the file as it was, and nothing beside it") func fullDisk() async {
        await #expect(processExitsWith: .success) {
            try FileFolder.with { folder in
                let file = PrivateFile(path: folder + "/a")
                try file.write([1])
                signal(SIGXFSZ, SIG_IGN)
                var limit = rlimit(rlim_cur: 1_000, rlim_max: 1_000)
                #if canImport(Darwin)
                setrlimit(RLIMIT_FSIZE, &limit)
                #else
                setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
                #endif
                do throws(SternaError) {
                    try file.write([UInt8](repeating: 2, count: 2_000))
                    exit(2)
                } catch {
                    guard error.kind == .writeFailed, error.detail.contains("free some space") else { exit(3) }
                }
                guard try file.read(upTo: 10) == [1], try FileFolder.names(folder) == ["a"] else { exit(4) }
            }
        }
    }

    // MARK: What is beside it

    @Test("A killed process's leftover is replaced, never the target of a link", arguments: ["file", "link", "pipe"])
    func leftover(kind: String) throws {
        try FileFolder.with { folder in
            let file = PrivateFile(path: folder + "/a")
            try FileFolder.make(folder + "/victim", [9])
            switch kind {
            case "file": try FileFolder.make(folder + "/a-new", [UInt8](repeating: 8, count: 100))
            case "link": expectEqual(symlink(folder + "/victim", folder + "/a-new"), 0)
            default: expectEqual(mkfifo(folder + "/a-new", 0o600), 0)
            }
            try file.write([1])
            try expectEqual(file.read(upTo: 10), [1])
            try expectEqual(FileFolder.names(folder), ["a", "victim"])
            try expectEqual(PrivateFile(path: folder + "/victim").read(upTo: 10), [9])
        }
    }

    @Test("A folder in the way is an error that names it") func inTheWay() throws {
        try FileFolder.with { folder in
            expectEqual(mkdir(folder + "/a-new", 0o700), 0)
            let error = try #require(throws: SternaError.self) { try PrivateFile(path: folder + "/a").write([1]) }
            #expect(error.detail.contains("“\(folder)/a-new” is in the way; remove it"))
        }
    }

    @Test("A file that a living process is writing is not removed as a leftover") func living() throws {
        try FileFolder.with { folder in
            let file = PrivateFile(path: folder + "/a")
            let other = try AtomicFileWriter(beside: file.path, timeout: .seconds(1))
            try other.write([5])
            #expect(throws: FileFault.self) { try file.removeLeftover() }
            try expectEqual(FileFolder.names(folder), ["a-new"])
            let error = try #require(throws: SternaError.self) { try file.write([1], timeout: .milliseconds(20)) }
            #expect(error.kind == .writeFailed && error.detail.contains("another process is writing it"))
            try other.commit()
            try expectEqual(file.read(upTo: 10), [5])
            try file.write([1])
            try expectEqual(file.read(upTo: 10), [1])
        }
    }

    @Test("Unfinished files are recognised by the suffix “-new”") func names() {
        #expect(PrivateFile.isUnfinished("a-new"))
        #expect(!PrivateFile.isUnfinished("a"))
        #expect(!PrivateFile.isUnfinished("new"))
    }

    @Test("Writers at once leave the whole of one of their contents") func concurrency() async throws {
        let folder = "/tmp/sterna-files-\(getpid())-\(UInt64.random(in: 0 ... .max))"
        try #require(mkdir(folder, 0o700) == 0)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = PrivateFile(path: folder + "/a")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in UInt8(1)...4 {
                group.addTask {
                    try await BlockingWork.run {
                        for turn in 1...10 {
                            try file.write(
                                [UInt8](repeating: number, count: 1_000 * turn), timeout: .seconds(120))
                            let read = try #require(try file.read(upTo: 1 << 20))
                            #expect(Set(read).count == 1 && read.count % 1_000 == 0)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        try expectEqual(FileFolder.names(folder), ["a"])
    }

    @Test("A process killed while it writes leaves the former content or the new one") func kill() async throws {
        let path = "/tmp/sterna-killed-\(getpid())"
        let file = PrivateFile(path: path)
        try file.remove()
        defer { try? file.remove() }
        for _ in 0..<4 {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                let file = PrivateFile(path: "/tmp/sterna-killed-\(getppid())")
                let writer = FileWriter(file: file)
                writer.start()
                usleep(UInt32.random(in: 1_000...30_000))
                SternaPlatform.kill(getpid(), SIGKILL)
            }
            if let read = try file.read(upTo: 1 << 20) { expectEqual(Set(read).count, 1) }
            try file.write([1])
            try expectEqual(file.read(upTo: 10), [1])
            expectNil(FileStatus(linkAt: path + "-new"))
        }
    }
}

/// Writes a file again and again, until the process ends.
private struct FileWriter: Sendable {
    let file: PrivateFile

    func start() {
        DispatchQueue.global().async {
            for turn in UInt8.min...UInt8.max {
                try? file.write([UInt8](repeating: turn, count: 50_000 + Int(turn)))
            }
        }
    }
}
