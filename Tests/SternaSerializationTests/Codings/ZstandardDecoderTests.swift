#if Zstd
import NIOCore
import SternaCore
import Testing

@testable import SternaSerialization
@testable import SternaTestSupport

@Suite("Zstandard bodies")
struct ZstandardDecoderTests {
    private static let text = CodedBytes.text
    private static let frame = ZstandardFrames.frame(text)

    @Test("Compressed contents, at every cut", arguments: CodedBytes.contents.indices, [1, 3, 19])
    func contents(number: Int, level: Int) async throws {
        let content = CodedBytes.contents[number]
        let coded = try await CodedBytes.encode(content, .zstd, level: level)
        try CodedBytes.expectEveryCut(coded, .zstd, content)
    }

    /// Frames, and what they hold.
    static let bodies: [([UInt8], [UInt8])] = [
        (frame, text),
        (ZstandardFrames.frame(text, size: text.count), text),
        (ZstandardFrames.checked, text),
        (ZstandardFrames.frame([]), []),
        (ZstandardFrames.frame([], size: 0), []),
        (ZstandardFrames.magic + [0x20, 0, 1, 0, 0], []),
        (ZstandardFrames.frame(blocks: [.raw([]), .raw(text), .raw([])]), text),
        (
            ZstandardFrames.frame(blocks: [.repeated(7, count: 300), .raw(text)]),
            Array(repeating: 7, count: 300) + text
        ),
        (ZstandardFrames.skippable([]), []),
        (ZstandardFrames.skippable(text, number: 15), []),
        (ZstandardFrames.skippable(text) + ZstandardFrames.skippable([1]), []),
        (frame + frame, text + text),
        (ZstandardFrames.checked + ZstandardFrames.checked, text + text),
        (ZstandardFrames.frame([]) + ZstandardFrames.frame([]) + frame, text),
        (
            ZstandardFrames.skippable(text) + frame + ZstandardFrames.skippable([2]) + ZstandardFrames.frame([])
                + frame, text + text
        ),
        // The largest window.
        (ZstandardFrames.frame(text, window: 0x68), text),
    ]

    @Test("All frames of a body, at every cut; skippable ones have no content", arguments: bodies.indices)
    func frames(number: Int) throws {
        let (coded, content) = Self.bodies[number]
        try CodedBytes.expectEveryCut(coded, .zstd, content)
    }

    @Test("Every truncation is an error, but at the end of a frame", arguments: bodies.indices)
    func truncation(number: Int) {
        // Those of one frame.
        guard ![10, 11, 12, 13, 14].contains(number) else { return }
        CodedBytes.expectTruncated(Self.bodies[number].0, .zstd)
    }

