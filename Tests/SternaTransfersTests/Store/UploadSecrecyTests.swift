import NIOCore
import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Transfers: secrets of uploads", .timeLimit(.minutes(5)))
struct UploadSecrecyTests {
    let folder = TransferTestFolder()

    static let secret: [Body] = [
        Body(
            segments: [.bytes(Bytes(text: "user=ada&password=tiger-lily"))],
            mediaType: "application/x-www-form-urlencoded"),
        Body(
            segments: [.bytes(Bytes(text: #"{"user":"ada","access_token":"tiger-lily"}"#))],
            mediaType: "application/json"),
        Body(
            segments: [
                .bytes(
                    Bytes(
                        text: "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\ntiger-lily\r\n--b--\r\n")
                )
            ],
            mediaType: "multipart/form-data; boundary=b"),
    ]

    @Test("Values with the names of secrets are refused, and nothing is written", arguments: secret.indices)
    func refused(index: Int) async throws {
        let store = try TransferStore(folder: folder.path + "/store")
        let session = try Session(baseURL: "http://127.0.0.1:1/")
        let error = await #expect(throws: SternaError.self) {
            try await store.upload(Self.secret[index], to: "files", with: session)
        }
        #expect(error?.kind == .invalidRequest && error?.message.contains("secrets") == true)
        expectEqual(error.map { "\($0)".contains("tiger-lily") }, false)
        #expect(FolderNames.all(in: folder.path + "/store").isEmpty)
    }

    @Test(
        "Other content is accepted",
        arguments: [
            ("user=ada&comment=password", "application/x-www-form-urlencoded"),
            (#"{"user":"ada"}"#, "application/json"), ("{ not JSON", "application/json"),
            ("the password is tiger-lily", "text/plain"), ("", "application/json"),
        ])
    func taken(text: String, mediaType: String) {
        #expect(!BodyRedaction.findsSecrets(in: Body(segments: [.bytes(Bytes(text: text))], mediaType: mediaType)))
    }

    @Test("The response to joined parts does not show the upload's URL")
    func parts() async throws {
        let path = folder.path + "/file"
        try Data(repeating: 7, count: 300_000).write(to: URL(filePath: path))
        try await TestServer.withServer { server async throws in
            let model = UploadModel()
            model.serve(on: server)
            let session = try Session(baseURL: server.url)
            let store = try TransferStore(folder: folder.path + "/store")
            var options = UploadOptions(.tus)
            options.parts = 3
            let transfer = try await store.upload(file: path, to: "files", with: session, options)
            try await expectEqual(transfer.end(), .finished(path: path, length: 300_000))
            #expect(transfer.response?.status == 201 && transfer.response?["Location"] == nil)
            #expect(model.uploads.contains { $0.bytes.count == 300_000 })
        }
    }

    @Test(
        "Failures do not show the upload's own URL, which can act as a credential", arguments: [[8], []] as [Set<Int>])
    func failures(versions: Set<Int>) async throws {
        let path = folder.path + "/file"
        try Data(repeating: 7, count: 300_000).write(to: URL(filePath: path))
        try await TestServer.withServer { server async throws in
            // Every content is cut.
            let model = UploadModel(versions: versions) { _, method in method == "PATCH" ? .cut(after: 1_000) : nil }
            model.serve(on: server)
            let session = try Session(baseURL: server.url)
            let store = try TransferStore(folder: folder.path + "/store")
            var options = TransferOptions()
            options.maxAttempts = 1
            let transfer = try await store.upload(file: path, to: "files", with: session, options: options)
            while true {
                let attempts = transfer.attempts
                if attempts.contains(where: { $0.failure != nil }) || transfer.status.state.isOver { break }
                if server.requests().count(where: { $0.method == "PATCH" }) > 3 { break }
                try await Task.sleep(for: .milliseconds(10))
            }
            try await transfer.pause()
            let shown = "\(transfer.attempts) \(transfer.status) \(await store.list())"
            let own = try #require(server.requests().first { $0.method == "PATCH" }?.target)
            #expect(own.count > "/files/".count && !shown.contains(own))
        }
    }
}
