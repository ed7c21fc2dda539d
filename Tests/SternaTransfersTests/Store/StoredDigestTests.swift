import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Transfers: the digest of an upload", .timeLimit(.minutes(5)))
struct StoredDigestTests {
    private static let content = Data("hello".utf8)
    // As sha256sum has it.
    private static let digest = "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ="
    private static let digits = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"

    @Test("Content with a wrong digest is refused when it is added; servers receive the right one")
    func digest() async throws {
        let folder = TransferTestFolder()
        try await TestServer.withServer { server async throws in
            UploadModel(versions: [8]).serve(on: server)
            let engine = Engine()
            let session = try Session(baseURL: server.url) { $0.network.engine = engine }
            let path = folder.path + "/source"
            try Self.content.write(to: URL(filePath: path))
            let store = try TransferStore(folder: folder.path + "/store")
            var options = TransferOptions()
            for (text, kind) in [(String(repeating: "0", count: 64), "digestMismatch"), ("0", "invalidRequest")] {
                options.sha256 = text
                for body in [try Body.file(path), Body.text("other")] {
                    let wrong = options
                    let error: SternaError? = await #expect(throws: SternaError.self) {
                        let transfer = try await store.upload(body, to: "files", with: session, options: wrong)
                        try await transfer.pause()
                    }
                    expectEqual(error?.kind.rawValue, kind)
                }
            }
            #expect(await store.list().isEmpty && server.requests().isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/store").isEmpty)
            for text in [Self.digest, Self.digits] {
                options.sha256 = text
                let transfer = try await store.upload(file: path, to: "files", with: session, options: options)
                try await expectEqual(transfer.end(), .finished(path: path, length: 5))
            }
            let creations = server.requests().filter { $0.method == "POST" }
            expectEqual(
                creations.map { $0.headers["Repr-Digest"] }, ["sha-256=:\(Self.digest):", "sha-256=:\(Self.digest):"])
        }
    }
}
