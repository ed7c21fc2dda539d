import SternaPlatform
import Testing

@testable import SternaCore
@testable import SternaTestSupport

// The locks of two descriptors exclude each other as those of two processes do.
@Suite("Files: locks")
struct FileLockTests {
    @Test("An exclusive lock excludes all others, a shared one the exclusive") func exclusion() throws {
        try FileFolder.with { folder in
            let path = folder + "/a"
            let first = try FileLock.acquire(path: path)
            try expectNil(FileLock.attempt(path: path))
            try expectNil(FileLock.attempt(path: path, exclusive: false))
            first.release()
            first.release()
            let shared = try FileLock.acquire(path: path, exclusive: false)
            let other = try #require(try FileLock.attempt(path: path, exclusive: false))
            try expectNil(FileLock.attempt(path: path))
            shared.release()
            try expectNil(FileLock.attempt(path: path))
            other.release()
            #expect(try FileLock.attempt(path: path) != nil)
            // The last one went with its reference.
            #expect(try FileLock.attempt(path: path) != nil)
            try expectEqual(FileFolder.names(folder), ["a.lock"])
        }
    }

    @Test("Closing another descriptor of the file keeps the lock") func otherDescriptor() throws {
        try FileFolder.with { folder in
            let path = folder + "/a"
            let lock = try FileLock.acquire(path: path)
            close(open(path + FileLock.suffix, O_RDWR | O_CLOEXEC))
            try expectNil(FileLock.attempt(path: path))
            lock.release()
        }
    }

    #if os(Linux)
    // A child process has copies of all descriptors from its fork to the start of its program.
    @Test("A lock that is released is free, although a copy of its descriptor is still open") func copiedDescriptor()
        throws
    {
        try FileFolder.with { folder in
            let path = folder + "/a"
            let lock = try FileLock.acquire(path: path)
            let copies = (3..<4_096).filter { number in
                var target = [CChar](repeating: 0, count: 4_096)
                let count = readlink("/proc/self/fd/\(number)", &target, target.count)
                return count > 0
                    && String(decoding: target.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
                        .hasSuffix(path + FileLock.suffix)
            }.map { fcntl(CInt($0), F_DUPFD_CLOEXEC, 3) }
            defer { for copy in copies { close(copy) } }
            expectEqual(copies.count, 1)
            try expectNil(FileLock.attempt(path: path))
            lock.release()
            #expect(try FileLock.attempt(path: path) != nil)
        }
    }
    #endif

    @Test("A wait ends with an error that names the file") func patience() throws {
        try FileFolder.with { folder in
            let path = folder + "/a"
            let lock = try FileLock.acquire(path: path)
            let error = try #require(throws: SternaError.self) {
                try FileLock.withLock(path: path, timeout: .milliseconds(10)) {}
            }
            expectEqual(error.kind, .writeFailed)
            #expect(error.detail.contains("“\(path).lock” cannot be locked: others hold it"))
            let shared = try #require(throws: SternaError.self) {
                try FileLock.acquire(path: path, exclusive: false, timeout: .milliseconds(10))
            }
            expectEqual(shared.kind, .fileUnreadable)
            lock.release()
        }
    }

    @Test("A waiter gets the lock when it is released") func handOver() async throws {
        let path = "/tmp/sterna-lock-\(getpid())-\(UInt64.random(in: 0 ... .max))"
        defer { unlink(path + FileLock.suffix) }
        let lock = try FileLock.acquire(path: path)
        async let waiter = BlockingWork.run { try FileLock.withLock(path: path, timeout: .seconds(120)) { true } }
        lock.release()
        #expect(try await waiter)
    }

    @Test("A lock excludes threads from each other") func threads() async throws {
        let path = "/tmp/sterna-lock-\(getpid())-\(UInt64.random(in: 0 ... .max))"
        defer { unlink(path + FileLock.suffix) }
        let visitors = Crowd()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    try await BlockingWork.run {
                        for _ in 0..<25 {
                            try FileLock.withLock(path: path, timeout: .seconds(120)) {
                                visitors.enter()
                                usleep(100)
                                visitors.leave()
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        expectEqual(visitors.most, 1)
    }

    @Test("A closure's error is thrown, and the lock released") func errors() throws {
        struct Own: Error {}
        try FileFolder.with { folder in
            #expect(throws: Own.self) { try FileLock.withLock(path: folder + "/a") { throw Own() } }
            let result = try FileLock.withLock(path: folder + "/a", timeout: .zero) { 5 }
            expectEqual(result, 5)
        }
    }

    @Test("A lock whose file was removed excludes no other lock") func removed() throws {
        try FileFolder.with { folder in
            let path = folder + "/a"
            let lock = try FileLock.acquire(path: path)
            unlink(path + FileLock.suffix)
            let other = try #require(try FileLock.attempt(path: path))
            try expectNil(FileLock.attempt(path: path))
            lock.release()
            try expectNil(FileLock.attempt(path: path))
            other.release()
        }
    }

    @Test("A lock path that is not a regular file is refused", arguments: ["folder", "link", "pipe"])
    func irregular(kind: String) throws {
        try FileFolder.with { folder in
            let place = folder + "/a.lock"
            switch kind {
            case "folder": expectEqual(mkdir(place, 0o700), 0)
            case "link": expectEqual(symlink(folder + "/b", place), 0)
            default: expectEqual(mkfifo(place, 0o600), 0)
            }
            let error = try #require(throws: SternaError.self) { try FileLock.acquire(path: folder + "/a") }
            #expect(error.kind == .writeFailed && error.detail.contains("“\(place)” cannot be locked"))
        }
        for path in ["", "/tmp/a\0", "/nonexistent/a"] {
            #expect(throws: SternaError.self) { try FileLock.acquire(path: path) }
        }
    }

    @Test("Readers need no right to write", .enabled(if: geteuid() != 0)) func readOnly() throws {
        try FileFolder.with { folder in
            try FileFolder.make(folder + "/a.lock", mode: 0o400)
            #expect(try FileLock.attempt(path: folder + "/a", exclusive: false) != nil)
            #expect(throws: SternaError.self) { try FileLock.attempt(path: folder + "/a") }
        }
    }
}
