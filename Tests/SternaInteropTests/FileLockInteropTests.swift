import SternaCore
import SternaPlatform
import Testing

@testable import SternaTestSupport

/// Python's locks of open file descriptions in a process of its own.
@Suite(
    "Interop: locks of files",
    .enabled(if: ChildProcess.find("python3") != nil || ChildProcess.mayNotSkip, "python3 is not installed"))
struct FileLockInteropTests {
    // Prints a line when it has the lock, and holds it for ever, with a half-written file under the lock of its writer.
    static let script = """
        import fcntl, os, struct, sys, time
        def lock(path):
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.fcntl(descriptor, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0))
            return descriptor
        lock(sys.argv[1] + ".lock")
        os.write(lock(sys.argv[1] + "-new"), b"half")
        os.write(1, b"locked\\n")
        while True:
            time.sleep(60)
        """

    #if os(Linux)
    @Test("Another process's lock is respected, and goes with the process") func otherProcess() async throws {
        let python = try #require(ChildProcess.find("python3"))
        let path = "/tmp/sterna-python-\(getpid())-\(UInt64.random(in: 0 ... .max))"
        defer { for suffix in ["", ".lock", PrivateFile.newSuffix] { unlink(path + suffix) } }
        let (process, output) = try ChildProcess.start([python, "-c", Self.script, path]) { pipe in
            ([pipe.read, pipe.write], pipe.read)
        }
        defer { close(output) }
        try await BlockingWork.run {
            var isKilled = false
            defer {
                if !isKilled {
                    kill(process, SIGKILL)
                    _ = ChildProcess.wait(for: process)
                }
            }
            var line = [UInt8](repeating: 0, count: 16)
            try #require(read(output, &line, line.count) == 7)
            try expectNil(FileLock.attempt(path: path))
            try expectNil(FileLock.attempt(path: path, exclusive: false))
            let file = PrivateFile(path: path)
            #expect(throws: SternaError.self) { try file.write([1], timeout: .milliseconds(20)) }
            kill(process, SIGKILL)
            _ = ChildProcess.wait(for: process)
            isKilled = true
            #expect(try FileLock.attempt(path: path) != nil)
            try file.write([1])
            try expectEqual(file.read(upTo: 10), [1])
            expectNil(FileStatus(linkAt: path + PrivateFile.newSuffix))
        }
    }
    #endif
}
