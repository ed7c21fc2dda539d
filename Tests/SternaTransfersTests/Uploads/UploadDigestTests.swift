import NIOCore
import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Uploads: digests and files")
struct UploadDigestTests {
    /// Calls a closure with the path of a file.
    private static func withFile(_ text: String, _ body: (String) async throws -> Void) async throws {
        let path = FileManager.default.temporaryDirectory
            .appending(path: "sterna-digest-\(UInt64.random(in: 0 ... .max))").path
        try Data(text.utf8).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await body(path)
    }

    @Test(
        "A digest covers the given part of a file",
        arguments: [
            (.md5, "kAFQmDzST7DWlj99KOF/cg=="), (.sha1, "qZk+NkcGgWq6PiVxeFDCbJzQ2J0="),
            (.sha256, "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="),
        ] as [(UploadDigest.Algorithm, String)])
    func digests(algorithm: UploadDigest.Algorithm, expected: String) async throws {
        try await Self.withFile("xxabcyy") { path in
            let source = UploadSource(path: path, start: 1)
            let digest = try await source.digest(1..<4, by: algorithm)
            expectEqual(Data(digest.bytes).base64EncodedString(), expected)
        }
    }

    @Test("A checksum is sent before or after the content", arguments: [false, true])
    func onTheWire(isTrailing: Bool) async throws {
        let script: [ScriptedServer.Step] = [
            .receiveHead, .send("HTTP/1.1 201 Created\r\nLocation: /u\r\nContent-Length: 0\r\n\r\n"), .receiveHead,
            .receive(atLeast: isTrailing ? 60 : 3),
            .send("HTTP/1.1 204 No Content\r\nUpload-Offset: 3\r\n\r\n"),
        ]
        try await ScriptedServer.withServer(connections: [script]) { server in
            try await Self.withFile("abc") { path in
                var plan = UploadPlan(target: try HTTPURL(server.url("/")), length: 3)
                (plan.choice, plan.checksum, plan.sendsDigestInTrailer) = (.named(.tus), .sha1, isTrailing)
                let session = try Session(baseURL: server.url)
                let state = try await UploadRunner(session, plan, file: UploadSource(path: path)) { _ in }.run().state
                expectEqual(state.stage, .complete)
            }
            let text = String(decoding: server.received(connection: 0), as: UTF8.self)
            let parts = text.split(separator: "abc", omittingEmptySubsequences: false)
            expectEqual(parts.count, 2)
            let line = "Upload-Checksum: sha1 qZk+NkcGgWq6PiVxeFDCbJzQ2J0="
            expectEqual(parts.first?.contains(line), !isTrailing)
            expectEqual(parts.last?.contains(line), isTrailing)
            expectEqual(text.contains("Trailer: Upload-Checksum"), isTrailing)
        }
    }

    @Test("A shortened file ends the upload, which can be resumed")
    func shortFile() async throws {
        let model = UploadModel(versions: [8], limit: "max-append-size=100000")
        try await TestServer.withServer { server in
            model.serve(on: server)
            let bench = try UploadBench(server)
            let runner = bench.runner(bench.plan()) { state in
                guard state.offset == 100_000 else { return }
                try Data(bench.content.prefix(150_000)).write(to: URL(filePath: bench.path))
            }
            let error = await #expect(throws: SternaError.self) { try await runner.run() }
            expectEqual(error?.kind, .fileUnreadable)
            expectEqual(bench.recorded.last?.offset, 100_000)
            try Data(bench.content).write(to: URL(filePath: bench.path))
            _ = try await bench.runner(bench.plan()).run(from: try bench.stored())
            expectEqual(model.uploads.map(\.bytes), [bench.content])
        }
    }

    @Test("Damaged content is sent again")
    func damaged() async throws {
        let model = UploadModel { number, _ in number == 2 || number == 4 ? .status(460, [:]) : nil }
        try await UploadRunnerTests.upload(model) { $0.checksum = .md5 }
        expectEqual(model.log, ["OPTIONS", "POST", "PATCH", "HEAD", "PATCH", "HEAD", "PATCH"])
    }

    @Test("Too many interim responses cost a request for the offset, not the upload")
    func chatty() async throws {
        let model = UploadModel(versions: [8], limit: "max-append-size=100000") { _, method in
            method == "PATCH" ? .chatty(40) : nil
        }
        try await UploadRunnerTests.upload(model)
        expectEqual(model.log.count { $0 == "HEAD" }, 3)
    }
}
