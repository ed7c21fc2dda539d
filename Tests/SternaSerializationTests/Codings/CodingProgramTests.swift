#if Brotli && Zstd
import SternaCore
import SternaPlatform
import Testing

@testable import SternaSerialization
@testable import SternaTestSupport

@Suite("Brotli and Zstandard beside their own programs")
struct CodingProgramTests {
    static let contents: [[UInt8]] = [
        [], CodedBytes.text, noise(300_000), (0..<40_000).flatMap { Array("{\"number\": \($0)}\n".utf8) },
    ]

    private static func isThere(_ program: String) -> Bool {
        Shell.isRequired || access("/usr/bin/\(program)", X_OK) == 0 || access("/usr/local/bin/\(program)", X_OK) == 0
    }

    private static func run(_ command: String, _ input: [UInt8]) async throws -> [UInt8] {
        let folder = try TestFolder()
        _ = try folder.write(input, to: "in")
        let status = try await Shell.run(command, by: "/bin/sh", in: folder.path)
        expectEqual(status, 0, "\(command)")
        return [UInt8](try Data(contentsOf: URL(filePath: folder.path + "/out")))
    }

    @Test(
        "What zstd writes is read", .enabled(if: isThere("zstd")), arguments: contents.indices,
        ["", "--check", "--no-check -1", "-19", "--no-content-size", "--fast=5", "-B65536 -T2"])
    func readZstandard(number: Int, options: String) async throws {
        for command in ["zstd -q \(options) -c in >out", "zstd -q \(options) -c <in >out"] {
            let coded = try await Self.run(command, Self.contents[number])
            for pieces in [
                [coded],
                stride(from: 0, to: coded.count, by: 1_000).map { Array(coded[$0..<min($0 + 1_000, coded.count)]) },
            ] {
                let decoded = try await CodedBytes.read(pieces, [.zstd])
                #expect(decoded == Self.contents[number], "\(command)")
            }
        }
    }

    @Test(
        "What brotli writes is read", .enabled(if: isThere("brotli")), arguments: contents.indices,
        ["-q 0", "-q 5", "-w 10 -q 4", "-w 24 -q 9"])
    func readBrotli(number: Int, options: String) async throws {
        let coded = try await Self.run("brotli \(options) -c in >out", Self.contents[number])
        for pieces in [
            [coded],
            stride(from: 0, to: coded.count, by: 1_000).map { Array(coded[$0..<min($0 + 1_000, coded.count)]) },
        ] {
            let decoded = try await CodedBytes.read(pieces, [.brotli])
            #expect(decoded == Self.contents[number])
        }
    }

    @Test(
        "Both read what is compressed here", .enabled(if: isThere("zstd") && isThere("brotli")),
        arguments: contents.indices)
    func written(number: Int) async throws {
        let content = Self.contents[number]
        for (coding, program) in [(ContentCoding.brotli, "brotli"), (.zstd, "zstd -q")] {
            for body in [Body.bytes(content), CodedBytes.stream(content)] where body.length != 0 {
                let coded = try await CodedBytes.bytes(body.compressed(coding))
                let decoded = try await Self.run("\(program) -d -c <in >out", coded)
                #expect(decoded == content)
            }
        }
    }

    @Test("A window that is too large for zstd's coding is refused", .enabled(if: isThere("zstd")))
    func largeWindow() async throws {
        let coded = try await Self.run("zstd -q -1 --zstd=wlog=24 -c <in >out", Self.contents[2])
        let error = await #expect(throws: SternaError.self) { try await CodedBytes.read([coded], [.zstd]) }
        expectEqual(error?.kind, .contentCodingFailed)
        #expect((error.map { "\($0)" } ?? "").contains("8 MiB"))
        let largest = try await Self.run("zstd -q -1 --zstd=wlog=23 -c <in >out", Self.contents[2])
        let decoded = try await CodedBytes.read([largest], [.zstd])
        #expect(decoded == Self.contents[2])
    }
}
#endif
