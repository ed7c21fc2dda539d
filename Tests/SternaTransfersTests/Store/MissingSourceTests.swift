import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Transfers: missing files of uploads", .timeLimit(.minutes(5)))
struct MissingSourceTests {
    private static let content = Data(noise(300_000))

    private let folder = TransferTestFolder()
    private var path: String { folder.path + "/a.jpg" }
    private var away: String { folder.path + "/away" }

    private func session(_ server: TestServer) throws -> Session {
        let engine = Engine()
        return try Session(baseURL: server.url) { $0.network.engine = engine }
    }

    /// Waits until an attempt has failed, and the next one is due later.
    private func failure(of transfer: Transfer) async throws -> TransferFailure {
        for await state in transfer.stateUpdates where state == .waiting && transfer.attempts.first?.failure != nil {
            break
        }
        return try #require(transfer.attempts.first?.failure, "\(transfer.status)")
    }

    @Test("The upload waits for its file, and the server keeps its bytes", arguments: ["PATCH", "HEAD"])
    func away(from method: String) async throws {
        try Self.content.write(to: URL(filePath: path))
        try await TestServer.withServer { server async throws in
            let isAway = Mutex(false)
            let model = UploadModel(versions: [8]) { [path, away] _, asked in
                if asked == method, !isAway.withLock({ $0 }) {
                    isAway.withLock { $0 = true }
                    _ = rename(path, away)
                }
                // The server has all bytes and its response is lost, or it has a part.
                guard asked == "PATCH", isAway.withLock({ $0 }) == (method == "PATCH") else { return nil }
                return method == "HEAD" ? .cutAnswer : isAway.withLock { $0 } ? .cut(after: 1_000) : nil
            }
            model.serve(on: server)
            let store = try TransferStore(folder: folder.path + "/store")
            let transfer = try await store.upload(file: path, to: "files", with: try session(server))
            let failure = try await failure(of: transfer)
            #expect(failure.kind == "fileUnreadable" && failure.reason.contains("is missing"), "\(failure)")
            #expect(!model.log.contains("DELETE") && model.uploads.count == 1)
            expectEqual(rename(away, path), 0)
            // The bytes of a cut request are stored when it ends.
            while method == "PATCH", model.uploads.first?.bytes.count ?? 0 < 1_000 { await Task.yield() }
        }
    }

    @Test("A file that is moved away at the end of its only request is not sent again")
    func atTheEnd() async throws {
        try Self.content.write(to: URL(filePath: path))
        try await TestServer.withServer { server async throws in
            server.route("POST", "/inbox") { [path, away] request in
                let body = try await request.body.collect()
                _ = rename(path, away)
                return ServerResponse(status: body.count == 300_000 ? 201 : 400)
            }
            let store = try TransferStore(folder: folder.path + "/store")
            let transfer = try await store.upload(file: path, to: "inbox", with: try session(server), .init(.off))
            try await expectEqual(transfer.end(), .finished(path: path, length: 300_000))
            expectEqual(transfer.response?.status, 201)
            expectEqual(server.requests().filter { $0.method == "POST" }.count, 1)
        }
    }

    @Test("A folder in place of the file ends the upload")
    func replaced() async throws {
        try Self.content.write(to: URL(filePath: path))
        try await TestServer.withServer { server async throws in
            let store = try TransferStore(folder: folder.path + "/store")
            let transfer = try await store.upload(
                file: path, to: "inbox", with: try session(server), .init(.off), startsAtOnce: false)
            unlink(path)
            mkdir(path, 0o700)
            try await transfer.resume()
            guard case .failed(let failure) = try await transfer.end() else {
                Issue.record("\(transfer.status)")
                return
            }
            #expect(failure.reason.contains("no longer names a file"))
        }
    }
}
