import SternaCore
import SternaPlatform
import SternaTransport
import Testing

@testable import SternaTestSupport

/// The hashes of requests' bodies, for auth-int.
@Suite("Digest: bodies")
struct DigestBodyTests {
    @Test("No body and an empty one have the hash of nothing", arguments: DigestHash.allCases)
    func empty(algorithm: DigestHash) async throws {
        try await expectEqual(DigestBody.hash(nil, by: algorithm), algorithm.hash([]))
        try await expectEqual(DigestBody.hash(.text(""), by: algorithm), algorithm.hash([]))
    }

    @Test("Bytes, files and both one after another", arguments: DigestHash.allCases)
    func bytes(algorithm: DigestHash) async throws {
        let content = noise(300_000)
        try await expectEqual(DigestBody.hash(.bytes(content), by: algorithm), algorithm.hash(content))
        let path = FileManager.default.temporaryDirectory.appending(
            path: "sterna-digest-\(UInt64.random(in: 0 ... .max))"
        ).path
        try Data(content).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = try Body.file(path)
        #expect(DigestBody.canHash(file))
        try await expectEqual(DigestBody.hash(file, by: algorithm), algorithm.hash(content))
        let both = Body(segments: file.segments + Body.text("end").segments)
        try await expectEqual(DigestBody.hash(both, by: algorithm), algorithm.hash(content + Array("end".utf8)))
    }

    @Test("A stream that can be read only once is not read")
    func once() async throws {
        let body = Body.stream(AsyncStream<Bytes> { $0.finish() })
        #expect(!DigestBody.canHash(body))
        try await expectNil(DigestBody.hash(body, by: .md5))
    }
}
