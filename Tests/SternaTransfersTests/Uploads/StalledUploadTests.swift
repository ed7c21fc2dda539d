import NIOCore
import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Uploads: servers that accept requests without progress", .timeLimit(.minutes(5)))
struct StalledUploadTests {
    private let folder = TransferTestFolder()

    /// Uploads a file by a store whose clock the test moves on, and returns how the transfer ends.
    private func end(
        _ server: TestServer, maxRequestBytes: Int64? = nil, _ change: (inout TransferOptions) -> Void = { _ in }
    ) async throws -> (state: TransferState, attempts: Int) {
        let path = folder.path + "/source"
        try Data(repeating: 0x61, count: 100_000).write(to: URL(filePath: path))
        let time = TestClock()
        var options = EngineOptions()
        options.clock = time.clock
        let engine = Engine(options: options)
        let session = try Session(baseURL: server.url) { settings in
            settings.network.engine = engine
            settings.timeouts.setEach(.seconds(360_000))
        }
        var transferOptions = TransferOptions()
        change(&transferOptions)
        var upload = UploadOptions()
        upload.maxRequestBytes = maxRequestBytes
        let store = try TransferStore(folder: folder.path + "/store")
        let transfer = try await store.upload(
            file: path, to: "files", with: session, upload, options: transferOptions)
        while !transfer.status.state.isOver {
            await time.advance(by: .seconds(1))
            try await Task.sleep(for: .milliseconds(1))
        }
        return (transfer.status.state, transfer.attempts.count)
    }

    /// A server that confirms nothing.
    private static func model(_ versions: Set<Int>, limit: String = "min-size=0") -> UploadModel {
        UploadModel(versions: versions, limit: limit) { _, method in
            method == "PATCH"
                ? .status(
                    204,
                    [
                        "Upload-Offset": "0", "Upload-Complete": "?0", "Tus-Resumable": "1.0.0",
                        "Upload-Draft-Interop-Version": "8",
                    ]) : nil
        }
    }

    @Test("Content that the server accepts without keeping it is sent five times", arguments: [[8], []] as [Set<Int>])
    func content(versions: Set<Int>) async throws {
        try await TestServer.withServer { server async throws in
            let model = Self.model(versions)
            model.serve(on: server)
            let (state, attempts) = try await end(server)
            guard case .failed(let failure) = state else {
                Issue.record("\(state)")
                return
            }
            #expect(failure.reason.contains("stays at 0"), "\(failure)")
            expectEqual(attempts, 1)
            expectEqual(model.log.count { $0 == "PATCH" }, 5)
        }
    }

    @Test("A limit of no bytes ends the upload before content is sent")
    func noBytes() async throws {
        try await TestServer.withServer { server async throws in
            let model = Self.model([8], limit: "max-append-size=0")
            model.serve(on: server)
            let (state, attempts) = try await end(server)
            guard case .failed(let failure) = state else {
                Issue.record("\(state)")
                return
            }
            expectEqual(failure.kind, "limitExceeded")
            expectEqual(attempts, 1)
            expectEqual(model.log, ["OPTIONS", "POST", "DELETE"])
        }
    }

    @Test("An OPTIONS request that is redirected to itself is sent five times")
    func redirectedQuestion() async throws {
        try await TestServer.withServer { server async throws in
            let model = UploadModel { _, method in method == "OPTIONS" ? .status(308, ["Location": "/files"]) : nil }
            model.serve(on: server)
            let (state, attempts) = try await end(server)
            guard case .failed(let failure) = state else {
                Issue.record("\(state)")
                return
            }
            #expect(failure.kind == "tooManyRedirects" && failure.reason.contains("again and again"), "\(failure)")
            expectEqual(attempts, 1)
            expectEqual(model.log, Array(repeating: "OPTIONS", count: 5))
        }
    }

    @Test("An upload that the server forgets each time is created six times in all")
    func forgotten() async throws {
        try await TestServer.withServer { server async throws in
            let model = UploadModel { _, method in
                method == "PATCH" ? .cut(after: 1_000) : method == "HEAD" ? .forget : nil
            }
            model.serve(on: server)
            let (state, attempts) = try await end(server, maxRequestBytes: 50_000)
            guard case .failed(let failure) = state else {
                Issue.record("\(state)")
                return
            }
            #expect(failure.reason.contains("forgotten"), "\(failure)")
            expectEqual(attempts, 3)
            expectEqual(model.creations, 6, "\(model.log)")
        }
    }

    @Test("Requests without progress are limited, also within an attempt")
    func requests() async throws {
        try await TestServer.withServer { server async throws in
            let model = UploadModel { _, method in method == "OPTIONS" ? .status(503, [:]) : nil }
            model.serve(on: server)
            let (state, attempts) = try await end(server) { $0.maxRequests = 3 }
            guard case .failed(let failure) = state else {
                Issue.record("\(state)")
                return
            }
            #expect(failure.reason.contains("after 4 requests without progress"), "\(failure)")
            expectEqual(attempts, 1)
            expectEqual(model.log.count, 4)
        }
    }

    @Test("A later process continues to count the requests of a download")
    func laterProcess() async throws {
        try await TestServer.withServer { server async throws in
            server.route("GET", "/file") { _ in ServerResponse(status: 503) }
            let session = try Session(baseURL: server.url) { $0.retry = .none }
            var options = TransferOptions()
            (options.maxRequests, options.longestPause) = (4, .milliseconds(1))
            let first = try TransferStore(folder: folder.path + "/store") {
                $0.mayBegin = { _ in server.requestCount < 2 }
            }
            _ = try await first.download("file", to: folder.path + "/file", with: session, options: options)
            try await server.waitForRequests(2, within: 60)
            while await first.list().first?.attempts.last?.failure == nil { await Task.yield() }
            await first.interrupt()
            let second = try TransferStore(folder: folder.path + "/store")
            let resumed = try #require(try await second.resumeAll(with: session).first)
            guard case .failed(let failure) = try await resumed.end() else {
                Issue.record("\(resumed.status)")
                return
            }
            #expect(failure.reason.contains("after 4 requests without progress"), "\(failure)")
            expectEqual(server.requestCount, 4)
        }
    }
}
