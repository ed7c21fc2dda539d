import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Uploads: late discovery, and refused requests for the offset", .timeLimit(.minutes(5)))
struct LateDiscoveryTests {
    private let folder = TransferTestFolder()

    /// Uploads a file by the protocol that the server names, and returns how that ends.
    private func end(_ server: TestServer, _ path: String) async throws -> TransferState {
        let source = folder.path + "/source"
        try Data(repeating: 0x61, count: 100_000).write(to: URL(filePath: source))
        let store = try TransferStore(folder: folder.path + "/store")
        return try await store.upload(
            file: source, to: path, with: try Session(baseURL: server.url), UploadOptions(.automatic)
        ).end()
    }

    @Test("A server that refuses OPTIONS, and a plain upload because it lacks tus fields, gets the upload by tus")
    func tus() async throws {
        try await TestServer.withServer { server async throws in
            let uploads = try UploadServer()
            uploads.serve(on: server)
            let state = try await end(server, "uploads/tus?status=405&on=OPTIONS")
            expectEqual(state, .finished(path: folder.path + "/source", length: 100_000))
            expectEqual(uploads.statuses.map(\.dialect), ["tus"])
            expectEqual(uploads.statuses.map(\.isComplete), [true])
            expectEqual(server.requests().map(\.method), ["OPTIONS", "POST", "POST", "PATCH"])
        }
    }

    @Test("A server that names tus in each refusal does not cause a loop", arguments: ["1.0.0", "0.2.2"])
    func refusal(version: String) async throws {
        try await TestServer.withServer { server async throws in
            server.route("OPTIONS", "/files") { _ in ServerResponse(status: 405) }
            server.route("POST", "/files") { _ in ServerResponse(status: 412, headers: ["Tus-Version": "\(version)"]) }
            let state = try await end(server, "files")
            guard case .failed(let failure) = state else {
                Issue.record("\(state)")
                return
            }
            expectEqual(failure.status, 412)
            expectEqual(server.requests().count { $0.method == "POST" }, version == "1.0.0" ? 3 : 1)
        }
    }

    @Test("A refused request for the offset does not end an upload", arguments: ["tus", "ietf"])
    func question(dialect: String) async throws {
        try await TestServer.withServer { server async throws in
            let uploads = try UploadServer()
            uploads.serve(on: server)
            let state = try await end(server, "uploads/\(dialect)?cut=1000&status=400&on=HEAD")
            expectEqual(state, .finished(path: folder.path + "/source", length: 100_000))
            expectEqual(uploads.statuses.map(\.isComplete), [true])
            expectEqual(server.requests().count { $0.method == "POST" }, 1)
        }
    }
}
