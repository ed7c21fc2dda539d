import HTTPTypes
import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Transfers: missing or wrong credentials", .timeLimit(.minutes(2)))
struct BlockedTransferTests {
    private static let content = Data(noise(200_000))

    /// Serves a file, and takes uploads, for one password.
    private static func serve(_ server: TestServer) {
        server.route(nil, "/private") { request in
            guard request.headers["Authorization"] == "Bearer right" else {
                return ServerResponse(status: 401, headers: ["WWW-Authenticate": "Bearer"])
            }
            return ServerResponse(status: 200, body: .bytes(Array(content)))
        }
    }

    private static func session(_ server: TestServer, _ token: String?) throws -> Session {
        try Session(baseURL: server.url) { $0.auth.header = token.map { .bearer($0) } }
    }

    private static func add(_ store: TransferStore, _ folder: TransferTestFolder, _ session: Session, isUpload: Bool)
        async throws -> Transfer
    {
        guard isUpload else {
            return try await store.download("private", to: folder.path + "/file", with: session)
        }
        try content.write(to: URL(filePath: folder.path + "/source"))
        return try await store.upload(file: folder.path + "/source", to: "private", with: session)
    }

    @Test(
        "A transfer waits for other credentials, and continues with those of a later process", arguments: [false, true])
    func later(isUpload: Bool) async throws {
        let folder = TransferTestFolder()
        try await TestServer.withServer { server async throws in
            Self.serve(server)
            let store = try TransferStore(folder: folder.path + "/store")
            let wrong = try Self.session(server, "wrong")
            let transfer = try await Self.add(store, folder, wrong, isUpload: isUpload)
            guard case .blocked(let failure) = try await transfer.end() else {
                Issue.record("\(transfer.status)")
                return
            }
            #expect(failure.status == 401 && failure.kind == "unacceptableStatus")
            expectEqual(transfer.attempts.map(\.failure), [failure])
            await expectEqual(store.list().map(\.state), [.blocked(failure)])
            await #expect(throws: SternaError.self) { try await store.acknowledge(transfer.id) }
            let asked = server.requests().count

            // A blocked transfer resumes only when the program asks for it.
            await store.retryNow()
            #expect(transfer.status.state == .blocked(failure) && server.requests().count == asked)
            try await transfer.resume()
            #expect(try await transfer.end().isBlocked)
            expectEqual(transfer.attempts.count, 2)
            await store.interrupt()

            let next = try TransferStore(folder: folder.path + "/store")
            let resumed = try await next.resumeAll(with: try Self.session(server, "right"))
            let end = try await #require(resumed.first).end()
            guard case .finished(_, let length) = end else {
                Issue.record("\(end)")
                return
            }
            #expect(length == Int64(Self.content.count) && resumed.count == 1)
            if !isUpload { expectEqual(FileManager.default.contents(atPath: folder.path + "/file"), Self.content) }
        }
    }

    @Test("A blocked transfer can be paused and cancelled")
    func control() async throws {
        let folder = TransferTestFolder()
        try await TestServer.withServer { server async throws in
            Self.serve(server)
            let store = try TransferStore(folder: folder.path + "/store")
            let transfer = try await Self.add(store, folder, try Self.session(server, nil), isUpload: false)
            #expect(try await transfer.end().isBlocked)
            try await transfer.pause()
            expectEqual(transfer.status.state, .paused)
            try await transfer.cancel()
            expectEqual(transfer.status.state, .cancelled)
        }
    }

    @Test("A queue continues without a blocked transfer, and accepts it again")
    func queue() async throws {
        let folder = TransferTestFolder()
        try await TestServer.withServer { server async throws in
            Self.serve(server)
            let store = try TransferStore(folder: folder.path + "/store")
            let token = Mutex("wrong")
            let session = try Session(baseURL: server.url) { settings in
                settings.interceptors = [TokenField { token.withLock { $0 } }]
            }
            let transfer = try await store.download(
                "private", to: folder.path + "/file", with: session, startsAtOnce: false)
            let queue = TransferQueue(with: session)
            queue.start()
            for expected in ["failed", "finished"] {
                let queued = try await queue.add(transfer)
                let end = try await queued.end()
                #expect("\(end)".hasPrefix(expected))
                if expected == "failed" { #expect(transfer.status.state.isBlocked) }
                token.withLock { $0 = "right" }
            }
            expectEqual(FileManager.default.contents(atPath: folder.path + "/file"), Self.content)
        }
    }

    @Test("A temporarily missing file does not end its upload")
    func source() async throws {
        let folder = TransferTestFolder()
        try await TestServer.withServer { server async throws in
            Self.serve(server)
            let store = try TransferStore(folder: folder.path + "/store")
            let session = try Self.session(server, "right")
            let (path, away) = (folder.path + "/source", folder.path + "/away")
            try Self.content.write(to: URL(filePath: path))
            let transfer = try await store.upload(file: path, to: "private", with: session, startsAtOnce: false)
            expectEqual(rename(path, away), 0)
            try await transfer.resume()
            for await state in transfer.stateUpdates where state == .waiting && transfer.attempts.first?.failure != nil
            {
                break
            }
            expectEqual(transfer.attempts.first?.failure?.reason.contains("is missing"), true)
            expectEqual(rename(away, path), 0)
            try await transfer.resume()
            let end = try await transfer.end()
            guard case .finished = end else {
                Issue.record("\(end)")
                return
            }
        }
    }
}

/// Sets the token that a closure returns.
private struct TokenField: Interceptor {
    let token: @Sendable () -> String

    func intercept(_ request: Request, next: Chain) async throws -> Response {
        var request = request
        request.headers[.authorization] = "Bearer \(token())"
        return try await next(request)
    }
}
