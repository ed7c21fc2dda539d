#if Brotli && Zstd
import SternaCore
import Testing

@testable import SternaSerialization
@testable import SternaTestSupport

@Suite("The list of codings")
struct CodingListTests {
    @Test("Accept-Encoding has the order of browsers")
    func order() {
        expectEqual(ContentCoding.supported.map(\.rawValue), ["gzip", "deflate", "br", "zstd"])
    }

    @Test(
        "Fields with all codings",
        arguments: [
            ("br", [.brotli]), ("BR", [.brotli]), ("zstd", [.zstd]), ("Zstd", [.zstd]), ("gzip, br", [.gzip, .brotli]),
            ("x-gzip,zstd", [.gzip, .zstd]), ("br, identity, zstd", [.brotli, .zstd]),
            ("gzip, deflate, br, zstd", [.gzip, .deflate, .brotli, .zstd]),
        ] as [(String, [ContentCoding])])
    func known(field: String, codings: [ContentCoding]) throws {
        try expectEqual(ContentCoding.known(field), codings)
    }

    @Test(
        "RFC 9110 has an alias for gzip only; dictionaries are not decoded",
        arguments: ["x-br", "x-zstd", "x-deflate", "brotli", "zst", "dcb", "dcz", "compress", "x-compress"])
    func unknown(field: String) throws {
        try expectNil(ContentCoding.known(field))
        try expectNil(ContentCoding.known("gzip, \(field)"))
    }

    @Test("More than four are refused")
    func many() {
        #expect(throws: SternaError.self) { try ContentCoding.known("br, br, br, br, zstd") }
    }

    @Test("No ending belongs to two codings")
    func endings() {
        let endings = ContentCoding.supported.flatMap(\.fileExtensions)
        expectEqual(Set(endings).count, endings.count)
        #expect(Set(endings).isSuperset(of: ["gz", "br", "zst"]))
    }

    @Test(
        "Codings are undone from the last to the first, whatever the pieces",
        arguments: ["gzip, br", "zstd, x-gzip", "br, zstd, br"])
    func stacks(field: String) async throws {
        let content = CodedBytes.contents[3]
        let codings = try ContentCoding.parse(field)
        var body = Body.bytes(content)
        for coding in codings { body = body.compressed(coding) }
        expectEqual(body.contentCoding, codings.map(\.rawValue).joined(separator: ", "))
        let coded = try await CodedBytes.bytes(body)
        for pieces in [[coded], coded.map { [$0] }] {
            try await expectEqual(CodedBytes.read(pieces, codings), content)
        }
        let cut = await #expect(throws: SternaError.self) {
            try await CodedBytes.read([coded.dropLast()], codings)
        }
        expectEqual(cut?.kind, .contentCodingFailed)
    }
}

@Suite("Bodies compressed with Brotli and Zstandard")
struct CompressedCodingTests {
    @Test("A body of known length 0 stays as it is", arguments: [ContentCoding.brotli, .zstd])
    func nothing(coding: ContentCoding) {
        let body = Body.bytes([]).compressed(coding)
        expectEqual(body.length, 0)
        expectNil(body.contentCoding)
    }

    @Test(
        "Levels are clamped, and each gives the content", arguments: [ContentCoding.brotli, .zstd],
        [nil, Int.min, 1, 9, Int.max] as [Int?])
    func levels(coding: ContentCoding, level: Int?) async throws {
        let content = (0..<3_000).flatMap { _ in CodedBytes.text }
        let coded = Body.bytes(content).compressed(coding, level: level)
        expectNil(coded.length)
        expectEqual(coded.contentCoding, coding.rawValue)
        // Twice, since it can be read again.
        for _ in 0..<2 {
            let bytes = try await CodedBytes.bytes(coded)
            #expect(bytes.count < content.count / 20)
            try await expectEqual(CodedBytes.read([bytes], [coding]), content)
        }
        let streamed = try await CodedBytes.encode(content, coding, level: level)
        try await expectEqual(CodedBytes.read([streamed], [coding]), content)
    }

    @Test(
        "Round numbers of pieces are finished", arguments: [262_143, 262_144, 524_288], [ContentCoding.brotli, .zstd])
    func round(size: Int, coding: ContentCoding) async throws {
        let content = noise(size)
        for body in [Body.bytes(content), CodedBytes.stream(content)] {
            let coded = try await CodedBytes.bytes(body.compressed(coding))
            let decoded = try await CodedBytes.read([coded], [coding])
            #expect(decoded == content)
        }
    }

    @Test("The head of a frame says the length where it is known")
    func length() async throws {
        let known = try await CodedBytes.bytes(Body.bytes(CodedBytes.text).compressed(.zstd))
        expectEqual(Array(known.prefix(6)), ZstandardFrames.magic + [0x20, UInt8(CodedBytes.text.count)])
        let unknown = try await CodedBytes.encode(CodedBytes.text, .zstd)
        expectEqual(unknown[4] & 0xE0, 0)
    }
}
#endif
