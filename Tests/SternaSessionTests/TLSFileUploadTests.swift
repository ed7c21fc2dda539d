import Crypto
import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport

/// A file over TLS goes through memory in pieces: each once, in order, and not a byte more than was declared.
@Suite("Uploads of files over TLS")
struct TLSFileUploadTests {
    @Test(
        "Every piece once, and the connection carries the next request",
        arguments: [262_143, 262_144, 262_145, 20_000_000])
    func pieces(size: Int) async throws {
        var generator = SystemRandomNumberGenerator()
        var bytes = Data(capacity: size + 8)
        while bytes.count < size { withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0) } }
        bytes = bytes.prefix(size)
        let file = FileManager.default.temporaryDirectory.appending(path: "sterna-upload-\(UUID().uuidString)")
        try bytes.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let expected = SHA256.hash(data: bytes).map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }
            .joined()

        let authority = try CertificateAuthority()
        let bundle = try authority.issue(CertificateOptions(hosts: ["localhost"]))
        try await TestServer.withServer(TestServer.Options(tls: bundle)) { server in
            let api = try Session(baseURL: server.url) {
                $0.network.engine = Engine()
                $0.trust.policy = .authority(pem: authority.pem)
            }
            for _ in 0..<3 {
                let answer = try await api.put("upload", body: .file(file.path)).json()
                expectEqual(answer["bytes"].int, size)
                expectEqual(answer["sha256"].string, expected)
                try await expectEqual(api.get("get").status, 200)
            }
            expectEqual(server.requestCount, 6)
        }
    }
}
