import Sterna
import SternaPlatform
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

/// Success statuses whose responses have no part of the file.
@Suite("Downloads: success statuses without the file", .timeLimit(.minutes(5)))
struct SuccessWithoutFileTests {
    private static func without(_ status: Int) -> ServerResponse {
        switch status {
        case 204, 205: ServerResponse(status: status, headers: ["ETag": "\"1\""])
        default: .text("There is no file here.", status: status, headers: ["ETag": "\"1\""])
        }
    }

    @Test(
        "In response to a range request they fail the download, and the partial file is kept",
        arguments: [201, 202, 204, 205, 226, 299])
    func rest(status: Int) async throws {
        let file = RangedFile(RangedFile.content(100_000, seed: 1))
        try await TestServer.withServer { server in
            let count = Mutex(0)
            server.route("GET", "/file") { request in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                return number == 2
                    ? Self.without(status) : file.answer(request) { number == 1 && $0 == 0 ? 40_000 : nil }
            }
            try await Downloading.withFolder { folder in
                let api = try Downloading.session(server)
                let path = "\(folder)/x"
                await #expect(throws: SternaError.self) { try await api.download("file", to: .file(path)).value }
                let error = await #expect(throws: SternaError.self) {
                    try await api.download("file", to: .file(path)).value
                }
                #expect(error?.kind == .unacceptableStatus && error?.status == status)
                #expect(error?.detail.contains("\(status)") == true && error?.detail.contains("kept") == true)
                expectEqual(error?.resumeData?.receivedBytes, 40_000)
                try expectEqual(Downloading.bytes(path + ".sterna-part"), Array(file.content.prefix(40_000)))
                let whole = try await api.download("file", to: .file(path)).value
                expectEqual(whole.resumedAt, 40_000)
                try expectEqual(Downloading.bytes(path), file.content)
                expectEqual(server.requests().map { $0.headers["Range"] }, [nil, "bytes=40000-", "bytes=40000-"])
            }
        }
    }

    @Test("In response to a new download they fail it, and leave no file", arguments: [202, 204, 205])
    func fresh(status: Int) async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/file") { _ in Self.without(status) }
            try await Downloading.withFolder { folder in
                let api = try Downloading.session(server)
                let error = await #expect(throws: SternaError.self) {
                    try await api.download("file", to: .file("\(folder)/x")).value
                }
                #expect(error?.kind == .unacceptableStatus && error?.status == status)
                expectNil(error?.resumeData)
                #expect(try Downloading.names(in: folder).isEmpty)
                expectEqual(server.requestCount, 1)
            }
        }
    }
}
