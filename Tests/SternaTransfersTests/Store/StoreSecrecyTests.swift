import HTTPTypes
import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Synchronization
import Testing

@testable import SternaTransfers

@Suite("Transfers: secrets and other users", .timeLimit(.minutes(2)))
struct StoreSecrecyTests {
    @Test("A secret field goes to its origin, and not where a redirect leads", arguments: [false, true])
    func redirects(isUpload: Bool) async throws {
        let folder = TransferTestFolder()
        let seen = Mutex<[String: [String]]>([:])
        @Sendable func note(_ name: String, _ request: ServerRequest) {
            seen.withLock { $0[name, default: []].append(request.headers["X-Shop"] ?? "none") }
        }
        try await TestServer.withServer { other in
            other.route(nil, "/there") { request in
                note("other", request)
                return .text("here it is")
            }
            let target = other.url("/there")
            try await TestServer.withServer { server in
                server.route(nil, "/here") { request in
                    note("own", request)
                    return ServerResponse(status: 307, headers: ["Location": target])
                }
                let store = try TransferStore(folder: folder.path + "/store") { $0.secret = { _ in "open sesame" } }
                let session = try Session()
                let path = folder.path + "/file"
                let transfer: Transfer
                if isUpload {
                    try Data("content".utf8).write(to: URL(filePath: path))
                    transfer = try await store.upload(
                        file: path, to: server.url("/here"), with: session, .init(.off), secrets: ["X-Shop": "shop"])
                } else {
                    transfer = try await store.download(
                        server.url("/here"), to: path, with: session, secrets: ["X-Shop": "shop"])
                }
                _ = try await transfer.end()
            }
        }
        #expect(seen.withLock { $0["own"] } == ["open sesame"])
        #expect(seen.withLock { $0["other"] } == ["none"])
    }

    @Test("A folder that others may write to is refused", arguments: [0o777, 0o770, 0o702] as [mode_t])
    func permissions(mode: mode_t) async throws {
        let folder = TransferTestFolder()
        let path = folder.path + "/store"
        mkdir(path, 0o700)
        chmod(path, mode)
        let error = #expect(throws: SternaError.self) { try TransferStore(folder: path) }
        #expect(error?.message.contains("chmod go-w") == true, "\(String(describing: error))")
        chmod(path, 0o755)
        _ = try TransferStore(folder: path)
    }
}
