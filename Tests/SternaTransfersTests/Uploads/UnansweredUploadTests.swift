import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Uploads: reasons of waits, and permanent failures", .timeLimit(.minutes(5)))
struct UnansweredUploadTests {
    private let folder = TransferTestFolder()

    private func source() throws -> String {
        let path = folder.path + "/source"
        try Data(repeating: 0x61, count: 1_000).write(to: URL(filePath: path))
        return path
    }

    @Test(
        "A waiting upload reports what failed",
        arguments: [.hostNotFound, .connectionFailed, .timedOut, .limitExceeded, .proxyFailed, .tlsFailed]
            as [SternaError.Kind])
    func obstacles(kind: SternaError.Kind) async throws {
        let mock = MockTransport { _ in throw SternaError(kind, phase: .connect, "This is what failed.") }
        let session = try Session(baseURL: "https://a.example") { $0.network.transport = mock }
        let plan = UploadPlan(target: try HTTPURL("https://a.example/files"), length: 1_000)
        for parts in [1, 2] {
            let seen = Mutex<[SternaError]>([])
            let waits: @Sendable (SternaError) -> Void = { error in seen.withLock { $0.append(error) } }
            var patience = UploadPatience()
            (patience.failures, patience.firstWait) = (1, .milliseconds(1))
            let source = UploadSource(path: try source())
            if parts == 1 {
                var runner = UploadRunner(session, plan, file: source) { _ in }
                (runner.patience, runner.waits) = (patience, waits)
                let failing = runner
                await #expect(throws: SternaError.self) { try await failing.run() }
            } else {
                var named = plan
                named.choice = .named(.tus)
                var upload = ConcatenatedUpload(session, named, file: source, parts: 2) { _ in }
                (upload.patience, upload.waits) = (patience, waits)
                let failing = upload
                await #expect(throws: SternaError.self) { try await failing.run() }
            }
            let first = try #require(seen.withLock { $0.first })
            expectEqual(first.kind, kind)
            #expect(first.detail.contains("This is what failed."), "\(first)")
        }
    }

    @Test("An untrusted certificate ends a transfer at once", arguments: [false, true])
    func certificate(isUpload: Bool) async throws {
        let authority = try CertificateAuthority()
        try await TestServer.withServer(TestServer.Options(tls: authority.issue())) { server async throws in
            let session = try Session(baseURL: server.url) { $0.retry = .none }
            let store = try TransferStore(folder: folder.path + "/store")
            let transfer: Transfer
            if isUpload {
                transfer = try await store.upload(file: try source(), to: "files", with: session)
            } else {
                transfer = try await store.download("file", to: folder.path + "/file", with: session)
            }
            guard case .failed(let failure) = try await transfer.end() else {
                Issue.record("\(transfer.status)")
                return
            }
            expectEqual(failure.kind, "certificateRejected")
            expectEqual(transfer.attempts.count, 1)
        }
    }

    @Test("A server that does not respond to OPTIONS twice gets a plain upload")
    func plain() async throws {
        try await TestServer.withServer { server async throws in
            server.route("OPTIONS", "/files") { _ in ServerResponse(body: .raw { await $0.reset() }) }
            server.route("POST", "/files") { request in
                _ = try await request.body.collect()
                return ServerResponse(status: 201)
            }
            let store = try TransferStore(folder: folder.path + "/store")
            let path = try source()
            let transfer = try await store.upload(file: path, to: "files", with: try Session(baseURL: server.url))
            try await expectEqual(transfer.end(), .finished(path: path, length: 1_000))
            expectEqual(transfer.attempts.count, 1)
            expectEqual(server.requests().map(\.method), ["OPTIONS", "OPTIONS", "POST"])
        }
    }
}
