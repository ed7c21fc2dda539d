import SternaPlatform
import Testing

@testable import SternaCore
@testable import SternaTestSupport

@Suite("Files: writing all bytes at an offset")
struct FileWritingTests {
    private func write(_ text: String, to descriptor: CInt, at offset: Int64) -> CInt {
        Array(text.utf8).withUnsafeBytes { FileWriting.write($0, to: descriptor, at: offset) }
    }

    @Test("Bytes stand where they were written, also behind the end, and the file's position stays")
    func offsets() throws {
        let path = FileManager.default.temporaryDirectory.path + "/sterna-writing-\(UInt64.random(in: 0 ... .max))"
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        defer {
            close(descriptor)
            unlink(path)
        }
        #expect(write("abc", to: descriptor, at: 2) == 0 && write("xy", to: descriptor, at: 0) == 0)
        expectEqual(write("", to: descriptor, at: 100), 0)
        expectEqual(FileManager.default.contents(atPath: path), Data("xyabc".utf8))
        expectEqual(lseek(descriptor, 0, SEEK_CUR), 0)
    }

    @Test("The reason of a failure is its error number") func failures() {
        expectEqual(write("a", to: -1, at: 0), EBADF)
        #if os(Linux)
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        defer { close(full) }
        expectEqual(write("a", to: full, at: 0), ENOSPC)
        #endif
    }

    @Test(
        "A sync that a signal interrupts is repeated; a file system that has none is no failure",
        arguments: [
            ([], 0), ([EINTR], 0), ([EINTR, EINTR, EINTR], 0), ([EINVAL], 0), ([ENOTSUP], 0), ([EIO], EIO),
            ([EINTR, ENOSPC], ENOSPC), ([EROFS], EROFS),
        ] as [([CInt], CInt)])
    func sync(failures: [CInt], expected: CInt) {
        var left = failures[...]
        let reason = FileWriting.sync(7) { descriptor in
            expectEqual(descriptor, 7)
            guard let code = left.popFirst() else { return 0 }
            errno = code
            return -1
        }
        #expect(reason == expected && left.isEmpty)
    }

    @Test("A folder can be synced; an invalid descriptor gives EBADF") func syncs() {
        let folder = open(FileManager.default.temporaryDirectory.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(folder) }
        expectEqual(FileWriting.sync(folder), 0)
        expectEqual(FileWriting.sync(-1), EBADF)
    }
}