    @Test("A second frame that is cut short is an error")
    func secondTruncated() {
        for second in [Self.frame, ZstandardFrames.skippable([1, 2])] {
            for count in 1..<second.count {
                #expect(throws: SternaError.self) {
                    try CodedBytes.decode([Self.frame + second[..<count]], .zstd)
                }
                #expect(throws: SternaError.self) {
                    try CodedBytes.decode([Self.frame, Array(second[..<count])], .zstd)
                }
            }
        }
    }

    @Test("No bytes at all are no content")
    func nothing() async throws {
        try expectEqual(CodedBytes.decode([], .zstd), [])
        try expectEqual(CodedBytes.decode([[], []], .zstd), [])
        try await expectEqual(CodedBytes.read([], [.zstd]), [])
    }

    @Test("A piece may be a frame, a skippable frame, or a frame and a part of the next")
    func pieces() throws {
        let skipped = ZstandardFrames.skippable([1, 2, 3])
        try expectEqual(CodedBytes.decode([Self.frame, skipped, Self.frame], .zstd), Self.text + Self.text)
        try expectEqual(CodedBytes.decode([skipped, Self.frame, skipped], .zstd), Self.text)
        for cut in Self.frame.indices {
            let pieces = [Self.frame + Self.frame[..<cut], Array(Self.frame[cut...])]
            try expectEqual(CodedBytes.decode(pieces, .zstd), Self.text + Self.text)
        }
    }

    @Test(
        "Frames whose content fills the output exactly", arguments: [65_535, 65_536, 65_537, 131_072, 262_144, 262_145])
    func fullOutput(count: Int) async throws {
        let content = noise(count)
        let blocks = stride(from: 0, to: count, by: 128 << 10).map { start in
            ZstandardFrames.Block.raw(Array(content[start..<min(start + (128 << 10), count)]))
        }
        for coded in [
            ZstandardFrames.frame(blocks: blocks), ZstandardFrames.frame(blocks: blocks, size: count),
            try await CodedBytes.encode(content, .zstd),
        ] {
            for limit in [1 << 16, 1 << 18, count] {
                let twice = try CodedBytes.decode([coded, coded], .zstd, limit: limit)
                #expect(twice == content + content)
            }
            let read = try await CodedBytes.read([coded, coded], [.zstd])
            #expect(read == content + content)
        }
    }

    @Test("A window of more than 8 MiB is refused, also if the content is small and complete")
    func largeWindow() {
        let large = ZstandardFrames.frame(Self.text, window: 0x69)
        let sized = ZstandardFrames.frame(Self.text, window: 0x69, size: Self.text.count)
        let single = ZstandardFrames.magic + [0xA0, 1, 0, 0x80, 0, 1, 0, 0]
        for coded in [large, sized, single, ZstandardFrames.frame([], window: 0xFF)] {
            CodedBytes.expectRefused(coded, .zstd, "more than 8 MiB")
            CodedBytes.expectRefused(ZstandardFrames.skippable([]) + coded, .zstd, "more than 8 MiB")
        }
    }

    @Test("Bytes after a frame that are no frame are an error")
    func garbage() {
        for tail in [[0], [0x28], [0x28, 0xB5, 0x2F], Array("garbage".utf8), [0x27, 0xB5, 0x2F, 0xFD]] as [[UInt8]] {
            CodedBytes.expectRefused(Self.frame + tail, .zstd)
        }
    }

    @Test("What is not in the format is an error", arguments: ["<html>", "x", "{}", "plain text, no frames"])
    func plainText(text: String) {
        CodedBytes.expectRefused(Array(text.utf8), .zstd)
    }

    @Test("A wrong checksum is an error", arguments: 1...4)
    func checksum(fromEnd: Int) {
        var coded = ZstandardFrames.checked
        coded[coded.count - fromEnd] ^= 1
        CodedBytes.expectRefused(coded, .zstd, "checksum")
    }

    @Test("A wrong content size is an error", arguments: [0, 1, text.count - 1, text.count + 1, 1 << 30])
    func size(size: Int) {
        CodedBytes.expectRefused(ZstandardFrames.frame(Self.text, size: size), .zstd)
    }

    @Test("A wrong content size is an error, also if an empty block ends the frame", arguments: [-1, 1, 16])
    func sizeBeforeEmptyBlock(difference: Int) {
        let size = Self.text.count + difference
        CodedBytes.expectRefused(ZstandardFrames.frame(blocks: [.raw(Self.text), .raw([])], size: size), .zstd)
        CodedBytes.expectRefused(ZstandardFrames.frame([], size: size), .zstd)
        CodedBytes.expectRefused(ZstandardFrames.magic + [0x20, UInt8(size), 1, 0, 0], .zstd)
    }

    @Test("A frame that needs a dictionary is refused")
    func dictionary() {
        CodedBytes.expectRefused(ZstandardFrames.magic + [0x01, 0x58, 7, 1, 0, 0], .zstd, "dictionary")
    }

    @Test("A compressed block of no bytes is the same at every cut")
    func emptyCompressedBlock() {
        let coded = ZstandardFrames.magic + [0x20, 0, 5, 0, 0]
        let whole = try? CodedBytes.decode([coded], .zstd)
        expectEqual(whole, try? CodedBytes.decode(coded.map { [$0] }, .zstd))
    }

    @Test("Reserved bits and blocks are refused")
    func reserved() {
        CodedBytes.expectRefused(ZstandardFrames.magic + [0x08, 0x58, 1, 0, 0], .zstd)
        CodedBytes.expectRefused(ZstandardFrames.magic + [0x00, 0x58, 7, 0, 0], .zstd)
    }

    @Test("Every changed bit of a frame with a checksum gives an error or the content, and never a trap")
    func flips() {
        for index in ZstandardFrames.checked.indices {
            for bit in 0..<8 {
                var changed = ZstandardFrames.checked
                changed[index] ^= 1 << bit
                // The bit for the checksum itself; the content is then followed by four bytes of no frame.
                if let decoded = try? CodedBytes.decode([changed], .zstd) { expectEqual(decoded, Self.text) }
            }
        }
    }

    @Test("A few bytes that become many meet the limit of the ratio, and then the decoder stops")
    func bomb() async throws {
        let bomb = ZstandardFrames.frame(blocks: Array(repeating: .repeated(0, count: 128 << 10), count: 64))
        for pieces in [[bomb], bomb.map { [$0] }] {
            let error = await #expect(throws: SternaError.self) { try await CodedBytes.read(pieces, [.zstd]) }
            expectEqual(error?.kind, .limitExceeded)
        }
        var limits = DecodingLimits()
        limits.ratio = 1 << 20
        try await expectEqual(CodedBytes.read([bomb], [.zstd], limits: limits).count, 8 << 20)
        limits.bytes = (8 << 20) - 1
        let error = await #expect(throws: SternaError.self) {
            try await CodedBytes.read([bomb], [.zstd], limits: limits)
        }
        expectEqual(error?.kind, .limitExceeded)
    }

    @Test("A coding within another that produces nothing for long does not end the inner one")
    func slowOuter() async throws {
        let content = noise(3_000)
        let inner = try await CodedBytes.encode(content, .zstd)
        let empty = repeatElement(ZstandardFrames.skippable([1]), count: 50).flatMap { $0 }
        let middle = inner.count / 2
        let outer =
            empty + ZstandardFrames.frame(Array(inner[..<middle])) + empty
            + ZstandardFrames.frame(Array(inner[middle...])) + empty
        try await expectEqual(CodedBytes.read(outer.map { [$0] }, [.zstd, .zstd]), content)
    }
}
#endif
