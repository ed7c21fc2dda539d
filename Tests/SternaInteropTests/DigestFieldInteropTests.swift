import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport

/// Digest fields beside the digests that OpenSSL's program computes.
@Suite(
    "Interop: digest fields", .enabled(if: OpenSSL.isThere(), "openssl is not installed"), .timeLimit(.minutes(5)))
struct DigestFieldInteropTests {
    /// The value of a field with OpenSSL's digests of content.
    private static func field(_ content: [UInt8]) async throws -> String {
        try await OpenSSL.withFolder { folder in
            let path = "\(folder)/content"
            try Data(content).write(to: URL(filePath: path))
            let sha256 = try await OpenSSL.run("dgst", "-sha256", "-binary", path)
            let sha512 = try await OpenSSL.run("dgst", "-sha512", "-binary", path)
            return "sha-256=:\(Data(sha256).base64EncodedString()):, sha-512=:\(Data(sha512).base64EncodedString()):"
        }
    }

    @Test("Sent digests are OpenSSL's, and OpenSSL's are accepted", arguments: [0, 1, 64, 65_537, 2_000_000])
    func equal(count: Int) async throws {
        let content = noise(count)
        let field = try await Self.field(content)
        try await TestServer.withServer { server in
            server.route("GET", "/content") { _ in .bytes(content, headers: ["Content-Digest": field]) }
            server.route("PUT", "/content") { request in
                _ = try await request.body.collect()
                return .text(request.headers["Content-Digest"] ?? request.body.trailers["Content-Digest"] ?? "")
            }
            let api = try Session(baseURL: server.url) {
                $0.network.engine = Engine()
                $0.network.proxies = .none
                $0.digests = [.require, .send, .sha256, .sha512]
            }
            try await #expect(api.get("content").body.array == content)
            let (pieces, writer) = AsyncStream<Bytes>.makeStream()
            for start in stride(from: 0, to: count, by: 100_000) {
                writer.yield(Bytes(copying: content[start..<min(start + 100_000, count)]))
            }
            writer.finish()
            for body in [Body.bytes(content), .stream(pieces)] {
                // The server's answer has no digest.
                let reply = try await api.put("content", body: body) { $0.digests = [.send, .sha256, .sha512] }
                try await expectEqual(reply.text(), field)
            }
        }
    }
}
