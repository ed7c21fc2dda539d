import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Transfers: downloads from hostile servers", .timeLimit(.minutes(5)))
struct HostileDownloadTests {
    private static let content = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) })

    private static let sha256 = "457acfc64cae0a33bfe696c36395673bab10c056a8a153c3694fd832479ac4c4"

    private let folder = TransferTestFolder()

    private var path: String { folder.path + "/file" }

    private func session(_ server: TestServer) throws -> Session {
        let engine = Engine()
        return try Session(baseURL: server.url) {
            $0.network.engine = engine
            $0.retry = .none
        }
    }

    /// Downloads the responses of a handler; returns how that ended.
    ///
    /// - Parameter answer: gets the number of the request, from 1.
    private func download(
        from server: TestServer, sha256: String? = nil,
        _ answer: @escaping @Sendable (Int, ServerRequest) -> ServerResponse
    ) async throws -> (state: TransferState, attempts: [TransferAttempt], ranges: [String?]) {
        let count = Mutex(0)
        server.route("GET", "/file") { request in
            answer(
                count.withLock { count in
                    count += 1
                    return count
                }, request)
        }
        let store = try TransferStore(folder: folder.path + "/store")
        var options = TransferOptions()
        options.longestPause = .milliseconds(1)
        options.sha256 = sha256
        options.maxAttempts = 20
        let transfer = try await store.download("file", to: path, with: try session(server), options: options)
        let state = try await transfer.end()
        return (state, transfer.attempts, server.requests().map { $0.headers["Range"] })
    }

    /// Answers with the file, or with its rest.
    private static func file(_ request: ServerRequest, cutAt end: Int? = nil, digest: String? = nil) -> ServerResponse {
        let first = request.headers["Range"].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
        var headers: ServerHeaders = ["ETag": "\"v\""]
        if let digest { headers["Repr-Digest"] = digest }
        if first > 0 { headers["Content-Range"] = "bytes \(first)-\(content.count - 1)/\(content.count)" }
        return ServerResponse(
            status: first > 0 ? 206 : 200, headers: headers,
            body: .stream(length: content.count - first) { writer in
                try await writer.write(Array(content[first..<(end ?? content.count)]))
                if end != nil { throw CancellationError() }
            })
    }

    // MARK: Successes without the file

    @Test("A 204 for the rest of a file delays the transfer, which keeps its partial file", arguments: [204, 202, 205])
    func noRest(status: Int) async throws {
        try await TestServer.withServer { server async throws in
            let (state, attempts, ranges) = try await download(from: server) { number, request in
                number == 2 ? ServerResponse(status: status) : Self.file(request, cutAt: number == 1 ? 40_000 : nil)
            }
            expectEqual(state, .finished(path: path, length: Int64(Self.content.count)))
            expectEqual(FileManager.default.contents(atPath: path), Self.content)
            expectEqual(ranges, [nil, "bytes=40000-", "bytes=40000-"])
            expectEqual(attempts.map(\.keptBytes), [0, 40_000, 40_000])
            expectEqual(attempts[1].failure?.reason.contains("\(status)"), true)
        }
    }

    @Test("A 204 for a file ends the transfer, and a 202 does not", arguments: [204, 202])
    func noFile(status: Int) async throws {
        try await TestServer.withServer { server async throws in
            let (state, attempts, _) = try await download(from: server) { number, request in
                number == 1 ? ServerResponse(status: status) : Self.file(request)
            }
            if status == 202 {
                #expect(state == .finished(path: path, length: Int64(Self.content.count)) && attempts.count == 2)
            } else {
                guard case .failed(let failure) = state else {
                    Issue.record("\(state)")
                    return
                }
                #expect(failure.reason.contains("no content") && attempts.count == 1)
                #expect(!FileManager.default.fileExists(atPath: path))
            }
        }
    }

    // MARK: Digests

    private static let wrong = String(repeating: "0", count: 64)

    @Test("A file with another digest than the program's is fetched once")
    func otherFile() async throws {
        try await TestServer.withServer { server async throws in
            let (state, _, ranges) = try await download(from: server, sha256: Self.wrong) { Self.file($1) }
            guard case .failed(let failure) = state else {
                Issue.record("\(state)")
                return
            }
            #expect(failure.kind == "digestMismatch" && ranges == [nil])
            #expect(failure.reason.contains(Self.wrong) && failure.reason.contains(Self.sha256))
            #expect(failure.reason.contains("given up"))
            try expectEqual(FileManager.default.contentsOfDirectory(atPath: folder.path), ["store"])
        }
    }

    @Test(
        "A file that was joined from several responses and has a wrong digest is fetched again once",
        arguments: [false, true])
    func joined(isSound: Bool) async throws {
        try await TestServer.withServer { server async throws in
            let sha256 = isSound ? Self.sha256 : Self.wrong
            let (state, attempts, ranges) = try await download(from: server, sha256: sha256) { number, request in
                guard number == 2 else { return Self.file(request, cutAt: number == 1 ? 40_000 : nil) }
                // The rest of another file, under the same tag.
                return ServerResponse(
                    status: 206,
                    headers: ["ETag": "\"v\"", "Content-Range": "bytes 40000-99999/100000"],
                    body: .bytes([UInt8](repeating: 0, count: 60_000)))
            }
            expectEqual(ranges, [nil, "bytes=40000-", nil])
            expectEqual(attempts.dropFirst().first?.failure?.kind, "digestMismatch")
            if isSound {
                expectEqual(state, .finished(path: path, length: Int64(Self.content.count)))
            } else if case .failed(let failure) = state {
                expectEqual(failure.kind, "digestMismatch")
            } else {
                Issue.record("\(state)")
            }
        }
    }

    @Test("A file with another digest than the server's own is fetched three times")
    func damaged() async throws {
        try await TestServer.withServer { server async throws in
            let field = "sha-256=:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:"
            let (state, attempts, ranges) = try await download(from: server) { Self.file($1, digest: field) }
            guard case .failed(let failure) = state else {
                Issue.record("\(state)")
                return
            }
            #expect(failure.reason.contains("after 3 files") && ranges == [nil, nil, nil])
            expectEqual(attempts.count, 3)
        }
    }

    // MARK: Bodies of errors

    @Test("The long body of an error does not hide its status")
    func longError() async throws {
        try await TestServer.withServer { server async throws in
            let (state, _, _) = try await download(from: server) { _, _ in
                ServerResponse(status: 422, body: .bytes([UInt8](repeating: 0x61, count: 2 << 20)))
            }
            guard case .failed(let failure) = state else {
                Issue.record("\(state)")
                return
            }
            #expect(failure.kind == "unacceptableStatus" && failure.reason.contains("422"))
        }
    }

    @Test("An error with a slow body fails the attempt after ten seconds")
    func drippingError() async throws {
        try await TestServer.withServer { server async throws in
            server.route("GET", "/file") { _ in .dripping(status: 422) }
            let time = TestClock()
            let store = try TransferStore(folder: folder.path + "/store")
            let session = try Session.patient(server, time)
            let transfer = try await store.download("file", to: path, with: session)
            await time.waitForTimer(within: .seconds(10))
            await time.advance(by: .seconds(10))
            guard case .failed(let failure) = try await transfer.end() else {
                Issue.record("\(transfer.status)")
                return
            }
            #expect(failure.kind == "unacceptableStatus" && failure.reason.contains("422"))
            // The attempt waits for the rest of the body a little, in case it is short.
            while server.openConnections > 0 {
                await time.advance(by: .seconds(1))
                try await Task.sleep(for: .milliseconds(1))
            }
        }
    }
}

extension ServerResponse {
    /// A response whose body has begun and does not end.
    static func dripping(status: Int) -> ServerResponse {
        ServerResponse(
            body: .raw { connection in
                try await connection.write("HTTP/1.1 \(status) Slow\r\nContent-Length: 1000\r\n\r\nx")
                await connection.waitForClose()
            })
    }
}

extension Session {
    /// A session whose clock the test moves, and whose own time-outs are far away.
    static func patient(_ server: TestServer, _ time: TestClock) throws -> Session {
        var options = EngineOptions()
        options.clock = time.clock
        options.idleTimeout = .seconds(3_600)
        let engine = Engine(options: options)
        return try Session(baseURL: server.url) {
            $0.network.engine = engine
            $0.retry = .none
            $0.timeouts.setEach(.seconds(3_600))
        }
    }
}
