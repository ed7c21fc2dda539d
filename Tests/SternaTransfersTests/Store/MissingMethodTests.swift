import NIOCore
import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Transfers: upload methods of the program", .timeLimit(.minutes(5)))
struct MissingMethodTests {
    /// Sends everything in one request.
    private struct Simple: UploadMethod {
        let name = "simple"

        func run(
            _ job: UploadJob, from state: UploadMethodState?,
            record: @escaping @Sendable (UploadMethodState) async throws -> Void,
            progress: @escaping @Sendable (TransferProgress) -> Void
        ) async throws -> Response? {
            try await record(UploadMethodState(name: name, note: "begun", confirmed: 0))
            let draft = RequestDraft(.put, job.url, body: job.body(0..<job.length), headers: job.headers)
            return try await job.session.dataTask(draft).value.response
        }

        func abandon(_ job: UploadJob, _ state: UploadMethodState) async throws {
            _ = try await job.session.dataTask(RequestDraft(.delete, job.url)).value
        }
    }

    @Test("A store without the method leaves the upload to one that has it")
    func missing() async throws {
        let folder = TransferTestFolder()
        try await TestServer.withServer { server async throws in
            server.route("PUT", "/object") { request in
                ServerResponse(status: try await request.body.collect().count == 5 ? 200 : 400)
            }
            let engine = Engine()
            let session = try Session(baseURL: server.url) { $0.network.engine = engine }
            let path = folder.path + "/source"
            try Data("hello".utf8).write(to: URL(filePath: path))
            let store = try TransferStore(folder: folder.path + "/store")
            let transfer = try await store.upload(
                file: path, to: "object", with: session, UploadOptions(.method("simple")))
            guard case .blocked(let failure) = try await transfer.end() else {
                Issue.record("\(transfer.status)")
                return
            }
            #expect(failure.reason.contains("simple") && server.requests().isEmpty)
            await store.interrupt()
            let next = try TransferStore(folder: folder.path + "/store") { $0.uploadMethods = [Simple()] }
            let resumed = try await next.resumeAll(with: session)
            try await expectEqual(resumed.first?.end(), .finished(path: path, length: 5))
        }
    }

    @Test("A method abandons its upload at the server when the upload fails for good")
    func givenUp() async throws {
        let folder = TransferTestFolder()
        try await TestServer.withServer { server async throws in
            server.route("PUT", "/object") { _ in ServerResponse(status: 503) }
            server.route("DELETE", "/object") { _ in ServerResponse(status: 204) }
            let engine = Engine()
            let session = try Session(baseURL: server.url) {
                $0.network.engine = engine
                $0.retry = .none
            }
            let path = folder.path + "/source"
            try Data("hello".utf8).write(to: URL(filePath: path))
            let store = try TransferStore(folder: folder.path + "/store") { $0.uploadMethods = [Simple()] }
            var limits = TransferOptions()
            limits.maxAttempts = 2
            limits.longestPause = .milliseconds(1)
            let transfer = try await store.upload(
                file: path, to: "object", with: session, UploadOptions(.method("simple")), options: limits)
            guard case .failed(let failure) = try await transfer.end() else {
                Issue.record("\(transfer.status)")
                return
            }
            #expect(failure.reason.contains("after 2 attempts"))
            expectEqual(server.requests().map(\.method), ["PUT", "PUT", "DELETE"])
        }
    }
}
