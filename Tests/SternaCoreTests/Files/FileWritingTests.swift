import SternaPlatform
import Testing

@testable import SternaCore

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
        #expect(write("", to: descriptor, at: 100) == 0)
        #expect(FileManager.default.contents(atPath: path) == Data("xyabc".utf8))
        #expect(lseek(descriptor, 0, SEEK_CUR) == 0)
    }

    @Test("The reason of a failure is its error number") func failures() {
        #expect(write("a", to: -1, at: 0) == EBADF)
        #if os(Linux)
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        defer { close(full) }
        #expect(write("a", to: full, at: 0) == ENOSPC)
        #endif
    }
}
