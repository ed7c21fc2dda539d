import NIOCore
import SternaCore
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Compressed bodies: empty ones, and multiples of the size of a piece")
struct CompressedBodyTests {
    @Test("An empty body stays empty, without a coding", arguments: [ContentCoding.gzip, .deflate])
    func nothing(coding: ContentCoding) {
        let body = Body.bytes([]).compressed(coding)
        expectEqual(body.length, 0)
        expectNil(body.contentCoding)
    }

    @Test(
        "Round numbers of pieces are finished", arguments: [262_143, 262_144, 524_288, 786_432],
        [ContentCoding.gzip, .deflate])
    func round(size: Int, coding: ContentCoding) async throws {
        let content = noise(size, seed: .random(in: 0 ... .max))
        let file = try ScratchFile(String(repeating: "z", count: size), name: "f")
        for (body, expected) in [
            (Body.bytes(content), content), (try .file(file.path), [UInt8](repeating: 0x7A, count: size)),
        ] {
            let coded = try await MultipartFormTests.bytes(body.compressed(coding))
            let decoded = DecodedBody(
                ResponseBody(Bytes(copying: coded)), codings: [coding],
                limits: {
                    var limits = DecodingLimits()
                    limits.ratio = 10_000
                    return limits
                }())
            try await expectEqual(ResponseBody(decoded).collect(upTo: 1 << 20).array, expected)
        }
    }
}
