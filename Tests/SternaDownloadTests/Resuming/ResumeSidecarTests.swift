import SternaCore
import SternaPlatform
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("The sidecar of a partial file")
final class ResumeSidecarTests {
    private let folder: String
    private let names: PartialNames
    private var destination: String { folder + "/f.bin" }

    init() throws {
        folder = "/tmp/sterna-sidecar-\(getpid())-\(UInt64.random(in: 0 ... .max))"
        try #require(mkdir(folder, 0o700) == 0)
        names = try #require(PartialNames(destination: folder + "/f.bin"))
    }

    deinit {
        ResumeSidecar.remove(names)
        rmdir(folder)
    }

    private func sample(_ received: Int64 = 2) throws -> ResumeData {
        ResumeData(
            url: try HTTPURL("https://example.com/f.bin"), validator: .entityTag("\"x\""), length: 5,
            present: ByteRanges([0..<received]), partialPath: names.partialPath, destinationPath: destination)
    }

    private func read() throws -> ResumeData? { try ResumeSidecar.read(names, destination: destination) }

    private func mode(_ path: String) -> UInt32? {
        var status = stat()
        return lstat(path, &status) == 0 ? UInt32(status.st_mode) : nil
    }

    @Test("A sidecar is written, replaced, read and removed") func roundTrip() throws {
        try expectNil(read())
        try ResumeSidecar.write(try sample(), names)
        try expectEqual(read(), sample())
        try ResumeSidecar.write(try sample(3), names)
        try expectEqual(read(), sample(3))
        expectEqual(mode(names.sidecarPath), UInt32(S_IFREG) | 0o600)
        expectNil(mode(names.newSidecarPath))
        ResumeSidecar.remove(names)
        try expectNil(read())
    }

    @Test("A killed process's unfinished file is replaced, and links are not followed") func leftovers() throws {
        let victim = folder + "/victim"
        defer { unlink(victim) }
        close(open(victim, O_CREAT | O_WRONLY, 0o600))
        symlink(victim, names.newSidecarPath)
        try ResumeSidecar.write(try sample(), names)
        try expectEqual(read(), sample())
        var status = stat()
        #expect(stat(victim, &status) == 0 && status.st_size == 0)
    }

    @Test("The paths are the current ones, whatever the file says") func moved() throws {
        var data = try sample()
        data = data.moved(partialPath: "/elsewhere/f.bin.sterna-part", destinationPath: "/elsewhere/f.bin")
        try ResumeSidecar.write(data, names)
        try expectEqual(read(), sample())
    }

    @Test("A sidecar of another file is refused") func otherFile() throws {
        let data = try sample()
        try ResumeSidecar.write(data.moved(partialPath: "/etc/passwd", destinationPath: destination), names)
        #expect(throws: SternaError.self) { try read() }
        try ResumeSidecar.write(data.moved(partialPath: names.partialPath, destinationPath: "/t/g.bin"), names)
        #expect(throws: SternaError.self) { try read() }
    }

    @Test("The sidecar of a URL is found in a folder, also under a shortened name", arguments: [5, 237, 238, 255])
    func found(length: Int) throws {
        let long = folder + "/" + String(repeating: "n", count: length)
        let names = try #require(PartialNames(destination: long))
        expectEqual(names.sidecarPath == long + ".sterna-resume", length <= 237)
        defer { ResumeSidecar.remove(names) }
        let data = try sample().moved(partialPath: names.partialPath, destinationPath: long)
        try ResumeSidecar.write(data, names)
        expectEqual(ResumeSidecar.find(data.url, in: folder), data)
        // A file that was moved with its sidecar.
        let elsewhere = "/t/" + FilePaths.name(of: long)
        try ResumeSidecar.write(
            data.moved(partialPath: "/t/" + names.partial, destinationPath: elsewhere), names)
        expectEqual(ResumeSidecar.find(data.url, in: folder), data)
        // The sidecar of another file.
        try ResumeSidecar.write(data.moved(partialPath: names.partialPath, destinationPath: long + "x"), names)
        expectNil(ResumeSidecar.find(data.url, in: folder))
    }

    @Test("Anything but a regular file is refused") func otherKinds() throws {
        symlink("/etc/hosts", names.sidecarPath)
        #expect(throws: SternaError.self) { try read() }
        unlink(names.sidecarPath)
        mkfifo(names.sidecarPath, 0o600)
        let error = try #require(throws: SternaError.self) { try read() }
        expectEqual(error.kind, .fileUnreadable)
    }

    @Test("A large file is refused without being read completely") func large() throws {
        let descriptor = open(names.sidecarPath, O_CREAT | O_WRONLY, 0o600)
        expectEqual(ftruncate(descriptor, 1 << 32), 0)
        close(descriptor)
        let error = try #require(throws: SternaError.self) { try read() }
        expectEqual(error.kind, .fileUnreadable)
    }

    @Test("A missing folder is a named error") func noFolder() throws {
        let gone = try #require(PartialNames(destination: folder + "/gone/f.bin"))
        let error = try #require(throws: SternaError.self) { try ResumeSidecar.write(try sample(), gone) }
        expectEqual(error.kind, .writeFailed)
    }
}
