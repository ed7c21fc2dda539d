import HTTPTypes
import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Transfers: secrets and other users", .timeLimit(.minutes(2)))
struct StoreSecrecyTests {
    @Test("A secret field is sent to its origin, and not to the target of a redirect", arguments: [false, true])
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
        expectEqual(seen.withLock { $0["own"] }, ["open sesame"])
        expectEqual(seen.withLock { $0["other"] }, ["none"])
    }

    @Test("Secrets that a server repeats are neither stored nor shown", arguments: [false, true])
    func echoes(succeeds: Bool) async throws {
        let folder = TransferTestFolder()
        try await TestServer.withServer { server async throws in
            server.route(nil, "/echo") { request in
                let said = ["Authorization", "Cookie", "X-Shop"].compactMap { request.headers[$0] } + ["tiger lily"]
                return ServerResponse(
                    status: succeeds ? 201 : 422,
                    headers: ["Content-Type": "application/json", "Location": "/made/open-sesame"],
                    body: .bytes(Array(#"{"message":"You sent \#(said.joined(separator: ", "))"}"#.utf8)))
            }
            let store = try TransferStore(folder: folder.path + "/store") { $0.secret = { _ in "open-sesame" } }
            let session = try Session(baseURL: server.url) { settings in
                settings.auth.header = .basic("ada", "tiger lily")
                settings.headers["Cookie"] = "a=1; id=cookie-monster"
            }
            let transfer = try await store.upload(
                .bytes(Array("content".utf8)), to: "echo", with: session, .init(.off), secrets: ["X-Shop": "shop"])
            let end = try await transfer.end()
            #expect(end.isOver)
            var texts = [Data("\(end)".utf8), Data("\(String(describing: transfer.response))".utf8)]
            if let body = transfer.response?.body { texts.append(body) }
            for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
                if let data = FileManager.default.contents(atPath: folder.path + "/" + name) { texts.append(data) }
            }
            let whole = texts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
            for secret in ["tiger lily", "YWRhOnRpZ2VyIGxpbHk=", "cookie-monster", "open-sesame"] {
                #expect(!whole.contains(secret), "\(secret) in \(whole)")
            }
            expectEqual(whole.contains("You sent ***"), succeeds)
        }
    }

    @Test("A folder that others may write to is refused", arguments: [0o777, 0o770, 0o702] as [mode_t])
    func permissions(mode: mode_t) async throws {
        let folder = TransferTestFolder()
        let path = folder.path + "/store"
        mkdir(path, 0o700)
        chmod(path, mode)
        let error = #expect(throws: SternaError.self) { try TransferStore(folder: path) }
        expectEqual(error?.message.contains("chmod go-w"), true, "\(String(describing: error))")
        chmod(path, 0o755)
        _ = try TransferStore(folder: path)
    }
}
