import NIOCore
import SternaCore
import SternaPlatform
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Downloads: partial files", .timeLimit(.minutes(5)))
struct PartialWriterTests {
    @Test(
        "Pieces of any size are written in order", arguments: [[1], [7], [100_000], [600_000], [100_000, 1_300_000]])
    func pieces(sizes: [Int]) async throws {
        try await Downloading.withFolder { folder in
            let count = sizes == [1] || sizes == [7] ? 20_000 : 3_000_000
            let content = Downloading.alphabet(count)
            let file = try #require(try PartialFile.open("\(folder)/x", permissions: 0o600))
            var writer = PartialWriter(file, at: 0)
            var rest = content[...]
            while !rest.isEmpty {
                for size in sizes {
                    try await writer.add(Bytes(bytes: rest.prefix(size)))
                    rest = rest.dropFirst(size)
                }
            }
            try await writer.finish()
            expectEqual(writer.written, Int64(count))
            try expectEqual(Downloading.bytes("\(folder)/x"), content)
        }
    }

    @Test("Bytes after a failed write do not count as written")
    func failed() async throws {
        // Every write to this device fails, as on a full disk.
        guard access("/dev/full", W_OK) == 0 else { return }
        try await Downloading.withFolder { folder in
            let file = try #require(try PartialFile.open("\(folder)/x", permissions: 0o600))
            var writer = PartialWriter(file, at: 10)
            try await writer.add(Bytes(repeating: 1, count: PartialWriter.portion))
            try await writer.finish()
            expectEqual(writer.written, Int64(10 + PartialWriter.portion))
            let full = open("/dev/full", O_WRONLY)
            defer { close(full) }
            // From here on the file's descriptor is the device.
            dup2(full, file.descriptor)
            var error: (any Error)?
            for _ in 0..<3 {
                do {
                    try await writer.add(Bytes(repeating: 2, count: PartialWriter.portion))
                } catch let thrown {
                    error = thrown
                    break
                }
            }
            try? await writer.finish()
            expectEqual((error as? SternaError)?.kind, .writeFailed)
            expectEqual(writer.written, Int64(10 + PartialWriter.portion))
        }
    }

    @Test("A file that is open, has another name, or is a link is not opened")
    func refused() async throws {
        try await Downloading.withFolder { folder in
            let first = try #require(try PartialFile.open("\(folder)/x", permissions: 0o600))
            try expectNil(PartialFile.open("\(folder)/x", permissions: 0o600))
            first.unlock()
            #expect(try PartialFile.open("\(folder)/x", permissions: 0o600) != nil)
            expectEqual(link("\(folder)/x", "\(folder)/y"), 0)
            try expectNil(PartialFile.open("\(folder)/y", permissions: 0o600))
            expectEqual(symlink("\(folder)/x", "\(folder)/z"), 0)
            #expect(throws: SternaError.self) { try PartialFile.open("\(folder)/z", permissions: 0o600) }
        }
    }
}
