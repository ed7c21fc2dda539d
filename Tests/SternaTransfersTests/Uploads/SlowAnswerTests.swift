import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Transfers: long and endless responses to uploads", .timeLimit(.minutes(5)))
struct SlowAnswerTests {
    private let folder = TransferTestFolder()

    private func transfer(
        _ session: Session, _ resumption: UploadOptions.Resumption
    ) async throws -> Transfer {
        let path = folder.path + "/source"
        try Data(repeating: 0x61, count: 1_000).write(to: URL(filePath: path))
        let store = try TransferStore(folder: folder.path + "/store")
        var options = TransferOptions()
        options.maxAttempts = 1
        return try await store.upload(
            file: path, to: "files", with: session, UploadOptions(resumption), options: options)
    }

    @Test("The long body of an error does not hide its status", arguments: [.off, .ietf] as [UploadOptions.Resumption])
    func long(resumption: UploadOptions.Resumption) async throws {
        try await TestServer.withServer { server async throws in
            server.route(nil, "/files") { _ in
                ServerResponse(status: 422, body: .bytes([UInt8](repeating: 0x61, count: 2 << 20)))
            }
            let transfer = try await transfer(try Session(baseURL: server.url), resumption)
            guard case .failed(let failure) = try await transfer.end() else {
                Issue.record("\(transfer.status)")
                return
            }
            #expect(failure.kind == "unacceptableStatus" && failure.reason.contains("422"), "\(failure)")
        }
    }

    @Test(
        "An error with a slow body is reported after ten seconds",
        arguments: [.off, .ietf] as [UploadOptions.Resumption])
    func drips(resumption: UploadOptions.Resumption) async throws {
        try await TestServer.withServer { server async throws in
            server.route(nil, "/files") { _ in .dripping(status: 422) }
            let time = TestClock()
            let transfer = try await transfer(try Session.patient(server, time), resumption)
            await time.waitForTimer(within: .seconds(10))
            await time.advance(by: .seconds(10))
            guard case .failed(let failure) = try await transfer.end() else {
                Issue.record("\(transfer.status)")
                return
            }
            #expect(failure.kind == "unacceptableStatus" && failure.reason.contains("422"), "\(failure)")
        }
    }

    @Test(
        "A successful response with a slow or long body ends the upload, without the body", arguments: [false, true])
    func success(isLong: Bool) async throws {
        try await TestServer.withServer { server async throws in
            server.route("POST", "/files") { _ in
                isLong
                    ? ServerResponse(status: 201, body: .bytes([UInt8](repeating: 0x61, count: 2 << 20)))
                    : .dripping(status: 201)
            }
            let time = TestClock()
            let transfer = try await transfer(try Session.patient(server, time), .off)
            if !isLong {
                await time.waitForTimer(within: .seconds(10))
                await time.advance(by: .seconds(10))
            }
            guard case .finished = try await transfer.end() else {
                Issue.record("\(transfer.status)")
                return
            }
            #expect(transfer.response?.status == 201 && transfer.response?.body == nil)
            expectEqual(server.requestCount, 1)
        }
    }
}
