#if Brotli
import NIOCore
import SternaCore
import Testing

@testable import SternaSerialization
@testable import SternaTestSupport

@Suite("Brotli bodies")
struct BrotliDecoderTests {
    private static let text = CodedBytes.text

    /// What the program `brotli` makes of the text.
    static let coded: [UInt8] = [
        0xA1, 0xE0, 0x00, 0xC0, 0x2F, 0x6E, 0x63, 0xEB, 0xBA, 0x6E, 0x6B, 0x8B, 0x51, 0x10, 0x8D, 0x32, 0x2A, 0x0A,
        0x32, 0xE8, 0x12, 0xE2, 0xE8, 0x26, 0xAC, 0x5B, 0xE4, 0xB4, 0x1E,
    ]

    /// What `brotli --large_window=26` makes of it.
    static let large: [UInt8] = [
        0x11, 0x5A, 0x70, 0x00, 0xE0, 0x17, 0xB7, 0xB1, 0x75, 0x5D, 0xB7, 0xB5, 0xC5, 0x28, 0x88, 0x46, 0x19, 0x15,
        0x05, 0x19, 0xE8, 0x12, 0xE2, 0xE8, 0x26, 0xAC, 0x5B, 0xE4, 0xB4, 0x1E,
    ]

    @Test("Compressed contents, at every cut", arguments: CodedBytes.contents.indices, [1, 5, 11])
    func contents(number: Int, level: Int) async throws {
        let content = CodedBytes.contents[number]
        let coded = try await CodedBytes.encode(content, .brotli, level: level)
        try CodedBytes.expectEveryCut(coded, .brotli, content)
    }

    @Test("A body of the program, at every cut")
    func sample() throws {
        try CodedBytes.expectEveryCut(Self.coded, .brotli, Self.text)
    }

    @Test("Empty streams, and no bytes at all, are no content")
    func nothing() async throws {
        for coded in [[], [0x06], [0x3B], [0xA1, 0x01]] as [[UInt8]] {
            try expectEqual(CodedBytes.decode([coded], .brotli), [])
            try expectEqual(CodedBytes.decode([[], coded, []], .brotli), [])
            try await expectEqual(CodedBytes.read([coded], [.brotli]), [])
        }
    }

    @Test("Every truncation is an error", arguments: CodedBytes.contents.indices)
    func truncation(number: Int) async throws {
        let coded = try await CodedBytes.encode(CodedBytes.contents[number], .brotli)
        CodedBytes.expectTruncated(coded, .brotli)
    }

    @Test("Bytes after the end are an error, also another stream", arguments: [[0], [0x06], coded, [1, 2, 3]])
    func trailing(tail: [UInt8]) {
        CodedBytes.expectRefused(Self.coded + tail, .brotli, "bytes follow their end")
        CodedBytes.expectRefused([0x06] + tail, .brotli, "bytes follow their end")
    }

    @Test("A large window is refused")
    func largeWindow() {
        CodedBytes.expectRefused(Self.large, .brotli, "more than 16 MiB")
    }

    @Test("What is not in the format is an error", arguments: ["<html><body>", "plain text, not coded at all"])
    func plainText(text: String) {
        CodedBytes.expectRefused(Array(text.utf8), .brotli)
    }

    @Test("Every changed bit gives an error or some content, the same at every cut, and never a trap")
    func flips() {
        for index in Self.coded.indices {
            for bit in 0..<8 {
                var changed = Self.coded
                changed[index] ^= 1 << bit
                let whole = try? CodedBytes.decode([changed], .brotli)
                let bytes = try? CodedBytes.decode(changed.map { [$0] }, .brotli, limit: 5)
                expectEqual(whole, bytes)
            }
        }
    }

    @Test("Contents that fill the output exactly", arguments: [65_535, 65_536, 65_537, 262_144, 262_145])
    func fullOutput(count: Int) async throws {
        let content = noise(count)
        let coded = try await CodedBytes.encode(content, .brotli)
        for limit in [1 << 16, 1 << 18, count] {
            let decoded = try CodedBytes.decode([coded], .brotli, limit: limit)
            #expect(decoded == content)
        }
        let read = try await CodedBytes.read([coded], [.brotli])
        #expect(read == content)
    }

    @Test("A few bytes that become many meet the limit of the ratio, and then the decoder stops")
    func bomb() async throws {
        let bomb = try await CodedBytes.encode(Array(repeating: 0, count: 8 << 20), .brotli)
        for pieces in [[bomb], bomb.map { [$0] }] {
            let error = await #expect(throws: SternaError.self) { try await CodedBytes.read(pieces, [.brotli]) }
            expectEqual(error?.kind, .limitExceeded)
        }
        var limits = DecodingLimits()
        limits.ratio = 1 << 22
        try await expectEqual(CodedBytes.read([bomb], [.brotli], limits: limits).count, 8 << 20)
        limits.bytes = (8 << 20) - 1
        let error = await #expect(throws: SternaError.self) {
            try await CodedBytes.read([bomb], [.brotli], limits: limits)
        }
        expectEqual(error?.kind, .limitExceeded)
    }
}
#endif
